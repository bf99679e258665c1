import type { Condition } from "@spanward/filter-language";
import { type Kysely, sql } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { Caller, Keyset, TraceReader } from "#storage/traces/trace-store.ts";
import { fits, type OccurrenceFilter } from "./occurrence-filter.ts";

/** Occurrences whose spans are asked for at once. */
const STEP = 1_000;

interface Question {
	readonly projectId: number;
	readonly occurrences: OccurrenceFilter;
	readonly condition?: Condition;
	readonly text?: string;
	readonly caller: Caller;
	/** After so long, what was found until then is the answer. */
	readonly timeoutMs: number;
}

interface Matching {
	readonly spanRowIds: readonly number[];
	/** Present where time was up: the start of the last span that was looked at. */
	readonly coveredMicros?: number;
}

/** The spans of occurrences that fit a filter of spans, looked for from the newest on. */
export async function findMatching(
	db: Kysely<Tables>,
	traces: Pick<TraceReader, "listSpans">,
	{ projectId, occurrences, condition, text, caller, timeoutMs }: Question,
): Promise<Matching> {
	const begun = performance.now();
	const found: number[] = [];
	let before: Keyset | undefined;
	for (;;) {
		const step = await listNewest(db, projectId, occurrences, before);
		const last = step.at(-1);
		if (last === undefined) return { spanRowIds: found };
		let from: Keyset | undefined;
		do {
			const page = await traces.listSpans({
				...{ projectId, caller, rowIds: step.map(({ span_row_id: id }) => id), sort: "id", order: "desc", limit: STEP },
				...(condition === undefined ? {} : { condition }),
				...(text === undefined ? {} : { text }),
				...(from === undefined ? {} : { from }),
			});
			found.push(...page.items.map(({ id }) => id));
			from = page.next;
		} while (from !== undefined);
		if (step.length < STEP) return { spanRowIds: found };
		if (performance.now() - begun > timeoutMs) return { spanRowIds: found, coveredMicros: last.start_micros };
		before = { value: last.start_micros, id: last.id };
	}
}

interface Candidate {
	readonly id: number;
	readonly span_row_id: number;
	readonly start_micros: number;
}

async function listNewest(
	db: Kysely<Tables>,
	projectId: number,
	filter: OccurrenceFilter,
	before: Keyset | undefined,
): Promise<Candidate[]> {
	const isBefore =
		before === undefined
			? sql<boolean>`true`
			: sql<boolean>`(start_micros < ${before.value} or (start_micros = ${before.value} and id < ${before.id}))`;
	const { rows } = await sql<Candidate>`
		select id, span_row_id, start_micros
		from error_occurrences as occurrence
		where project_id = ${projectId} and ${fits(filter)} and ${isBefore}
		order by start_micros desc, id desc
		limit ${STEP}`.execute(db);
	return rows;
}
