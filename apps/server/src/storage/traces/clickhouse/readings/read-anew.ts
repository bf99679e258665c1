import { decodeResource, decodeScope, decodeSpan, OtlpDecodeError, toPlainMap } from "@spanward/otlp";
import { READING, readFacts, type SpanFacts } from "@spanward/semconv";
import { COST_SENT, type PriceSpan } from "#storage/traces/mutate/price-rows.ts";
import { flagsOf, isAggregate, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import type { SpanRow } from "../tables.ts";
import { UNKNOWN_TEXTS } from "../texts.ts";
import { costColumns, factColumns } from "../write/span-rows.ts";

/** With these, a span costs what it did. */
const PRICED_BY = [
	...(["model", "provider", "tokens_prompt", "tokens_completion", "tokens_total"] as const),
	...(["tokens_cache_read", "tokens_cache_write", "tokens_reasoning"] as const),
] as const;

/**
 * The row of a span as the current reading makes it of its content. Its cost stays unless one was sent, or it follows from
 * something else now.
 * @param content undefined where it is gone: no reading tells more then, nor where it is damaged
 */
export function readAnew(row: SpanRow, content: SpanContent | undefined, priceOf: PriceSpan): SpanRow {
	const facts = content && factsIn(row, content);
	if (facts === undefined) return { ...row, reading: READING };
	const cost = priceOf(facts, row.start_micros);
	const read = { ...row, ...factColumns(facts), texts: UNKNOWN_TEXTS, reading: READING };
	const isPricedAsBefore =
		cost?.source !== "sent" &&
		row.cost_source !== COST_SENT &&
		isAggregate(row.flags) === facts.tokens_are_aggregate &&
		PRICED_BY.every((column) => read[column] === row[column]);
	const priced = isPricedAsBefore ? read : { ...read, ...costColumns(cost) };
	return { ...priced, flags: flagsOf({ ...nodeOfRow(priced), aggregate: facts.tokens_are_aggregate }) };
}

function factsIn({ name }: SpanRow, { span, scope, resource }: SpanContent): SpanFacts | undefined {
	try {
		return readFacts(
			name,
			decodeScope(scope).name,
			toPlainMap(decodeSpan(span).attributes),
			toPlainMap(decodeResource(resource).attributes),
		);
	} catch (error) {
		if (error instanceof OtlpDecodeError) return undefined;
		throw error;
	}
}
