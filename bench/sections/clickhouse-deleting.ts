import { at, type Json, list } from "../../e2e/fixture-comparison.ts";
import type { TestServer } from "../../e2e/server.ts";
import { countSpans, type Stores, startWithTracesInClickHouse } from "../clickhouse.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { PROJECT, sendLoad } from "../load-generator.ts";
import { readSettledCpu } from "../process-cpu.ts";
import { deleteTrace, measureDeletions, measureReceivingBeside } from "./clickhouse-beside.ts";
import { runPolicy } from "./large-upkeep.ts";

const DAYS = 70;
const DELETED = 20;
/** Traces of which each one is deleted in about 150 ms. */
const MOST_DELETED = 1_000;
const RETAINED_DAYS = 15;
const DAY_MS = 86_400_000;

/**
 * Deletes single traces of seventy days, then `BENCH_CLICKHOUSE_DELETED` (1,000) beside receiving, or one of a hundred
 * spans if that is less.
 * @param spans that are stored
 */
export async function measureDeletion(stores: Stores, spans: number): Promise<Figure[]> {
	await using server = await startWithTracesInClickHouse(stores, "deleting");
	await sendDays(server, spans, DAYS);
	await readSettledCpu(server.pid);
	const before = await readSettledCpu(stores.clickhouse.pid);
	const traces = await readTracesOfAllDays(server);
	const listed = await readSettledCpu(stores.clickhouse.pid);
	const times: number[] = [];
	for (const trace of traces) times.push(await deleteTrace(server, trace));
	const after = await readSettledCpu(stores.clickhouse.pid);
	const stored = `at ${formatNumber(spans)} spans in ${DAYS} days`;
	const count = Number(process.env["BENCH_CLICKHOUSE_DELETED"] ?? MOST_DELETED);
	return [
		{
			name: `deleting one trace ${stored}, p50`,
			value: quantile(times, 0.5),
			unit: "ms",
			target: { atMost: 1_000 },
			detail: describeSpread(times),
		},
		{
			name: `CPU of the engine to delete one trace ${stored}`,
			value: ((after - listed) / traces.length) * 1_000,
			unit: "ms",
			target: { atMost: 150 },
			detail: `until it is idle; the whole process. Deleted rows leave the disk later; finding the ${traces.length} traces took ${formatNumber((listed - before) * 1_000)} ms`,
		},
		...(await measureDeletions(server, stores, "deleting", Math.min(count, Math.floor(spans / 100)))),
	];
}

/** One trace of each part of the days. */
async function readTracesOfAllDays(server: TestServer): Promise<string[]> {
	const traces: string[] = [];
	for (let part = 0; part < DELETED; part += 1) {
		const end = new Date(Date.now() - ((part + 0.5) * DAYS * DAY_MS) / DELETED).toISOString();
		const page = await server.getJson(`/v1/projects/${PROJECT}/traces?limit=1&end_time=${end}`);
		const [trace] = list(at(page as Json, "data"));
		if (trace === undefined) throw new Error(`no trace is older than ${end}`);
		traces.push(String(at(trace, "trace_id")));
	}
	return traces;
}

/** Deletes the older half of thirty days, alone and while others are received. @param half spans of fifteen days */
export async function measureRetention(stores: Stores, half: number): Promise<Figure[]> {
	await using server = await startWithTracesInClickHouse(stores, "retaining");
	await sendDays(server, 2 * half, 2 * RETAINED_DAYS);
	await readSettledCpu(stores.clickhouse.pid);
	const alone = await expire(server, stores, "alone");
	await sendDays(server, half, RETAINED_DAYS, new Date(Date.now() - RETAINED_DAYS * DAY_MS));
	await readSettledCpu(stores.clickhouse.pid);
	const beside = await measureReceivingBeside(server, () => expire(server, stores, "beside receiving"), {
		name: "retention",
		atLeast: 50,
	});
	return [
		{
			name: `retention of ${formatNumber(half)} spans, ${RETAINED_DAYS} of ${2 * RETAINED_DAYS} days`,
			value: alone.spans / alone.seconds,
			unit: "spans/s",
			target: { atLeast: 10_000 },
			detail: `${formatNumber(alone.spans)} spans of ${formatNumber(alone.traces)} traces in ${formatNumber(alone.seconds)} s; beside receiving ${formatNumber(beside.result.traces)} traces in ${formatNumber(beside.result.seconds)} s`,
		},
		beside.figure,
	];
}

/** @returns its spans, too, which are right when no others are received meanwhile */
async function expire(server: TestServer, { clickhouse }: Stores, name: string) {
	const before = await countSpans(clickhouse, "retaining");
	const { seconds, traces } = await runPolicy(server, { name, max_days: RETAINED_DAYS });
	return { seconds, traces, spans: before - (await countSpans(clickhouse, "retaining")) };
}

/** Spans of the load generator, spread evenly over days. @param end of the last; now when absent */
async function sendDays(server: TestServer, spans: number, days: number, end = new Date()): Promise<void> {
	const flags = ["-spans", String(spans), "-days", String(days), "-now", end.toISOString(), "-pool", "400"];
	await sendLoad("-url", server.url, "-conc", "4", ...flags);
}
