import { createRequire } from "node:module";
import { FoundNames } from "./found-names.ts";
import type { ModelPrices } from "./price-table.ts";

export type PriceMatch = "exact" | "prefix" | "suffix" | "contains" | "regex";

/** US dollars per million tokens. */
export type OwnModelPrices = { readonly [Kind in PriceKind]?: number };
export type PriceKind = Exclude<keyof ModelPrices, "from" | "between">;

/** A price that an admin has set. */
export interface OwnPrice {
	readonly id: number;
	readonly match: PriceMatch;
	/** In lower case, unless it is a regular expression. */
	readonly pattern: string;
	/** In lower case, with `-` for `_`; null for any provider. */
	readonly provider: string | null;
	/** In force from this time on, microseconds since 1970; null for always. */
	readonly startsAt: number | null;
	readonly prices: OwnModelPrices;
}

/** Instructions of a compiled regular expression; matching takes at most as many steps per character. */
const MAX_PROGRAM = 500;

/** What is wrong with a regular expression; undefined when it is right. */
export function regexProblem(pattern: string): string | undefined {
	try {
		const size = compileRegex(pattern).programSize();
		return size > MAX_PROGRAM ? "the regular expression is too large" : undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/**
 * RE2 matches in time linear in the text: no pattern can hold up receiving. Loaded only when needed, as it takes 3 MB
 * in every thread.
 */
function compileRegex(pattern: string) {
	const { RE2JS } = createRequire(import.meta.url)("re2js") as typeof import("re2js");
	return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
}

/** How providers are compared: OpenTelemetry writes `aws_bedrock` where others write `aws-bedrock`. */
export function providerKey(provider: string): string {
	return provider.trim().toLowerCase().replaceAll("_", "-");
}

interface CompiledPrice extends OwnPrice {
	readonly matches: (name: string) => boolean;
}

/** Finds own prices; the most specific one that is in force counts. */
export class OwnPriceFinder {
	readonly #prices: readonly CompiledPrice[];
	readonly #found = new FoundNames<readonly OwnPrice[]>([]);

	constructor(prices: readonly OwnPrice[]) {
		this.#prices = prices.map((price) => ({ ...price, matches: compileMatch(price) })).sort(compareBySpecificity);
	}

	/** The most specific price of a model that is in force; names as sent. */
	find(provider: string | undefined, model: string, micros: number): OwnPrice | undefined {
		if (this.#prices.length === 0) return undefined;
		return this.#found
			.get(provider, model, () => this.#search(provider, model.toLowerCase()))
			.find(({ startsAt }) => startsAt === null || startsAt <= micros);
	}

	#search(provider: string | undefined, model: string): readonly OwnPrice[] {
		const key = provider === undefined ? undefined : providerKey(provider);
		const bare = model.slice(model.lastIndexOf("/") + 1);
		return this.#prices.filter(
			(price) => (price.provider === null || price.provider === key) && (price.matches(model) || price.matches(bare)),
		);
	}
}

const RANKS: Readonly<Record<PriceMatch, number>> = { exact: 0, prefix: 1, suffix: 1, contains: 1, regex: 2 };

/**
 * Sorts a named provider first, then exact names, parts of names, regular expressions, then longer names, then later
 * starts.
 */
function compareBySpecificity(a: OwnPrice, b: OwnPrice): number {
	return (
		Number(a.provider === null) - Number(b.provider === null) ||
		RANKS[a.match] - RANKS[b.match] ||
		b.pattern.length - a.pattern.length ||
		(b.startsAt ?? 0) - (a.startsAt ?? 0) ||
		b.id - a.id
	);
}

function compileMatch({ match, pattern }: OwnPrice): (name: string) => boolean {
	switch (match) {
		case "exact":
			return (name) => name === pattern;
		case "prefix":
			return (name) => name.startsWith(pattern);
		case "suffix":
			return (name) => name.endsWith(pattern);
		case "contains":
			return (name) => name.includes(pattern);
		case "regex": {
			const regex = compileRegex(pattern);
			return (name) => regex.test(name);
		}
	}
}
