import type * as Ldapts from "ldapts";
import { type TextReader, take } from "./text-reader.ts";

/**
 * The text, escaped as a value in a filter (RFC 4515). Everything but printable ASCII is escaped too: servers differ in
 * what else they fold into special characters.
 */
export function escapeFilterValue(text: string): string {
	return Array.from(Buffer.from(text.toWellFormed()), (byte) => {
		const isPlain = byte >= 0x20 && byte < 0x7f && !"\\*()".includes(String.fromCharCode(byte));
		return isPlain ? String.fromCharCode(byte) : `\\${byte.toString(16).padStart(2, "0")}`;
	}).join("");
}

/** The filter of a setting, with `value` in place of each `%s`. */
export function fillFilter(template: string, value: string): string {
	const escaped = escapeFilterValue(value);
	return template.replaceAll("%s", () => escaped);
}

/** What is wrong with the filter of a setting, as the end of a sentence; undefined when nothing is. */
export function filterProblem(template: string): string | undefined {
	if (!template.includes("%s")) return "must have %s in place of the value, as in (uid=%s)";
	try {
		// `%s` stands for a value: used as an attribute, its escapes are an error.
		parseFilter(template.replaceAll("%s", "\\25\\73"));
		return undefined;
	} catch (error) {
		if (error instanceof FilterError) return `must be a filter such as (uid=%s): ${error.message}`;
		throw error;
	}
}

/**
 * Parses a filled filter for a search. The library's own parser reads every escaped byte as a character of its own, and
 * knows no attributes by OID or with options.
 */
export function toSearchFilter(ldapts: typeof Ldapts, text: string): Ldapts.Filter {
	const build = (node: FilterNode): Ldapts.Filter => {
		switch (node.kind) {
			case "and":
				return new ldapts.AndFilter({ filters: node.filters.map(build) });
			case "or":
				return new ldapts.OrFilter({ filters: node.filters.map(build) });
			case "not":
				return new ldapts.NotFilter({ filter: build(node.filter) });
			case "present":
				return new ldapts.PresenceFilter(node);
			case "equal":
				return new ldapts.EqualityFilter(node);
			case "atLeast":
				return new ldapts.GreaterThanEqualsFilter(node);
			case "atMost":
				return new ldapts.LessThanEqualsFilter(node);
			case "approximate":
				return new ldapts.ApproximateFilter(node);
			case "substrings":
				return new ldapts.SubstringFilter({ ...node, any: [...node.any] });
			case "extensible":
				return new ldapts.ExtensibleFilter(node);
		}
	};
	return build(parseFilter(text));
}

type FilterNode =
	| { readonly kind: "and" | "or"; readonly filters: readonly FilterNode[] }
	| { readonly kind: "not"; readonly filter: FilterNode }
	| { readonly kind: "present"; readonly attribute: string }
	| { readonly kind: "equal"; readonly attribute: string; readonly value: Buffer }
	| { readonly kind: "atLeast" | "atMost" | "approximate"; readonly attribute: string; readonly value: string }
	| {
			readonly kind: "substrings";
			readonly attribute: string;
			readonly initial: string;
			readonly any: readonly string[];
			readonly final: string;
	  }
	| {
			readonly kind: "extensible";
			readonly matchType: string;
			readonly rule: string;
			readonly dnAttributes: boolean;
			readonly value: string;
	  };

class FilterError extends Error {
	override readonly name = "FilterError";
}

const MAX_DEPTH = 32;

function parseFilter(text: string): FilterNode {
	const reader = { text, at: 0 };
	const node = readFilter(reader, 1);
	skipSpace(reader);
	if (reader.at < text.length) throw new FilterError(`it ends before character ${reader.at + 1}`);
	return node;
}

function readFilter(reader: TextReader, depth: number): FilterNode {
	if (depth > MAX_DEPTH) throw new FilterError(`it nests deeper than ${MAX_DEPTH} levels`);
	skipSpace(reader);
	expect(reader, "(");
	skipSpace(reader);
	const node = readComponent(reader, depth);
	expect(reader, ")");
	return node;
}

