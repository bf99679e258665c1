import { CONVENTION_KEYS, conventionOf, READERS } from "./conventions/convention-of.ts";
import type { Attributes, SpanFacts } from "./model.ts";

/** The attribute keys that `readFacts` reads, which ingest therefore has to decode. */
export const FACT_KEYS: readonly string[] = [
	...new Set([...CONVENTION_KEYS, ...Object.values(READERS).flatMap((reader) => reader.factKeys)]),
];

/**
 * The version of what `readFacts` and `readTexts` read, from 0 to 255. It grows with each change after which they read
 * something else of the same attributes; rows that were made by a former one are then made anew.
 */
export const READING = 2;

/** Kind, model, tokens, cost, session and user of a span, from its attributes of `FACT_KEYS` alone. Never throws. */
export function readFacts(name: string, scopeName: string, attributes: Attributes): SpanFacts {
	const convention = conventionOf(attributes);
	return READERS[convention].readFacts(name, scopeName, attributes, convention);
}
