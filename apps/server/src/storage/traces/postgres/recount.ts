import { OtlpDecodeError } from "@spanward/otlp";
import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import { storableText } from "#storage/postgres/storable-text.ts";
import { changeTrace } from "../totals/change-trace.ts";
import { exactPico, NO_COST, type SummedCost } from "../totals/cost-pico.ts";
import { type HourChange, HourChanges, type HourRow, hourOf } from "../totals/hour-changes.ts";
import { addBlobTo, type Histogram, toBlob } from "../totals/latency-histogram.ts";
import { rebuildRollup } from "../totals/rebuild.ts";
import { userOf } from "../totals/rollup.ts";
import { SessionChanges } from "../totals/session-changes.ts";
import { flagsOf, toHex } from "../totals/span-node.ts";
import { QUARTERS_OF_HOUR, type SpendChange, SpendChanges } from "../totals/spend-changes.ts";
import { SPEND_ROW_COLUMNS, type SpendRow, wrongSpend } from "../totals/spend-recount.ts";
import { SELECT_SPEND_STATE, spendStateOf } from "../totals/spend-state.ts";
import { TOTALS_COLUMNS } from "../totals/totals-columns.ts";
import { chosenOfRow, TRACE_COLUMNS, type TraceRow } from "../totals/trace-row.ts";
import type { TraceTexts } from "../totals/trace-texts.ts";
import { hasTracesInClickHouse } from "./has-traces-in-clickhouse.ts";
import { chooseStoredTexts } from "./mutate/stored-texts.ts";
import { readSpans, type TraceSpan } from "./mutate/traces.ts";

const STEP_TRACES = 200;
const STEP_SESSIONS = 1_000;
/** Before and after all times, hours and row numbers. */
const [FIRST, LAST] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/**
 * Recomputes every total from the spans and compares. The connection must be in one snapshot.
 * @yields a sentence for each total that differs
 */
export async function* recount(client: ClientBase): AsyncGenerator<string> {
	const { rows } = await client.query<{ name: string; value: string }>(SELECT_SPEND_STATE);
	const state = spendStateOf(rows);
	// With spans elsewhere the ledger is checked with them.
	const isLeftOut = state.isFilling || (await hasTracesInClickHouse(client));
	const firstOfLedger = isLeftOut ? LAST : Math.max(FIRST, state.keptFrom);
	for (const projectId of await listProjects(client)) yield* recountProject(client, projectId, firstOfLedger);
	yield* wrongSessions(client);
}

/** With those that only other rows name. */
async function listProjects(client: ClientBase): Promise<number[]> {
	const { rows } = await client.query<{ id: number }>(
		`select id from projects union select abs(project_id) from traces union select project_id from hours
		union select project_id from spend order by id`,
	);
	return rows.map(({ id }) => id);
}

/** Traces come by their start, so hours before that of the last one are complete, and need not stay in memory. */
async function* recountProject(client: ClientBase, projectId: number, firstOfLedger: number): AsyncGenerator<string> {
	const counted = { hours: new HourChanges(), spend: new SpendChanges() };
	const wrongBetween = async function* (from: number, to: number): AsyncGenerator<string> {
		const range = { projectId, from, to };
		yield* wrongHours(client, range, counted.hours.takeBefore(to));
		yield* wrongQuarters(client, range, counted.spend.takeBefore(to * QUARTERS_OF_HOUR), firstOfLedger);
	};
	let from = FIRST;
	let after: Pick<TraceRow, "start_micros" | "id"> = { start_micros: FIRST, id: FIRST };
	for (;;) {
		const rows = await listTraces(client, projectId, after);
		const last = rows.at(-1);
		if (last === undefined) break;
		after = last;
		const ids = rows.map(({ id }) => id);
		const spans = Map.groupBy(await readSpans(client, ids), (span) => span.traceRowId);
		// Traces without spans are reported elsewhere.
		for (const row of rows) yield* wrongTrace(client, counted, row, spans.get(row.id) ?? []);
		const to = hourOf(last.start_micros);
		if (to > from) yield* wrongBetween(from, to);
		from = to;
	}
	yield* wrongBetween(from, LAST);
}

/** The next traces of a project, with those that are being deleted. */
async function listTraces(
	client: ClientBase,
	projectId: number,
	after: Pick<TraceRow, "start_micros" | "id">,
): Promise<TraceRow[]> {
	const columns = ["id", ...TRACE_COLUMNS].join(", ");
	const next = "order by start_micros, id limit";
	const of = (project: string) =>
		`(select ${columns} from traces where project_id = ${project} and (start_micros, id) > ($2, $3)
			${next} ${STEP_TRACES})`;
	const { rows } = await client.query<TraceRow>(
		`${of("$1::bigint")} union all ${of("-($1::bigint)")} ${next} ${STEP_TRACES}`,
		[projectId, after.start_micros, after.id],
	);
	return rows;
}

