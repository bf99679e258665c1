import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../../lib/api.ts";
import type { KeyKind } from "../../../lib/api-keys.ts";
import { formatRelative } from "../../../lib/time.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import type { ListedKey } from "./key-columns.tsx";

const TEXTS = settingsTexts.keys;

export function DeleteKeyDialog({
	kind,
	listed,
	onClose,
}: {
	kind: KeyKind;
	listed: ListedKey;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const path = kind === "system" ? "/v1/system/api_keys/{api_key_id}" : "/v1/user/api_keys/{api_key_id}";
	const remove = useMutation({
		mutationFn: () => api.delete(path, { path: { api_key_id: listed.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["api-keys"] });
			onClose();
		},
	});
	const used = listed.last_used_at ? TEXTS.lastUsed(formatRelative(listed.last_used_at)) : TEXTS.neverUsedText;
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(listed.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>
				{TEXTS.deleteText} {used}
			</p>
		</ConfirmDialog>
	);
}
