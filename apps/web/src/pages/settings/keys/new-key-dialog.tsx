import type { ReactNode } from "react";
import type { CreatedKey, KeyKind } from "../../../lib/api-keys.ts";
import { useCan } from "../../../lib/me.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { SendSnippets } from "../../../ui/send-snippets.tsx";
import { ShownOnce } from "../shown-once.tsx";
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
		<Dialog open onOpenChange={onClose} title={TEXTS.newTitle} staysOnPress className="w-[min(44rem,calc(100vw-1rem))]">
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<ShownOnce label={TEXTS.key} text={TEXTS.newText} secret={key} />
				{maySend || !isMeantToSend ? null : <p className="text-muted">{TEXTS.viewerNote}</p>}
				{maySend && isMeantToSend && (
					<>
						<h3 className="font-semibold">{TEXTS.use}</h3>
						<SendSnippets project={projects?.[0]?.name ?? "default"} apiKey={key} />
					</>
				)}
				<KeyAbilities listed={created} kind={kind} apiKey={key} />
				<Button look="primary" className="self-end" onClick={onClose}>
					{TEXTS.done}
				</Button>
			</div>
		</Dialog>
	);
}
