import { type Attribute, PROMPT_VERSION, RESOURCE } from "@spanward/filter-language";
import {
	type AnyValue,
	decodeResource,
	decodeSpan,
	decodeSpanAttributes,
	fromPlain,
	type KeyValue,
} from "@spanward/otlp";
import { textList } from "@spanward/semconv";
import { isTooMuchToExpand, JSON_KEY, KIND_KEY } from "../openinference-keys.ts";
import { readDerivedAttributes } from "../span-meaning.ts";
import type { SpanContent } from "../trace-store.ts";
import { type ShownTexts, shownTextsOf } from "./shown-texts.ts";

/** The value of an attribute: a number, text or boolean, or the values within a list or an object. */
export type AttributeValue = string | number | boolean | { readonly values: readonly (string | number | boolean)[] };

/** Attributes in which instrumentation records the global id of the prompt version that a span used. */
export const VERSION_ATTRIBUTES = [
	"llm.prompt_template.version",
	"prompt.version.id",
	"prompt.id",
	"spanward.prompt_version.id",
] as const;
/** What global ids of versions begin with: base64 of `PromptVersion:`. */
const VERSION_ID = /^UHJvbXB0VmVyc2lvbj[o-r]/;
const TAGS = ["tag", "tags"];

/** First segments of the keys that `toOpenInference` derives from other conventions. */
const DERIVED = new Set(
	"openinference session user llm embedding input output agent metadata tag tool tool_call retrieval reranker".split(
		" ",
	),
);

/** Whether a span without this attribute may still have it, derived from another convention. */
export function mayBeDerived(path: readonly string[]): boolean {
	return DERIVED.has(path[0] ?? "");
}

/** The attributes of one span by dotted path: as sent, else as derived from another convention. */
export class SpanAttributes {
	readonly #sent: readonly KeyValue[];
	readonly #content: () => SpanContent;
	/** If so nothing is derived, and most attributes need only one look-up. */
	readonly #isOpenInference: boolean;
	#derived: readonly KeyValue[] | undefined;
	#ofResource: readonly KeyValue[] | undefined;
	#shown: ShownTexts | undefined;

	/** @param namespaces of all paths that are asked for, as of {@link namespacesOf}; any when absent */
	constructor(span: Uint8Array, content: () => SpanContent, namespaces?: readonly Uint8Array[]) {
		this.#sent = namespaces === undefined ? decodeSpan(span).attributes : decodeSpanAttributes(span, namespaces);
		this.#isOpenInference = this.#sent.some(({ key, value }) => key === KIND_KEY && value.type === "string");
		this.#content = content;
	}

	/** What lists of traces show of the span. */
	shownText(side: "input" | "output"): string | null {
		this.#shown ??= shownTextsOf(this.#content());
		return this.#shown[side];
	}

	/** Whether one of the tags is this text; null where there are none. */
	hasTag(tag: string): boolean | null {
		const found = this.find(TAGS);
		if (found === undefined) return null;
		return textList(typeof found === "object" ? found.values : found)?.includes(tag) ?? false;
	}

