import { type ReactNode, useState } from "react";
import type { CodeSnippet } from "../lib/client-snippets.ts";
import { config } from "../lib/config.ts";
import { dataTexts } from "../texts/data-en.ts";
import { CodeBlock } from "./code-block.tsx";
import { Tabs } from "./tabs.tsx";

const TEXTS = dataTexts.snippets;

/** The same in several languages, to paste; with how a key is given where one is needed. */
export function CodeSnippets({ snippets }: { snippets: readonly CodeSnippet[] }): ReactNode {
	const [shown, setShown] = useState<CodeSnippet["key"]>("python");
	return (
		<Tabs
			label={TEXTS.code}
			value={shown}
			onChange={setShown}
			className="shrink-0 overflow-hidden rounded-md border border-line"
			items={snippets.map(({ key, install, code }) => ({
				value: key,
				label: TEXTS[key],
				content: (
					<div className="flex flex-col gap-2 bg-sunken p-3">
						{config.auth.enabled && (
							<CodeBlock text="export SERVICE_API_KEY='<your API key>'" label={TEXTS.environment} />
						)}
						{install && <CodeBlock text={install} label={TEXTS.install} />}
						<CodeBlock text={code} label={TEXTS.code} />
					</div>
				),
			}))}
		/>
	);
}
