import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import { exactPico } from "#storage/traces/totals/cost-pico.ts";
import { rebuildRollup } from "#storage/traces/totals/rebuild.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import { flagsOf, nodeOfRow, type SpanNode } from "#storage/traces/totals/span-node.ts";
import { chooseTexts } from "#storage/traces/totals/trace-texts.ts";
import { findRows } from "../read/query.ts";
import { findSpanRows } from "../read/span-rows.ts";
import { inTraces } from "../read/trace-rows.ts";
import { isOlder, lowestReading } from "../readings/older.ts";
import { type SpanRow, TRACES, type TraceRow } from "../tables.ts";
import type { ChosenTexts } from "../write/text-chooser.ts";
import { traceRow } from "../write/trace-row.ts";
import { checkContents, type ReadContent } from "./check-contents.ts";
import type { Damage, Looked, Scope } from "./damage.ts";
import type { OpenBatches } from "./open-batches.ts";
import { listProjects, type TimeWindow, windowsOf } from "./windows.ts";

/** Traces that are read at a time, and their spans, unless one trace has more. */
const MOST_TRACES = 500;
const MOST_SPANS = 5_000;
/** How often a trace is looked at again that differs from its spans and changes meanwhile. */
const TRIES = 5;

/** What a check of traces or hours needs. */
export interface Checking {
	readonly shard: Shard;
	/** All of them, that one too: a log record that came before its trace may be on another one. */
	readonly shards: ShardReader;
	readonly batches: OpenBatches;
	/** Told of something that changed each time it was looked at, and was not compared. */
	readonly leaveOut: () => void;
	readonly scope?: Scope;
}

/** Decodes the contents of all spans of all traces, and computes the rows of the traces anew from them. */
export async function* wrongTraces(checking: Checking): AsyncGenerator<Looked> {
	for (const projectId of await listProjects(checking.shard, ["traces"])) yield* wrongTracesOf(checking, projectId);
}

/** As {@link wrongTraces}, of one project. */
export async function* wrongTracesOf(checking: Checking, projectId: number): AsyncGenerator<Looked> {
	const { shard, scope } = checking;
	for await (const window of windowsOf(shard, projectId, [["traces", "anchor_micros"]], MOST_TRACES, scope))
		for await (const rows of tracesIn(shard, window)) {
			yield* wrongOnes(checking, rows);
			yield { kind: "looked", count: rows.length };
		}
}

async function* tracesIn(shard: Shard, { projectId, from, to }: TimeWindow): AsyncGenerator<TraceRow[]> {
	for (let after = { anchor_micros: from, id: Number.MIN_SAFE_INTEGER }; ; ) {
		const rows = await findRows(
			shard,
			TRACES,
			{
				sql: `project_id = {project:Int64} and anchor_micros >= {from:Int64} and anchor_micros < {to:Int64}
					and (anchor_micros, id) > ({from:Int64}, {id:Int64})`,
				params: { project: projectId, from: after.anchor_micros, to, id: after.id },
			},
			`order by anchor_micros, id limit ${MOST_TRACES}`,
		);
		yield* readTogether(rows);
		const last = rows.at(-1);
		if (last === undefined || rows.length < MOST_TRACES) return;
		after = last;
	}
}

/** Traces whose spans are read at once. */
function* readTogether(rows: readonly TraceRow[]): Generator<TraceRow[]> {
	let part: TraceRow[] = [];
	let spans = 0;
	for (const row of rows) {
		if (part.length > 0 && spans + row.span_count > MOST_SPANS) {
			yield part;
			part = [];
			spans = 0;
		}
		part.push(row);
		spans += row.span_count;
	}
	if (part.length > 0) yield part;
}