function readComponent(reader: TextReader, depth: number): FilterNode {
	const operator = reader.text[reader.at] ?? "";
	if (operator === "!") {
		reader.at += 1;
		const filter = readFilter(reader, depth + 1);
		skipSpace(reader);
		return { kind: "not", filter };
	}
	if (operator !== "&" && operator !== "|") return readItem(reader);
	reader.at += 1;
	const filters: FilterNode[] = [];
	do {
		filters.push(readFilter(reader, depth + 1));
		skipSpace(reader);
	} while (reader.text[reader.at] === "(");
	return { kind: operator === "&" ? "and" : "or", filters };
}

const OID = String.raw`(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)`;
const ATTRIBUTE = `${OID}(?:;[A-Za-z0-9-]+)*`;
const COMPARISON = new RegExp(`(${ATTRIBUTE})([~<>]?=)`, "y");
const EXTENSIBLE = new RegExp(`(${ATTRIBUTE})?(:dn)?(?::(${OID}))?:=`, "iy");
const VALUE = /(?:[^\\*()\0]|\\[0-9A-Fa-f]{2})*/y;

function readItem(reader: TextReader): FilterNode {
	const start = reader.at;
	const [, attribute = "", operator] = take(reader, COMPARISON) ?? [];
	if (operator === "=") return readEquality(reader, attribute);
	if (operator !== undefined) {
		const kind = operator === ">=" ? "atLeast" : operator === "<=" ? "atMost" : "approximate";
		return { kind, attribute, value: decode(readValue(reader)) };
	}
	const [whole, matchType = "", dn, rule = ""] = take(reader, EXTENSIBLE) ?? [];
	if (whole === undefined || (matchType === "" && rule === "")) {
		throw new FilterError(`at character ${start + 1} there is no attribute followed by =, >=, <=, ~= or :=`);
	}
	return { kind: "extensible", matchType, rule, dnAttributes: dn !== undefined, value: decode(readValue(reader)) };
}

/** `=value`, `=*` or `=begin*middle*end`. */
function readEquality(reader: TextReader, attribute: string): FilterNode {
	const parts = [readValue(reader)];
	while (reader.text[reader.at] === "*") {
		reader.at += 1;
		parts.push(readValue(reader));
	}
	const [initial = Buffer.alloc(0), ...rest] = parts;
	const final = rest.pop();
	if (final === undefined) return { kind: "equal", attribute, value: initial };
	if (parts.every((part) => part.length === 0) && rest.length === 0) return { kind: "present", attribute };
	if (rest.some((part) => part.length === 0)) {
		throw new FilterError(`before character ${reader.at + 1} there are two * with nothing between them`);
	}
	return { kind: "substrings", attribute, initial: decode(initial), any: rest.map(decode), final: decode(final) };
}

function readValue(reader: TextReader): Buffer {
	const [value = ""] = take(reader, VALUE) ?? [];
	const pieces = value.split(/(\\[0-9A-Fa-f]{2})/);
	return Buffer.concat(
		pieces.map((piece, index) => (index % 2 === 1 ? Buffer.from(piece.slice(1), "hex") : Buffer.from(piece))),
	);
}

function decode(bytes: Buffer): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new FilterError("it has escaped bytes that are not UTF-8 where only text is allowed");
	}
}

/** RFC 4515 has no white space between filters; those of settings are often written on several lines. */
function skipSpace(reader: TextReader): void {
	take(reader, /\s*/y);
}

function expect(reader: TextReader, character: "(" | ")"): void {
	const found = reader.text[reader.at];
	if (found !== character) {
		const instead = found === undefined ? "the end" : JSON.stringify(found);
		throw new FilterError(`at character ${reader.at + 1} ${character} is expected instead of ${instead}`);
	}
	reader.at += 1;
}
