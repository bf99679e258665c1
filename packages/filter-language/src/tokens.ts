import { FilterError } from "./filter-error.ts";

export type Token =
	| { readonly type: "name"; readonly text: string; readonly position: number; readonly length: number }
	| { readonly type: "text"; readonly value: string; readonly position: number; readonly length: number }
	| { readonly type: "number"; readonly value: number; readonly position: number; readonly length: number }
	| { readonly type: "symbol" | "end"; readonly text: string; readonly position: number; readonly length: number };

/** Longest first, as the first match wins. */
const SYMBOLS = ["==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ",", ".", "+", "-", "*", "/", "%"];

/** Operators of other languages, with their counterparts; null where there is none. */
const FOREIGN: readonly (readonly [string, string | null])[] = [
	["===", "=="],
	["!==", "!="],
	["&&", "and"],
	["||", "or"],
	["<>", "!="],
	["//", null],
	["**", null],
	[":=", null],
	["=", "=="],
	["!", "not"],
	["&", "and"],
	["|", "or"],
	["^", null],
	["~", null],
];

const ESCAPES: Readonly<Record<string, string>> = {
	"\\": "\\",
	"'": "'",
	'"': '"',
	n: "\n",
	r: "\r",
	t: "\t",
	b: "\b",
	f: "\f",
};

const SPACE = /\s+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const DIGITS = /\d+/y;
const NUMBER = /(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const UNICODE_ESCAPE = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y;

/** @throws FilterError */
export function tokenize(input: string): Token[] {
	const tokens: Token[] = [];
	let position = 0;
	const match = (pattern: RegExp): string | undefined => {
		pattern.lastIndex = position;
		return pattern.exec(input)?.[0];
	};
	const push = (token: Token) => {
		tokens.push(token);
		position += token.length;
	};
	for (;;) {
		position += match(SPACE)?.length ?? 0;
		if (position >= input.length) break;
		const character = input.charAt(position);
		const last = tokens.at(-1);
		const isPathPart = last?.type === "symbol" && last.text === "." && last.position + 1 === position;
		const name = match(NAME) ?? (isPathPart ? match(DIGITS) : undefined);
		if (name !== undefined) {
			push({ type: "name", text: name, position, length: name.length });
		} else if (character === "'" || character === '"') {
			if (last?.type === "name" && last.position + last.length === position && last.text.length <= 2)
				throw problem(`write the text without "${last.text}" before it`, last.position, last.length + 1);
			push(readText(input, position));
		} else if (/\d/.test(character) || (character === "." && !continuesPath(last, position) && match(NUMBER))) {
			push(readNumber(match(NUMBER) ?? "", input, position));
		} else {
			push(readSymbol(input, position));
		}
	}
	tokens.push({ type: "end", text: "", position: input.length, length: 0 });
	return tokens;
}

function continuesPath(last: Token | undefined, position: number): boolean {
	if (last === undefined || last.position + last.length !== position) return false;
	return last.type === "name" || (last.type === "symbol" && last.text === "]");
}

function readSymbol(input: string, position: number): Token {
	const foreign = FOREIGN.find(([text]) => input.startsWith(text, position));
	const symbol = SYMBOLS.find((text) => input.startsWith(text, position));
	if (symbol !== undefined && (foreign === undefined || symbol.length >= foreign[0].length))
		return { type: "symbol", text: symbol, position, length: symbol.length };
	if (foreign !== undefined) {
		const [text, instead] = foreign;
		if (instead === null) throw problem(`"${text}" is no operator here`, position, text.length);
		throw problem(`write "${instead}" instead of "${text}"`, position, text.length, [instead]);
	}
	const character = String.fromCodePoint(input.codePointAt(position) ?? 0);
	const shown = /\p{L}/u.test(character)
		? `names have no "${character}"; write attributes["…"] for an attribute that has`
		: `"${/[\p{C}\p{Z}]/u.test(character) ? `U+${character.codePointAt(0)?.toString(16)}` : character}" is not expected`;
	throw problem(shown, position, character.length);
}

function readNumber(text: string, input: string, position: number): Token {
	const next = input.charAt(position + text.length);
	if (/[A-Za-z0-9_.]/.test(next)) throw problem("this number cannot be read", position, text.length + 1);
	const value = Number(text.replaceAll("_", ""));
	if (!Number.isFinite(value)) throw problem("this number is too large", position, text.length);
	return { type: "number", value, position, length: text.length };
}

function readText(input: string, start: number): Token {
	const quote = input.charAt(start);
	let value = "";
	let position = start + 1;
	for (;;) {
		const character = input.charAt(position);
		if (position >= input.length) throw problem(`this text has no closing ${quote}`, start, input.length - start);
		if (character === quote) break;
		if (character === "\0") throw problem("texts have no NUL characters", position, 1);
		if (character !== "\\") {
			value += character;
			position += 1;
			continue;
		}
		const [decoded, length] = readEscape(input, position);
		value += decoded;
		position += length;
	}
	return { type: "text", value: value.toWellFormed(), position: start, length: position + 1 - start };
}

function readEscape(input: string, position: number): [string, number] {
	UNICODE_ESCAPE.lastIndex = position + 1;
	const unicode = UNICODE_ESCAPE.exec(input);
	if (unicode !== null) {
		const code = Number.parseInt(unicode[1] ?? unicode[2] ?? unicode[3] ?? "", 16);
		if (code === 0 || code > 0x10ffff)
			throw problem("this is no character that a text can have", position, unicode[0].length + 1);
		return [String.fromCodePoint(code), unicode[0].length + 1];
	}
	const character = input.charAt(position + 1);
	const escaped = ESCAPES[character];
	// As in Python: an unknown escape is a backslash and a letter.
	return escaped === undefined ? ["\\", 1] : [escaped, 2];
}

function problem(message: string, position: number, length: number, suggestions: readonly string[] = []): FilterError {
	return new FilterError({ message, position, length, suggestions });
}
