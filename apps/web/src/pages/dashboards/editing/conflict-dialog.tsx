import type { ApiError } from "@spanward/client";
import type { ReactNode } from "react";
import { formatTime } from "../../../lib/time.ts";
import { dashboardTexts } from "../../../texts/dashboards-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";

const TEXTS = dashboardTexts.conflict;

/** Somebody saved first: nothing is lost, whatever is chosen here is chosen knowingly. */
export function ConflictDialog({
	conflict,
	error,
	isPending,
	onCopy,
	onReload,
	onClose,
}: {
	conflict: ApiError;
	/** Of the copy. */
	error: Error | null;
	isPending: boolean;
	onCopy: () => void;
	onReload: () => void;
	onClose: () => void;
}): ReactNode {
	const { changed_by, changed_at } = conflict.problem as {
		changed_by?: { username: string } | null;
		changed_at?: string;
	};
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title}>
			<div className="flex flex-col gap-3 p-4">
				<p>{TEXTS.text(changed_by?.username ?? TEXTS.somebody, formatTime(changed_at))}</p>
				<FormError error={error} />
				<div className="flex flex-wrap justify-end gap-2">
					<Button onClick={onReload}>{TEXTS.reload}</Button>
					<Button look="primary" disabled={isPending} onClick={onCopy}>
						{TEXTS.copy}
					</Button>
				</div>
			</div>
		</Dialog>
	);
}
