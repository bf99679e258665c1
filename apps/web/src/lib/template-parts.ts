export type TemplateFormat = "MUSTACHE" | "F_STRING" | "NONE";

export interface TemplatePart {
	readonly text: string;
	/** The name of the variable that the text stands for. */
	readonly variable?: string;
}

const PATTERNS: Record<Exclude<TemplateFormat, "NONE">, RegExp> = {
	// A variable, one that is not escaped ({{{x}}}, {{&x}}), or the ends of a section ({{#x}}, {{^x}}, {{/x}}).
	MUSTACHE: /\{\{\{?\s*[&#^/]?\s*([^{}\s]{1,200})\s*\}?\}\}/gu,
	// Doubled braces are escaped braces; a conversion or format may follow the name.
	F_STRING: /\{\{|\}\}|\{([\p{L}\p{M}\p{N}_.-]{1,200})(?:![rsa])?(?::[^{}]{0,100})?\}/gu,
};

/** Splits a text at its variables, so that they can be highlighted. */
export function templateParts(text: string, format: TemplateFormat): TemplatePart[] {
	if (format === "NONE") return [{ text }];
	const parts: TemplatePart[] = [];
	let end = 0;
	for (const match of text.matchAll(PATTERNS[format])) {
		const variable = match[1];
		if (variable === undefined) continue;
		if (match.index > end) parts.push({ text: text.slice(end, match.index) });
		parts.push({ text: match[0], variable });
		end = match.index + match[0].length;
	}
	if (end < text.length) parts.push({ text: text.slice(end) });
	return parts;
}

/** The names of the variables, each once, in the order of their first use. */
export function variablesOf(texts: readonly string[], format: TemplateFormat): string[] {
	const names = texts.flatMap((text) => templateParts(text, format).map((part) => part.variable));
	return [...new Set(names.filter((name) => name !== undefined))];
}