async function* wrongOnes(checking: Checking, rows: readonly TraceRow[]): AsyncGenerator<Damage> {
	const { shard, batches, leaveOut } = checking;
	let wrong = await findWrong(checking, rows);
	for (let tries = 0; wrong.length > 0; tries += 1) {
		await batches.settle();
		const before = new Map(wrong.map(({ row }) => [row.id, row.version]));
		const ids = wrong.map(({ row }) => row.id);
		const again = await findRows(shard, TRACES, { sql: "id in {ids:Array(Int64)}", params: { ids } });
		const [still, changed] = split(await findWrong(checking, again), ({ row }) => before.get(row.id) === row.version);
		for (const { defects } of still) yield* defects;
		if (tries < TRIES) wrong = changed;
		else {
			for (const _ of changed) leaveOut();
			return;
		}
	}
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
	return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

interface WrongTrace {
	readonly row: TraceRow;
	readonly defects: readonly Damage[];
}

async function findWrong({ shard, shards }: Checking, rows: readonly TraceRow[]): Promise<WrongTrace[]> {
	if (rows.length === 0) return [];
	const spans = await findSpanRows(shard, inTraces(rows));
	const contents = await checkContents({ shard, shards }, spans);
	const byTrace = Map.groupBy(spans, ({ trace_row_id }) => trace_row_id);
	return rows.flatMap((row) => {
		// Others belong to no trace, which is reported elsewhere.
		const own = (byTrace.get(row.id) ?? []).filter(
			({ project_id, trace_id }) => project_id === row.project_id && trace_id.equals(row.trace_id),
		);
		const defects = defectsOf(row, own, contents);
		return defects.length === 0 ? [] : [{ row, defects }];
	});
}

/** What is wrong with the row of a trace, and with what rows of its spans say. */
export function defectsOf(
	row: TraceRow,
	spans: readonly SpanRow[],
	contents: ReadonlyMap<number, ReadContent>,
): Damage[] {
	const { project_id: projectId, trace_id } = row;
	const traceId = trace_id.toString("hex");
	const ofContents = spans.flatMap(({ id }) => contents.get(id)?.wrong ?? []);
	return [
		...ofContents.map(
			({ says, isLost }): Damage => (isLost ? { kind: "lost", says } : { kind: "trace", projectId, traceId, says }),
		),
		...[...wrongTrace(row, spans, contents)].map((says): Damage => ({ kind: "trace", projectId, traceId, says })),
	];
}

function* wrongTrace(
	row: TraceRow,
	spans: readonly SpanRow[],
	contents: ReadonlyMap<number, ReadContent>,
): Generator<string> {
	if (spans.length === 0) {
		yield `trace row ${row.id} has no spans`;
		return;
	}
	const nodes = spans.map(nodeOfRow);
	const { rollup } = rebuildRollup(nodes);
	const flags = new Map(nodes.map((node) => [node.id, flagsOf(node)]));
	for (const { id, flags: is } of spans)
		if (is !== flags.get(id)) yield `span row ${id} has flags ${is}, not the ${flags.get(id)} that its trace gives`;
	const right = traceRow({
		...{ place: row, rollup, nodes },
		written: { ...row, reading: lowestReading(spans) },
		anchor: Math.max(row.anchor_micros, rollup.startMicros),
		// Those of a former reading are what they were.
		texts: isOlder(row) ? chosenTexts(row) : textsOf(rollup.root, nodes, contents),
		// Whether that is the right one is checked elsewhere.
		sessionRowId: rollup.session === undefined ? null : (row.session_row_id ?? 0),
	});
	for (const column of COMPARED) {
		const [is, should] = [shown(row[column]), shown(right[column])];
		if (is !== should) yield `trace row ${row.id} has ${column} ${is}, not the ${should} that its spans give`;
	}
	for (const column of TEXTS)
		if ((row[column] === null) !== (right[column] === null))
			yield `trace row ${row.id} says wrongly whether there is a ${column}`;
	const [is, should] = [shownCost(row), shownCost(right)];
	if (is !== should) yield `trace row ${row.id} has a cost of ${is}, not the ${should} that its spans give`;
}

/** Of equal costs, the two columns may differ. What a text is may be read otherwise by another version. */
const TEXTS = ["first_input", "last_output"] as const;
const NOT_COMPARED: ReadonlySet<string> = new Set(["cost_micro", "cost_pico", ...TEXTS]);
const COMPARED = (Object.keys(TRACES.columns) as (keyof TraceRow)[]).filter((column) => !NOT_COMPARED.has(column));

function textsOf(root: SpanNode, nodes: readonly SpanNode[], contents: ReadonlyMap<number, ReadContent>): ChosenTexts {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const chosen = chooseTexts(undefined, {
		root,
		added: [],
		all: () => nodes.filter(({ kind }) => kind === LLM),
		byId: (id) => byId.get(id) ?? root,
		textsOf: ({ id }) => {
			const { input, output } = contents.get(id) ?? { input: null, output: null };
			return { input: input ?? undefined, output: output ?? undefined };
		},
	});
	const { inputSpan, outputSpan } = chosen;
	return {
		...chosen,
		firstInput: inputSpan === null ? null : (contents.get(inputSpan)?.input ?? null),
		lastOutput: outputSpan === null ? null : (contents.get(outputSpan)?.output ?? null),
	};
}

function chosenTexts({ input_span, output_span, first_input, last_output }: TraceRow): ChosenTexts {
	return { inputSpan: input_span, outputSpan: output_span, firstInput: first_input, lastOutput: last_output };
}

function shown(value: TraceRow[keyof TraceRow]): string {
	return value instanceof Uint8Array ? value.toString("hex") : JSON.stringify(value);
}

/** The same text for equal costs; beyond the exact range all are the same. */
export function shownCost({ cost_micro, cost_pico }: Pick<TraceRow, "cost_micro" | "cost_pico">): string {
	const pico = exactPico({ micro: cost_micro, pico: cost_pico });
	return pico === undefined ? "too much" : `${pico} picodollars`;
}