interface Counted {
	readonly hours: HourChanges;
	readonly spend: SpendChanges;
}

async function* wrongTrace(
	client: ClientBase,
	{ hours, spend }: Counted,
	row: TraceRow,
	spans: readonly TraceSpan[],
): AsyncGenerator<string> {
	if (spans.length === 0) return;
	if (row.project_id < 0) {
		for (const { node } of spans) {
			hours.addSpan(-row.project_id, node, 1);
			spend.addSpan(-row.project_id, node, row.user_id, 1);
		}
		return;
	}
	const stored = new Map(spans.map(({ id, node }) => [id, flagsOf(node)]));
	const { rollup, changed } = rebuildRollup(spans.map(({ node }) => node));
	for (const node of changed)
		yield `span row ${node.id} has flags ${stored.get(node.id)}, not the ${flagsOf(node)} that its trace gives`;
	const user = userOf(rollup);
	for (const { node } of spans) {
		hours.addSpan(row.project_id, node, 1);
		spend.addSpan(row.project_id, node, user, 1);
	}
	const texts = await textsOf(client, row.project_id, spans, rollup.root);
	if (texts === undefined) yield `the texts of trace row ${row.id} cannot be read: a span is damaged`;
	const change = {
		id: row.id,
		projectId: row.project_id,
		traceId: toHex(row.trace_id),
		stored: undefined,
		rollup,
		texts: texts ?? chosenOfRow(row),
	};
	const sessionRowId = await findSession(client, row.project_id, rollup.session?.sessionId ?? null);
	const right = changeTrace({ hours, sessions: new SessionChanges() }, change, sessionRowId);
	for (const column of TRACE_COLUMNS) {
		if (column === "cost_micro" || column === "cost_pico") continue;
		const [is, should] = [shown(row[column]), shown(right[column])];
		if (is !== should) yield `trace row ${row.id} has ${column} ${is}, not the ${should} that its spans give`;
	}
	const [is, should] = [costOfRow(row), costOfRow(right)].map(shownCost);
	if (is !== should) yield `trace row ${row.id} has a cost of ${is}, not the ${should} that its spans give`;
}

/** Undefined when content cannot be decoded. */
async function textsOf(...args: Parameters<typeof chooseStoredTexts>): Promise<TraceTexts | undefined> {
	try {
		return await chooseStoredTexts(...args);
	} catch (error) {
		if (error instanceof OtlpDecodeError) return undefined;
		throw error;
	}
}

async function findSession(client: ClientBase, projectId: number, sessionId: string | null): Promise<number | null> {
	if (sessionId === null) return null;
	const { rows } = await client.query<{ id: number }>(
		"select id from sessions where project_id = $1 and session_id = $2",
		[projectId, sessionId],
	);
	return rows[0]?.id ?? null;
}

function costOfRow(row: Pick<TraceRow, "cost_micro" | "cost_pico">): SummedCost {
	return { micro: row.cost_micro, pico: row.cost_pico };
}

/** The same text for equal costs; beyond the exact range all are the same. */
function shownCost(cost: SummedCost): string {
	const pico = exactPico(cost);
	return pico === undefined ? "too much" : `${pico} picodollars`;
}

function shown(value: TraceRow[keyof TraceRow]): string {
	if (value instanceof Uint8Array) return toHex(value);
	return JSON.stringify(typeof value === "string" ? storableText(value) : value);
}

async function* wrongSessions(client: ClientBase): AsyncGenerator<string> {
	for (let after = FIRST; ; ) {
		const { rows } = await client.query<{ last: number | null }>(
			`select max(id) as last from (select id from sessions where id > $1 order by id limit ${STEP_SESSIONS}) as step`,
			[after],
		);
		const last = rows[0]?.last ?? null;
		if (last === null) return;
		yield* wrongSessionsBetween(client, after, last);
		after = last;
	}
}

/** Those with row numbers after `after`, up to `last`. A session without traces keeps its former times. */
async function* wrongSessionsBetween(client: ClientBase, after: number, last: number): AsyncGenerator<string> {
	const columns = ["trace_count", ...TOTALS_COLUMNS.filter((column) => !column.startsWith("cost_"))];
	const compared = (row: string) => [...columns.map((column) => `${row}.${column}`), exactCost(row)].join(", ");
	const { rows } = await client.query(
		`select to_json(sessions) as "is", to_json(sums) as should from sessions join lateral (
			select count(*) as trace_count,
				${TOTALS_COLUMNS.map((column) => `coalesce(sum(${column}), 0) as ${column}`).join(", ")},
				min(array[start_micros, start_nanos]) as first, max(array[end_micros, end_nanos]) as last
			from traces where session_row_id = sessions.id) as sums on true
		where sessions.id > $1 and sessions.id <= $2 and (
			(${compared("sessions")}) is distinct from (${compared("sums")})
			or sums.trace_count > 0 and (array[start_micros, start_nanos] <> first or array[end_micros, end_nanos] <> last))`,
		[after, last],
	);
	for (const { is, should } of rows)
		yield `a session is ${JSON.stringify(is)}, but its traces give ${JSON.stringify(should)}`;
}

