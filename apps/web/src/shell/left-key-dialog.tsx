import type { ReactNode } from "react";
import { leftKey } from "../lib/left-key.ts";
import { sendingTexts } from "../texts/sending-en.ts";
import { ShownOnceDialog } from "../ui/shown-once.tsx";

const TEXTS = sendingTexts;

/** Shows a key whose page is gone, until somebody has it. */
export function LeftKeyDialog({ apiKey }: { apiKey: string }): ReactNode {
	return (
		<ShownOnceDialog
			title={TEXTS.leftTitle}
			label={TEXTS.key}
			text={TEXTS.leftText}
			secret={apiKey}
			onClose={() => leftKey.set(undefined)}
		/>
	);
}
