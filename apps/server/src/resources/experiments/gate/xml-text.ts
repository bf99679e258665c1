import { visibleText } from "#resources/text-forms/untrusted.ts";

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&apos;",
	// In attributes, parsers would read them as spaces.
	"\n": "&#10;",
	"\t": "&#9;",
};

/**
 * A text of others, cut to so many characters, as it may stand in an element or an attribute in quotes. XML cannot have
 * most control characters at all, whether escaped or not (https://www.w3.org/TR/xml/#charsets).
 */
export function xmlText(text: string, maxCharacters: number): string {
	const isCut = text.length > maxCharacters;
	const shown = visibleText(isCut ? `${text.slice(0, maxCharacters)}…` : text).replace(/[\uFFFE\uFFFF]/g, "\uFFFD");
	return shown.replace(/[&<>"'\n\t]/g, (character) => ENTITIES[character] ?? character);
}
