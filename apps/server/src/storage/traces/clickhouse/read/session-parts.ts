import { READING } from "@spanward/semconv";
import { pickColumns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { TOTALS_COLUMNS } from "#storage/traces/totals/totals-columns.ts";
import { withTotalsOf } from "../readings/renew-traces.ts";
import { SESSIONS, type SessionRow, TRACES } from "../tables.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { findRows, selectByKey, type Where } from "./query.ts";
import { PLACE, type SessionWithTotals } from "./session-totals.ts";
import { findTracesOfSessions } from "./trace-rows.ts";

/*
 * Sessions with traces on several shards: each shard adds up those that it has, and here these sums are added up.
 */

const { start_micros, start_nanos, end_micros, end_nanos, anchor_micros, trace_id, user_id, reading } = TRACES.columns;
const PART = {
	session: types.Integer,
	trace_count: types.Integer,
	...pickColumns(TRACES.columns, TOTALS_COLUMNS),
	...{ start_micros, start_nanos, end_micros, end_nanos, user_id },
	...{ first_anchor: anchor_micros, first_trace: trace_id },
	...{ last_micros: start_micros, last_nanos: start_nanos, last_anchor: anchor_micros, last_trace: trace_id },
	reading,
} as const;
/** What one shard has of a session, or all of them. */
type SessionPart = RowOf<typeof PART>;

const SUMMED = ["trace_count", ...TOTALS_COLUMNS] as const;

/** The rows of these sessions with the totals of their traces. */
export async function findWithTotals(shards: ShardReader, rowIds: readonly number[]): Promise<SessionWithTotals[]> {
	return await inParts(rowIds, async (ids) => {
		const where = new Conditions().addIn("id", "Int64", ids);
		return await readParts(findRows(shards, SESSIONS, where), partsOf(shards, ids));
	});
}

/** So many traces are read with what they show, which is most of a row. */
const MOST_WITH_TEXTS = 2_000;

/**
 * Sessions with the totals of their traces; with the traces, too, where all of them are no more than `mostTraces`.
 * @param rowIds of the sessions that are being read, and maybe of others
 */
export async function addTotals(
	shards: ShardReader,
	rowIds: readonly number[],
	sessionsFound: Promise<readonly SessionRow[]>,
	mostTraces = 0,
): Promise<readonly SessionWithTotals[]> {
	const [sessions, found] = await Promise.all([sessionsFound, findTraces(shards, rowIds, mostTraces)]);
	if (found === undefined)
		return await inParts(sessions, (part) =>
			readParts(
				Promise.resolve(part),
				partsOf(
					shards,
					part.map(({ id }) => id),
				),
			),
		);
	const bySession = Map.groupBy(found.traces, ({ session_row_id }) => session_row_id);
	return sessions.map((session) => {
		const own = bySession.get(session.id) ?? [];
		return { ...withTotalsOf(withPart(session, undefined), own), traces: own, hasTexts: found.hasTexts };
	});
}

/** All traces of these sessions; undefined where they are more than so many. */
async function findTraces(shards: ShardReader, sessionRowIds: readonly number[], most: number) {
	for (const texts of ["with", "without"] as const) {
		const atMost = texts === "with" ? Math.min(most, MOST_WITH_TEXTS) : most;
		if (atMost === 0) return undefined;
		const traces = await findTracesOfSessions(shards, sessionRowIds, { most: atMost, texts });
		if (traces.length <= atMost) return { traces, hasTexts: texts === "with" };
	}
	return undefined;
}

/** Of all traces of these sessions, which lie here and there. */
function partsOf(shards: ShardReader, rowIds: readonly number[]): Promise<SessionPart[]> {
	const where = new Conditions().addIn("session_row_id", "Int64", rowIds);
	const lie = `prewhere (project_id, anchor_micros) in (select project_id, anchor_micros from traces where ${where.sql})`;
	return selectParts(shards, where, lie);
}

/** Rows of sessions that fulfil a condition, with the totals of their traces, which fulfil another one. */
export async function readWithTotals(
	shards: ShardReader,
	where: { readonly sessions: Where; readonly traces: Where },
): Promise<SessionWithTotals[]> {
	return await readParts(findRows(shards, SESSIONS, where.sessions), selectParts(shards, where.traces));
}

async function readParts(
	sessionsFound: Promise<readonly SessionRow[]>,
	partsFound: Promise<readonly SessionPart[]>,
): Promise<SessionWithTotals[]> {
	const [sessions, parts] = await Promise.all([sessionsFound, partsFound]);
	const sums = new Map<number, SessionPart>();
	for (const part of parts) {
		const before = sums.get(part.session);
		sums.set(part.session, before === undefined ? part : plus(before, part));
	}
	return sessions.map((session) => withPart(session, sums.get(session.id)));
}

/** @param lie says where the traces lie, before they are read */
async function selectParts(shards: ShardReader, { sql, params }: Where, lie = ""): Promise<SessionPart[]> {
	const sums = TOTALS_COLUMNS.map((column) => `sum(${column}) as ${column}_sum`);
	return await selectByKey(
		shards,
		`select session, traces as trace_count, ${TOTALS_COLUMNS.map((column) => `${column}_sum as ${column}`).join(", ")},
			started.1 as start_micros, started.2 as start_nanos, ended.1 as end_micros, ended.2 as end_nanos,
			first.1 as user_id, first.2 as first_anchor, first.3 as first_trace,
			last.1 as last_micros, last.2 as last_nanos, last.3 as last_anchor, last.4 as last_trace,
			lowest as reading
		from (
			select assumeNotNull(session_row_id) as session, toInt64(count()) as traces, ${sums.join(", ")},
				min((start_micros, start_nanos)) as started, max((end_micros, end_nanos)) as ended,
				argMin(tuple(user_id, anchor_micros, trace_id), ${PLACE}) as first,
				argMax(tuple(start_micros, start_nanos, anchor_micros, trace_id), ${PLACE}) as last,
				min(reading) as lowest
			from traces final ${lie} where session_row_id is not null and ${sql} group by session
		)`,
		PART,
		params,
	);
}

function plus(a: SessionPart, b: SessionPart): SessionPart {
	const sums = Object.fromEntries(SUMMED.map((column) => [column, a[column] + b[column]]));
	const first = compare(placeOfFirst(a), placeOfFirst(b)) <= 0 ? a : b;
	const last = compare(placeOfLast(a), placeOfLast(b)) >= 0 ? a : b;
	const end = a.end_micros - b.end_micros || a.end_nanos - b.end_nanos;
	const { end_micros, end_nanos } = end >= 0 ? a : b;
	const { last_micros, last_nanos, last_anchor, last_trace } = last;
	const reading = Math.min(a.reading, b.reading);
	return { ...first, ...sums, end_micros, end_nanos, last_micros, last_nanos, last_anchor, last_trace, reading };
}

type Place = readonly [micros: number, nanos: number, traceId: Buffer];

function placeOfFirst({ start_micros, start_nanos, first_trace }: SessionPart): Place {
	return [start_micros, start_nanos, first_trace];
}

function placeOfLast({ last_micros, last_nanos, last_trace }: SessionPart): Place {
	return [last_micros, last_nanos, last_trace];
}

function compare(a: Place, b: Place): number {
	return a[0] - b[0] || a[1] - b[1] || Buffer.compare(a[2], b[2]);
}

const NO_TRACES = {
	...{ trace_count: 0, span_count: 0, running_count: 0, error_count: 0, costed_spans: 0 },
	...{ tokens_prompt: 0, tokens_completion: 0, tokens_total: 0, cost_micro: 0, cost_pico: 0 },
	...{ user_id: null, first_anchor: 0, last_anchor: 0 },
	...{ first_trace: Buffer.alloc(16), last_trace: Buffer.alloc(16) },
	reading: READING,
} as const;

/** One without traces has the times that it had. */
function withPart(session: SessionRow, part: SessionPart | undefined): SessionWithTotals {
	const { project_id, session_id, id, start_micros, start_nanos, end_micros, end_nanos } = session;
	const own = { ...NO_TRACES, start_micros, start_nanos, end_micros, end_nanos };
	return { ...own, ...part, project_id, session_id, id };
}
