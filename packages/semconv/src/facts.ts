import { CONVENTION_KEYS, conventionOf, READERS } from "./conventions/convention-of.ts";
import { DEPLOYMENT_KEYS, RESOURCE_DEPLOYMENT_KEYS, readDeployment } from "./deployment.ts";
import type { Attributes, SpanFacts } from "./model.ts";

/** The attribute keys that `readFacts` reads, which ingest therefore has to decode. */
export const FACT_KEYS: readonly string[] = [
	...new Set([...CONVENTION_KEYS, ...DEPLOYMENT_KEYS, ...Object.values(READERS).flatMap((reader) => reader.factKeys)]),
];

/** The same of its resource. */
export const RESOURCE_FACT_KEYS = RESOURCE_DEPLOYMENT_KEYS;

const NO_ATTRIBUTES: Attributes = new Map();

/**
 * The version of what `readFacts` and `readTexts` read, from 0 to 255. It grows with each change after which they read
 * something else of the same attributes; rows that were made by a former one are then made anew.
 */
export const READING = 3;

/**
 * Kind, model, tokens, cost, session, user, release and environment of a span, from its attributes of `FACT_KEYS` and
 * those of its resource of `RESOURCE_FACT_KEYS` alone. Never throws.
 */
export function readFacts(
	name: string,
	scopeName: string,
	attributes: Attributes,
	resource: Attributes = NO_ATTRIBUTES,
): SpanFacts {
	const convention = conventionOf(attributes);
	const facts = READERS[convention].readFacts(name, scopeName, attributes, convention);
	return readDeployment(attributes, resource, facts);
}
