import { readFileSync } from "node:fs";

/**
 * The bundled prices, as `scripts/build-price-table.py` writes them from the PyPI package genai-prices (MIT; the file
 * carries its version, date and licence).
 */
export interface PriceTable {
	readonly source: string;
	/** Day on which the table was built. */
	readonly date: string;
	readonly providers: readonly Provider[];
}

export interface Provider {
	readonly id: string;
	/** Whether a provider's name means this one. */
	readonly provider?: Rule;
	/** Whether a model's name alone means this one. */
	readonly model?: Rule;
	/** Providers whose models this one offers too. */
	readonly fallback?: readonly string[];
	readonly models: readonly PricedModel[];
}

export interface PricedModel {
	readonly id: string;
	readonly match: Rule;
	/** The last one that is in force counts, else the first. */
	readonly prices: readonly ModelPrices[];
}

/** US dollars per million tokens. */
export interface ModelPrices {
	/** In force since this day, UTC. */
	readonly from?: string;
	/** In force between these seconds of the day, UTC; the end may be after midnight. */
	readonly between?: readonly [number, number];
	readonly input?: Price;
	readonly output?: Price;
	readonly cache_read?: Price;
	readonly cache_write?: Price;
	readonly reasoning?: Price;
}

/** A price, or one that changes for the whole call when it has more than so many input tokens: `[base, [200000, price]]`. */
export type Price = number | readonly [number, ...(readonly [number, number])[]];

export type Rule =
	| readonly ["=" | "^" | "$" | "~" | "/", string]
	| readonly ["|", ...Rule[]]
	| readonly ["&", ...Rule[]];

export function readPriceTable(): PriceTable {
	return JSON.parse(readFileSync(new URL("./generated/price-table.json", import.meta.url), "utf8")) as PriceTable;
}

/** The rule as a function on lower-case names. Regular expressions are compiled once. */
export function compileRule(rule: Rule): (name: string) => boolean {
	const [sign, ...parts] = rule;
	if (sign === "|" || sign === "&") {
		const rules = (parts as Rule[]).map(compileRule);
		return sign === "|"
			? (name) => rules.some((matches) => matches(name))
			: (name) => rules.every((matches) => matches(name));
	}
	const text = String(parts[0]);
	switch (sign) {
		case "=":
			return (name) => name === text;
		case "^":
			return (name) => name.startsWith(text);
		case "$":
			return (name) => name.endsWith(text);
		case "~":
			return (name) => name.includes(text);
		case "/": {
			const pattern = new RegExp(text);
			return (name) => pattern.test(name);
		}
	}
}
