import { isList, parseStructure } from "./json.ts";
import type { Attributes, Plain } from "./model.ts";

/** A non-empty text, trimmed; numbers that were sent as ids become text. */
export function textValue(value: Plain | undefined): string | undefined {
	if (typeof value === "string") {
		const text = value.trim();
		return text === "" ? undefined : text;
	}
	return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

/** A count: an integer from 0 to 2^53, also when it was sent as text, double or bigint. */
export function countValue(value: Plain | undefined): number | undefined {
	if (typeof value === "number") {
		if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return Math.trunc(value);
		return undefined;
	}
	if (typeof value === "bigint") return countValue(Number(value));
	if (typeof value === "string" && value !== "" && value.length < 20) return countValue(Number(value));
	return undefined;
}

/** An amount of money or a score: any finite number, also when it was sent as text. */
export function amountValue(value: Plain | undefined): number | undefined {
	const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
	return typeof amount === "number" && Number.isFinite(amount) ? amount : undefined;
}

/** Texts of a list that was sent as an array, as a JSON array, or separated by commas. */
export function textList(value: Plain | undefined): string[] | undefined {
	const list = typeof value === "string" ? (parseStructure(value) ?? value.split(",")) : value;
	if (!isList(list)) return undefined;
	const texts = list.map(textValue).filter((text) => text !== undefined);
	return texts.length > 0 ? texts : undefined;
}

export function firstText(attributes: Attributes, keys: readonly string[]): string | undefined {
	for (const key of keys) {
		const value = attributes.get(key);
		if (value === undefined) continue;
		const text = textValue(value);
		if (text !== undefined) return text;
	}
	return undefined;
}

export function firstCount(attributes: Attributes, keys: readonly string[]): number | undefined {
	for (const key of keys) {
		const value = attributes.get(key);
		if (value === undefined) continue;
		const count = countValue(value);
		if (count !== undefined) return count;
	}
	return undefined;
}

export function firstAmount(attributes: Attributes, keys: readonly string[]): number | undefined {
	for (const key of keys) {
		const value = attributes.get(key);
		if (value === undefined) continue;
		const amount = amountValue(value);
		if (amount !== undefined) return amount;
	}
	return undefined;
}

/** The first of the keys that was sent, with its value. */
export function firstSent(attributes: Attributes, keys: readonly string[]): { key: string; value: Plain } | undefined {
	for (const key of keys) {
		const value = attributes.get(key);
		if (value !== undefined && value !== null && value !== "") return { key, value };
	}
	return undefined;
}

/**
 * The entries below `prefix.N.`, in order of N, each as a map with the rest of its keys. Gaps in N are skipped.
 * `prefix.3` itself is the value of its entry under the empty key.
 */
export function indexedEntries(attributes: Attributes, prefix: string): Map<string, Plain>[] {
	const start = `${prefix}.`;
	const entries = new Map<number, Map<string, Plain>>();
	for (const [key, value] of attributes) {
		if (!key.startsWith(start)) continue;
		const dot = key.indexOf(".", start.length);
		const digits = key.slice(start.length, dot < 0 ? undefined : dot);
		if (!DIGITS.test(digits)) continue;
		const index = Number(digits);
		const entry = entries.get(index) ?? new Map<string, Plain>();
		entries.set(index, entry);
		entry.set(dot < 0 ? "" : key.slice(dot + 1), value);
	}
	return [...entries].sort((a, b) => a[0] - b[0]).map(([, entry]) => entry);
}

const DIGITS = /^\d{1,9}$/;

/** Attributes below `prefix.`, by the rest of their key; undefined when there are none. */
export function attributesBelow(attributes: Attributes, prefix: string): Map<string, Plain> | undefined {
	const start = `${prefix}.`;
	let below: Map<string, Plain> | undefined;
	for (const [key, value] of attributes) {
		if (!key.startsWith(start) || key.length === start.length) continue;
		below ??= new Map();
		below.set(key.slice(start.length), value);
	}
	return below;
}

/** A map as an object without a prototype. */
export function toObject(entries: Iterable<readonly [string, Plain]>): { [key: string]: Plain } {
	const object: { [key: string]: Plain } = Object.create(null);
	for (const [key, value] of entries) object[key] = value;
	return object;
}