	find(path: readonly string[]): AttributeValue | undefined {
		if (path[0] === RESOURCE) {
			this.#ofResource ??= decodeResource(this.#content().resource).attributes;
			return valueAt(this.#ofResource, path.slice(1));
		}
		if (path[0] === PROMPT_VERSION[0])
			return VERSION_ATTRIBUTES.map((key) => this.find(key.split("."))).find(
				(value) => typeof value === "string" && VERSION_ID.test(value),
			);
		const sent = valueAt(this.#sent, path);
		if (sent !== undefined || !mayBeDerived(path) || this.#isOpenInference) return sent;
		this.#derived ??= Array.from(readDerivedAttributes(this.#content()), ([key, value]) => ({
			key,
			value: fromPlain(value),
		}));
		return valueAt(this.#derived, path);
	}
}

/** What the keys of some attributes begin with, and what tells the convention; undefined where any key may matter. */
export function namespacesOf(paths: readonly (readonly string[])[]): readonly Uint8Array[] | undefined {
	const names = new Set(paths.map(([first = ""]) => first.split(".", 1)[0] ?? ""));
	if ([...names].some((name) => name.startsWith("\0"))) return undefined;
	return Array.from(names.add("openinference"), (name) => Buffer.from(name));
}

/** An attribute as a value of the type that a filter expects; null when it is missing or of another type. */
export function toSqlValue(
	value: AttributeValue | undefined,
	as: Attribute["as"],
): string | number | bigint | Uint8Array | null {
	if (value === undefined) return null;
	if (as === "searched") return typeof value === "object" ? value.values.map(textOf).join("\n") : textOf(value);
	if (typeof value === "object") return as === "any" ? new Uint8Array(1) : null;
	if (typeof value === "string") return as === "text" || as === "any" ? value.replaceAll("\0", "\uFFFD") : null;
	if (typeof value === "number") return as === "number" || as === "any" ? value : null;
	return as === "boolean" || as === "any" ? BigInt(value) : null;
}

function textOf(value: string | number | boolean): string {
	return String(value).replaceAll("\0", "\uFFFD");
}

/** If a key was sent twice, the last one counts. */
function valueAt(attributes: readonly KeyValue[], path: readonly string[]): AttributeValue | undefined {
	const wanted = path.join(".");
	let found: AttributeValue | undefined;
	const below: (string | number | boolean)[] = [];
	for (const { key, value } of attributes) {
		if (key === wanted) found = wholeOf(value, key) ?? found;
		else if (wanted.startsWith(`${key}.`)) found = within(value, key, wanted.slice(key.length + 1)) ?? found;
		else if (key.startsWith(`${wanted}.`)) addValues(value, key, below);
	}
	if (below.length === 0) return found;
	return { values: [...(found === undefined ? [] : typeof found === "object" ? found.values : [found]), ...below] };
}

function wholeOf(value: AnyValue, key: string): AttributeValue | undefined {
	if (value.type === "string" && JSON_KEY.test(key)) {
		const parsed = parseJson(value.value);
		if (parsed === null) return undefined;
		return parsed === undefined || typeof parsed === "string" ? value.value : wholeOf(fromPlain(parsed), "");
	}
	switch (value.type) {
		case "string":
		case "bool":
			return value.value;
		case "double":
			return Number.isNaN(value.value) ? undefined : value.value;
		case "int":
			return Number(value.value);
		case "bytes":
			// As a list without values, since no signature has their base64, nor do a block's bytes.
			return { values: [] };
		case "empty":
			return undefined;
		default: {
			const values: (string | number | boolean)[] = [];
			addValues(value, "", values);
			return value.type === "kvlist" && values.length === 0 ? undefined : { values };
		}
	}
}

function within(value: AnyValue, key: string, path: string): AttributeValue | undefined {
	switch (value.type) {
		case "kvlist":
			return valueAt(value.value, path.split("."));
		case "array": {
			const [index = "", ...rest] = path.split(".");
			const item = /^\d+$/.test(index) ? value.value[Number(index)] : undefined;
			if (item === undefined) return undefined;
			return rest.length === 0 ? wholeOf(item, "") : within(item, "", rest.join("."));
		}
		case "string": {
			const parsed = JSON_KEY.test(key) ? parseJson(value.value) : undefined;
			if (typeof parsed !== "object" || parsed === null) return undefined;
			return within(fromPlain(parsed), "", path);
		}
		default:
			return undefined;
	}
}

function addValues(value: AnyValue, key: string, into: (string | number | boolean)[]): void {
	if (value.type === "array") for (const item of value.value) addValues(item, "", into);
	else if (value.type === "kvlist") for (const entry of value.value) addValues(entry.value, entry.key, into);
	else {
		const whole = wholeOf(value, key);
		if (typeof whole === "object") into.push(...whole.values);
		else if (whole !== undefined) into.push(whole);
	}
}

/** Undefined when the text is not valid JSON. */
function parseJson(text: string): Parameters<typeof fromPlain>[0] | undefined {
	if (isTooMuchToExpand(text)) return undefined;
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
