import type { ReactNode } from "react";
import type { KeyKind } from "../../../lib/api-keys.ts";
import { config } from "../../../lib/config.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { CodeBlock } from "../../../ui/code-block.tsx";
import { keyCurls } from "./key-curl.ts";
import { type KeyLimits, keySentence } from "./key-sentence.ts";

const TEXTS = settingsTexts.keys;

/** What a key can do, in a sentence and in commands to try. */
export function KeyAbilities({
	listed,
	kind,
	apiKey,
}: {
	listed: KeyLimits;
	kind: KeyKind;
	/** Where it was just made. */
	apiKey?: string;
}): ReactNode {
	const curls = keyCurls(listed, config.origin, apiKey);
	return (
		<section aria-label={TEXTS.can} className="flex flex-col gap-2">
			<h3 className="font-semibold">{TEXTS.can}</h3>
			<p>{keySentence(listed, kind === "system" ? "a member" : "its owner")}</p>
			{curls.refused !== undefined && (
				<>
					<p className="text-muted text-sm">{TEXTS.works}</p>
					<CodeBlock text={curls.works} label={TEXTS.works} />
					<p className="text-muted text-sm">{TEXTS.isRefused}</p>
					<CodeBlock text={curls.refused} label={TEXTS.isRefused} />
				</>
			)}
		</section>
	);
}
