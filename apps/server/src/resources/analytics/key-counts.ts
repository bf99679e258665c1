import type { z } from "zod";
import type { AttributeKey } from "./facet-schemas.ts";

type Key = z.output<typeof AttributeKey>;
type Place = Key["in"];
type KeyType = Key["types"][number];

/** Longer keys are not offered: nobody picks them. */
const MAX_KEY_LENGTH = 200;
const MOST_KEYS = 500;
/** Different keys that are counted. */
const MOST_COUNTED = 20_000;

/** Counts in how many rows keys are, and which types their values have. */
export class KeyCounts {
	readonly #prefix: string;
	readonly #keys = new Map<
		string,
		{ readonly place: Place; readonly key: string; types: Set<KeyType>; rows: number }
	>();

	/** @param prefix what the keys begin with, in any case */
	constructor(prefix = "") {
		this.#prefix = prefix.toLowerCase();
	}

	/** Counts a key of one row, unless it has an index of a list (`….0.…`). */
	addValue(place: Place, key: string, value: unknown): void {
		if (!/\.\d+(?:\.|$)/.test(key)) this.add(place, key, [typeOf(value)], 1);
	}

	add(place: Place, key: string, types: readonly KeyType[], rows: number): void {
		if (key.length > MAX_KEY_LENGTH || !key.toLowerCase().startsWith(this.#prefix)) return;
		const name = `${place} ${key}`;
		const counted = this.#keys.get(name) ?? { place, key, types: new Set(), rows: 0 };
		if (counted.rows === 0 && this.#keys.size >= MOST_COUNTED) return;
		counted.rows += rows;
		for (const type of types) counted.types.add(type);
		this.#keys.set(name, counted);
	}

	/** The most frequent keys first. @param rows how many there are */
	top(rows: number): Key[] {
		return [...this.#keys.values()]
			.sort((a, b) => b.rows - a.rows || (a.key < b.key ? -1 : Number(a.key > b.key)))
			.slice(0, MOST_KEYS)
			.map(({ place, key, types, rows: having }) => ({ key, in: place, types: [...types], share: having / rows }));
	}
}

function typeOf(value: unknown): KeyType {
	if (typeof value === "string" || typeof value === "boolean" || typeof value === "number")
		return typeof value as KeyType;
	// Integers beyond 2^53.
	return typeof value === "object" && value !== null && JSON.isRawJSON(value) ? "number" : "list";
}
