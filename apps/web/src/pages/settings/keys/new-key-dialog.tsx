import type { ReactNode } from "react";
import type { CreatedKey, KeyKind } from "../../../lib/api-keys.ts";
import { useCan } from "../../../lib/me.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { SendSnippets } from "../../../ui/send-snippets.tsx";
import { ShownOnceDialog } from "../../../ui/shown-once.tsx";
import { KeyAbilities } from "./key-abilities.tsx";

const TEXTS = settingsTexts.keys;

/** Shows a key that was just made, once, and how to use it. */
export function NewKeyDialog({
	created,
	kind,
	onClose,
}: {
	created: CreatedKey;
	kind: KeyKind;
	onClose: () => void;
}): ReactNode {
	const can = useCan();
	const { permissions, projects, key } = created;
	const maySend = kind === "system" || can("write");
	const isMeantToSend = permissions === null || permissions.some((each) => each === "ingest" || each === "write");
	return (
		<ShownOnceDialog
			title={TEXTS.newTitle}
			label={TEXTS.key}
			text={TEXTS.newText}
			secret={key}
			onClose={onClose}
			className="w-[min(44rem,calc(100vw-1rem))]"
		>
			{maySend || !isMeantToSend ? null : <p className="text-muted">{TEXTS.viewerNote}</p>}
			{maySend && isMeantToSend && (
				<>
					<h3 className="font-semibold">{TEXTS.use}</h3>
					<SendSnippets project={projects?.[0]?.name ?? "default"} apiKey={key} />
				</>
			)}
			<KeyAbilities listed={created} kind={kind} apiKey={key} />
		</ShownOnceDialog>
	);
}
