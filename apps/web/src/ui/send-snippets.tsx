import { type ReactNode, useState } from "react";
import { config } from "../lib/config.ts";
import { snippets } from "../lib/snippets.ts";
import { texts } from "../texts/en.ts";
import { CodeBlock } from "./code-block.tsx";
import { Tabs } from "./tabs.tsx";

type Language = "python" | "typescript" | "otel";

export interface SendSnippetsProps {
	readonly project: string;
	/** The key to show in the snippets; without one a placeholder stands there. */
	readonly apiKey?: string | undefined;
	/** The snippet that has the key was copied. */
	readonly onKeyCopied?: () => void;
}

/** What to paste into an application so that it sends to this server, with a key where one is needed. */
export function SendSnippets({ project, apiKey, onKeyCopied }: SendSnippetsProps): ReactNode {
	const [language, setLanguage] = useState<Language>("python");
	const all = snippets({ origin: config.origin, project, needsKey: config.auth.enabled, apiKey });
	const items = (["python", "typescript", "otel"] as const).map((value) => ({
		value,
		label: texts.waiting[value],
		content: (
			<div className="flex flex-col gap-2 bg-sunken p-3">
				{all[value].environment && (
					<CodeBlock text={all[value].environment} label={texts.waiting.environment} onCopied={onKeyCopied} />
				)}
				{all[value].install && <CodeBlock text={all[value].install} label={texts.waiting.install} />}
				{all[value].code && <CodeBlock text={all[value].code} label={texts.waiting.code} />}
			</div>
		),
	}));
	return (
		<Tabs
			label={texts.waiting.code}
			value={language}
			onChange={setLanguage}
			className="shrink-0 overflow-hidden rounded-md border border-line"
			items={items}
		/>
	);
}
