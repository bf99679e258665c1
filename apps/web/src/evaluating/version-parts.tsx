import type { EvaluatorTemplate, EvaluatorVersionOfEvaluator } from "@spanward/client";
import type { ReactNode } from "react";
import type { TemplateFormat } from "../lib/template-parts.ts";
import { evaluatorTexts as TEXTS } from "../texts/evaluators-en.ts";
import { HighlightedText } from "../ui/highlighting/highlighted-text.tsx";

type Version = EvaluatorVersionOfEvaluator["version"];

/** What a version gives: its outputs with their labels or bounds. */
export function OutputList({ outputs }: { outputs: Version["outputs"] }): ReactNode {
	return (
		<ul className="flex flex-col gap-2">
			{outputs.map((output) => (
				<li key={output.name} className="min-w-0 rounded border border-line p-2">
					<span className="font-medium">{output.name}</span>
					{output.type === "score" ? (
						<span className="text-muted"> {TEXTS.score(bound(output.minimum, "−∞"), bound(output.maximum, "∞"))}</span>
					) : (
						<dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
							{output.labels.map(({ label, score, description }) => (
								<div key={label} className="contents">
									<dt className="font-mono text-sm">{label}</dt>
									<dd className="text-muted [overflow-wrap:anywhere]">
										{score === null ? TEXTS.abstains : score}
										{description && ` · ${description}`}
									</dd>
								</div>
							))}
						</dl>
					)}
				</li>
			))}
		</ul>
	);
}

function bound(value: number | undefined, none: string): string {
	return value === undefined ? none : String(value);
}

/** The messages of a judge. @param format of their variables, before inputs are put in */
export function JudgeMessages({
	messages,
	format = "NONE",
}: {
	messages: EvaluatorTemplate["messages"];
	format?: TemplateFormat;
}): ReactNode {
	return (
		<ol className="flex flex-col gap-2">
			{messages.map(({ role, content }, index) => (
				<li key={index} className="rounded border border-line bg-sunken p-2">
					<span className="text-muted text-sm">{role}</span>
					<p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
						<HighlightedText text={textOf(content)} language={format} />
					</p>
				</li>
			))}
		</ol>
	);
}

function textOf(content: EvaluatorTemplate["messages"][number]["content"]): string {
	if (typeof content === "string") return content;
	return content.map((part) => ("text" in part ? part.text : JSON.stringify(part))).join("\n");
}
