import type { ReactNode } from "react";
import { type TemplateFormat, templateParts } from "../../lib/template-parts.ts";
import { codeParts, type PartKind, type TextPart } from "./code-parts.ts";

/** What a text is written in. */
export type TextLanguage = "code" | TemplateFormat;

/** Longer ones are drawn plain: typing in them must not wait for thousands of elements. */
const MAX_LENGTH = 50_000;

// Nothing here may change how wide a text is: it stands exactly under what is typed.
const CLASSES: Record<PartKind, string> = {
	comment: "text-muted",
	string: "text-ok",
	number: "text-kind-tool",
	keyword: "text-kind-llm",
	variable: "rounded-xs bg-accent-soft text-accent",
};

/** A text with colours. */
export function HighlightedText({ text, language }: { text: string; language: TextLanguage }): ReactNode {
	if (text.length > MAX_LENGTH) return text;
	return partsOf(text, language).map(({ text: part, kind }, index) =>
		kind === undefined ? (
			part
		) : (
			<span key={index} className={CLASSES[kind]}>
				{part}
			</span>
		),
	);
}

function partsOf(text: string, language: TextLanguage): readonly TextPart[] {
	if (language === "code") return codeParts(text);
	return templateParts(text, language).map(({ text: part, variable }) =>
		variable === undefined ? { text: part } : { text: part, kind: "variable" },
	);
}
