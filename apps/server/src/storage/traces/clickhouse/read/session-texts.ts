import { type Columns, types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { toSessionSummary } from "#storage/traces/rows/session-summaries.ts";
import type { SessionSummary } from "#storage/traces/trace-store.ts";
import { TRACES } from "../tables.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { selectFinal } from "./query.ts";
import type { SessionWithTotals } from "./session-totals.ts";
import { textsOf } from "./trace-rows.ts";

const { trace_id, input_span, output_span, first_input, last_output } = TRACES.columns;
const COLUMNS = {
	session: types.Integer,
	trace_id,
	input_span,
	output_span,
	first_input,
	last_output,
} satisfies Columns;

/** What lists show of sessions: with the first input of their first trace and the last output of the last. */
export async function withTexts(shard: ShardReader, rows: readonly SessionWithTotals[]): Promise<SessionSummary[]> {
	const wanted = rows.filter(({ trace_count }) => trace_count > 0);
	const found = await inParts(wanted, (part) => readTexts(shard, part));
	const traces = new Map(found.map((trace) => [keyOf(trace.session, trace.trace_id), trace]));
	return rows.map((row) => {
		const [first, last] = [row.first_trace, row.last_trace].map((id) => traces.get(keyOf(row.id, id)));
		const shown = {
			...{ input_span: first?.input_span ?? null, first_input: first?.first_input ?? null },
			...{ output_span: last?.output_span ?? null, last_output: last?.last_output ?? null },
		};
		return toSessionSummary({ ...row, ...shown }, textsOf(shown));
	});
}

async function readTexts(shard: ShardReader, sessions: readonly SessionWithTotals[]) {
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
		`select assumeNotNull(session_row_id) as session, trace_id, input_span, output_span, first_input, last_output
		from traces where ${where.sql}`,
		COLUMNS,
		where.params,
	);
}

function keyOf(session: number, traceId: Buffer): string {
	return `${session} ${traceId.toString("hex")}`;
}
