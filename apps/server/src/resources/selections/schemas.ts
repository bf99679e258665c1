import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { escapeFormulasParam } from "#http/csv-line.ts";
import { repeated, textParam } from "#http/query-params.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import { sessionFilters } from "../sessions/schemas.ts";
import { spanFilters, spanKindFilter } from "../spans/schemas.ts";
import { traceFilters } from "../traces/schemas.ts";

/** The most ids in a selection. */
export const MAX_IDS = 1_000;

const count = z.int();

export const selectionKind = z.enum(["span", "trace", "session"]).describe("Which list the selection is from.");

/** All filters of the lists of spans, traces and sessions; those of the same name mean the same. */
const filters = {
	...sessionFilters,
	...traceFilters,
	...spanFilters,
	...spanKindFilter,
	start_time: spanFilters.start_time.describe("Inclusive, on the start of the span, trace or session."),
	end_time: spanFilters.end_time.describe("Exclusive, on the start of the span, trace or session."),
};

export type SelectionFilters = z.output<z.ZodObject<typeof filters>>;

const OF_KIND: Readonly<Record<EntityKind, ReadonlySet<string>>> = {
	span: new Set(Object.keys({ ...spanFilters, ...spanKindFilter })),
	trace: new Set(Object.keys(traceFilters)),
	session: new Set(Object.keys(sessionFilters)),
};

const ids = z.array(textParam).min(1).max(MAX_IDS);

/** Query parameters that select like a list: by ids, or by the list's filters. */
export const SelectionQuery = z.object({
	kind: selectionKind,
	id: repeated(textParam).describe(`Ids as they were sent, or global ids; at most ${MAX_IDS}, and no filter then.`),
	...filters,
});

export const DownloadQuery = SelectionQuery.extend({
	format: z
		.enum(["otlp", "ndjson", "csv"])
		.describe("OTLP/JSON as `POST /v1/traces` takes it, a span as JSON a line, or a table."),
	escape_formulas: escapeFormulasParam,
});

/** The filters of a list in the body of a request. */
export const listFilters = z
	.strictObject(filters)
	.describe("Query parameters of the list, such as `filter`, `q` and `start_time`; `{}` selects everything.");

/** A selection in the body of a request. */
export const SelectionBody = z
	.union([
		z.strictObject({ ids: ids.describe("Ids as they were sent, or global ids.") }),
		z.strictObject({ filter: listFilters }),
	])
	.meta({ id: "Selection" });

/**
 * @param given names of filters in a request
 * @throws UserError 422 for filters that the list does not have, so that they are not silently ignored
 */
export function assertFiltersOf(kind: EntityKind, given: Readonly<Record<string, unknown>>): void {
	const known = OF_KIND[kind];
	const unknown = Object.keys(given).filter((name) => given[name] !== undefined && !known.has(name));
	if (unknown.length === 0) return;
	throw new UserError(
		422,
		"unknown_filter",
		`The list of ${kind}s has no filter ${unknown.map((name) => `'${name.slice(0, 100)}'`).join(", ")}.`,
	);
}

export const SelectionSummary = z
	.object({
		kind: selectionKind,
		item_count: count.describe("Spans, traces or sessions that are selected."),
		trace_count: count.nullable().describe("Traces in them; null for spans."),
		span_count: count,
		annotation_count: count.describe("Of the items, and of their traces, spans and documents."),
		log_record_count: count,
		is_complete: z.boolean().describe("False when counting took too long: there are more."),
	})
	.meta({ id: "SelectionSummary" });
