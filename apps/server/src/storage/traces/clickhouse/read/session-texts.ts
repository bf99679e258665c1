import { type Columns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { toSessionSummary } from "#storage/traces/rows/session-summaries.ts";
import type { SessionSummary } from "#storage/traces/trace-store.ts";
import { isOlder } from "../readings/older.ts";
import type { RowSources } from "../readings/renew-spans.ts";
import { renewTraces } from "../readings/renew-traces.ts";
import { TRACES } from "../tables.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { selectFinal } from "./query.ts";
import type { SessionWithTotals } from "./session-totals.ts";
import { findTraceRowsById, textsOf } from "./trace-rows.ts";

const { id, reading, trace_id, input_span, output_span, first_input, last_output } = TRACES.columns;
const COLUMNS = {
	session: types.Integer,
	id,
	reading,
	trace_id,
	input_span,
	output_span,
	first_input,
	last_output,
} satisfies Columns;

/** What lists show of sessions: with the first input of their first trace and the last output of the last. */
export async function withTexts(sources: RowSources, rows: readonly SessionWithTotals[]): Promise<SessionSummary[]> {
	const wanted = rows.filter(({ trace_count, hasTexts = false }) => trace_count > 0 && !hasTexts);
	const read = await inParts(wanted, (part) => readTexts(sources.shard, part));
	const found = [...rows.flatMap(knownTexts), ...read];
	const traces = new Map((await renewed(sources, found)).map((trace) => [keyOf(trace.session, trace.trace_id), trace]));
	return rows.map((row) => {
		const [first, last] = [row.first_trace, row.last_trace].map((id) => traces.get(keyOf(row.id, id)));
		const shown = {
			...{ input_span: first?.input_span ?? null, first_input: first?.first_input ?? null },
			...{ output_span: last?.output_span ?? null, last_output: last?.last_output ?? null },
		};
		return toSessionSummary({ ...row, ...shown }, textsOf(shown));
	});
}

type TextsOfTrace = RowOf<typeof COLUMNS>;

/** Of the first trace of a session and of the last. */
function knownTexts({ id, traces = [], hasTexts = false, first_trace, last_trace }: SessionWithTotals): TextsOfTrace[] {
	if (!hasTexts) return [];
	const shown = traces.filter(({ trace_id }) => trace_id.equals(first_trace) || trace_id.equals(last_trace));
	return shown.map((trace) => ({ ...trace, session: id }));
}

/** With the texts that the current reading chooses. */
async function renewed(sources: RowSources, traces: readonly TextsOfTrace[]): Promise<readonly TextsOfTrace[]> {
	const older = traces.filter(isOlder).map((trace) => trace.id);
	if (older.length === 0) return traces;
	const rows = await renewTraces(sources, await findTraceRowsById(sources.shard, older));
	const byNumber = new Map(rows.map((row) => [row.id, row]));
	return traces.map((trace) => ({ ...trace, ...byNumber.get(trace.id) }));
}

async function readTexts(shard: ShardReader, sessions: readonly SessionWithTotals[]): Promise<TextsOfTrace[]> {
	const where = new Conditions().addIn(
		"project_id",
		"Int64",
		sessions.map(({ project_id }) => project_id),
	);
	where.addIn(
		"anchor_micros",
		"Int64",
		sessions.flatMap(({ first_anchor, last_anchor }) => [first_anchor, last_anchor]),
	);
	where.addInHex(
		"trace_id",
		16,
		sessions.flatMap(({ first_trace, last_trace }) => [first_trace.toString("hex"), last_trace.toString("hex")]),
	);
	where.add("session_row_id is not null");
	return await selectFinal(
		shard,
		`select assumeNotNull(session_row_id) as session, id, reading, trace_id, input_span, output_span,
			first_input, last_output
		from traces where ${where.sql}`,
		COLUMNS,
		where.params,
	);
}

function keyOf(session: number, traceId: Buffer): string {
	return `${session} ${traceId.toString("hex")}`;
}
