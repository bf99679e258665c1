export type PartKind = "comment" | "string" | "number" | "keyword" | "variable";

/** A piece of a text, and what it is where that has a colour. */
export interface TextPart {
	readonly text: string;
	readonly kind?: PartKind;
}

const KEYWORDS =
	"async await break case catch class const continue default delete do else export extends false finally for function if import in instanceof interface let new null of return static switch this throw true try type typeof undefined var void while yield";

const PATTERNS: readonly (readonly [PartKind, RegExp])[] = [
	["comment", /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/],
	// A regular expression stands where a value is expected.
	["string", /(?<=(?:^|[(,=:[!&|?{};]|=>|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/],
	["string", /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\[\s\S]|[^`\\])*`?/],
	["number", /\b\d[\w.]*/],
	["keyword", new RegExp(`\\b(?:${KEYWORDS.replaceAll(" ", "|")})\\b`)],
];
const ANY = new RegExp(PATTERNS.map(([, { source }]) => `(${source})`).join("|"), "g");

/** JavaScript, TypeScript or JSON in parts to be coloured; it need not be correct. */
export function codeParts(text: string): TextPart[] {
	const parts: TextPart[] = [];
	let end = 0;
	for (const match of text.matchAll(ANY)) {
		const at = match.slice(1).findIndex((group) => group !== undefined);
		const kind = PATTERNS[at]?.[0];
		if (kind === undefined) continue;
		if (match.index > end) parts.push({ text: text.slice(end, match.index) });
		parts.push({ text: match[0], kind });
		end = match.index + match[0].length;
	}
	if (end < text.length) parts.push({ text: text.slice(end) });
	return parts;
}