/** The same as `exactPico`: null beyond the exact range. */
function exactCost(row: string): string {
	return `case when abs(${row}.cost_micro) < 9007199254740992 and abs(${row}.cost_pico) < 9007199254740992
		then ${row}.cost_micro::bigint::numeric * 1000000 + ${row}.cost_pico::bigint end`;
}

interface Hours {
	readonly projectId: number;
	readonly from: number;
	readonly to: number;
}

/**
 * The slots of one key are added up; rows that add up to nothing count as absent.
 * @param changes what the spans give; hours before `from` are of traces whose start is wrong, which is reported
 */
async function* wrongHours(
	client: ClientBase,
	{ projectId, from, to }: Hours,
	changes: readonly HourChange[],
): AsyncGenerator<string> {
	const { rows } = await client.query<HourRow>(
		"select * from hours where project_id = $1 and hour >= $2 and hour < $3",
		[projectId, from, to],
	);
	const stored = new Map<string, { sums: number[]; cost: SummedCost; latency: Histogram }>();
	for (const row of rows) {
		const key = keyOf(row.project_id, row.hour, row.kind, row.model);
		const found = stored.get(key) ?? { sums: [0, 0, 0, 0, 0, 0, 0], cost: NO_COST, latency: new Map() };
		const { trace_count, span_count, running_count, error_count, tokens_prompt, tokens_completion, tokens_total } = row;
		const sums = [trace_count, span_count, running_count, error_count, tokens_prompt, tokens_completion, tokens_total];
		addBlobTo(found.latency, row.latency);
		stored.set(key, {
			sums: sums.map((sum, index) => sum + present(found.sums[index], "a sum of an hour")),
			cost: { micro: found.cost.micro + row.cost_micro, pico: found.cost.pico + row.cost_pico },
			latency: found.latency,
		});
	}
	const right = new Map(
		changes.flatMap(({ hour, kind, model, traces, totals, latency }) => {
			if (hour < from) return [];
			const { spans, running, errors, prompt, completion, total, costMicro: micro, costPico: pico } = totals;
			const sums = [traces, spans, running, errors, prompt, completion, total];
			return [[keyOf(projectId, hour, kind, storableText(model)), { sums, cost: { micro, pico }, latency }] as const];
		}),
	);
	for (const key of new Set([...stored.keys(), ...right.keys()])) {
		const [is, should] = [describe(stored.get(key)), describe(right.get(key))];
		if (is !== should) yield `the hour ${key} has ${is}, not the ${should} that its spans give`;
	}
}

/** As {@link wrongHours}, of what the ledger says. @param firstOfLedger the first quarter that it has to have */
async function* wrongQuarters(
	client: ClientBase,
	{ projectId, from, to }: Hours,
	changes: readonly SpendChange[],
	firstOfLedger: number,
): AsyncGenerator<string> {
	const first = Math.max(from * QUARTERS_OF_HOUR, firstOfLedger);
	const end = Math.min(to * QUARTERS_OF_HOUR, LAST);
	if (first >= end) return;
	const { rows } = await client.query<SpendRow>(
		`select ${SPEND_ROW_COLUMNS} from spend where project_id = $1 and quarter >= $2 and quarter < $3
			and (tokens <> 0 or cost_micro <> 0 or cost_pico <> 0)`,
		[projectId, first, end],
	);
	const within = changes.filter(({ quarter }) => quarter >= first);
	yield* wrongSpend(within, projectId, rows);
}

function keyOf(projectId: number, hour: number, kind: number, model: string): string {
	return JSON.stringify({ project: projectId, hour, kind, model });
}

function describe(
	totals: { readonly sums: readonly number[]; readonly cost: SummedCost; readonly latency: Histogram } | undefined,
): string {
	if (totals === undefined) return "nothing";
	const isEmpty = totals.latency.size === 0 && totals.sums.every((sum) => sum === 0) && exactPico(totals.cost) === 0n;
	return isEmpty ? "nothing" : `${totals.sums.join(" ")} ${shownCost(totals.cost)} ${toHex(toBlob(totals.latency))}`;
}
