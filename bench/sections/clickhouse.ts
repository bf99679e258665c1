import { startClickHouse } from "../../e2e/peers/clickhouse.ts";
import { startPostgres } from "../../e2e/peers/postgres.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { COUNTING, countSpans, type Stores, startWithTracesInClickHouse, untilIndexed } from "../clickhouse.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { sendLoad, warmUp } from "../load-generator.ts";
import { readSettledCpu } from "../process-cpu.ts";
import { watchMemory } from "../process-memory.ts";
import { measureSlowFilters } from "./clickhouse-beside.ts";
import { measureCopying } from "./clickhouse-copying.ts";
import { measureDeletion, measureRetention } from "./clickhouse-deleting.ts";
import { measureExport, measureFilters, measureLargeTrace, measureReads, measureWords } from "./clickhouse-reading.ts";
import {
	measureBytes,
	measureIdle,
	measureIndexedBytes,
	measureLoneSender,
	measureParts,
	measureReceiving,
} from "./clickhouse-receiving.ts";
import { measureRates, PROBE_SPANS } from "./million.ts";
import { DURABLE } from "./postgres.ts";

const MILLION = 1_000_000;
const RUNS = 3;
/** Of the server that most is measured on. */
const DATABASE = "growing";
/** Spans that are sent to warm up. */
const WARM_UP = 25_600;
/** What lists and lookups may take with a million spans, and with more; in milliseconds. */
const AT_A_MILLION = { list: 50, lookup: 60, metrics: 80 };
const AT_MORE = { list: 80, lookup: 100, metrics: 80 };

/** How much is sent. */
interface Size {
	/** Stored while most is measured. */
	readonly spans: number;
	/** Sent in each run that measures a rate. */
	readonly probe: number;
	/** For the names of figures. */
	readonly stored: string;
	/** Of each read. */
	readonly requests: number;
}

/**
 * Traces in ClickHouse's engine behind a small server of HTTP: generator, server, PostgreSQL and the engine share this
 * machine. With `BENCH_CLICKHOUSE_SPANS` below a million, all is tried with fewer; above, reads are measured again
 * with so many. PostgreSQL's own rates and reads come from the same run.
 */
export async function measureClickHouse(): Promise<Figure[]> {
	const most = Number(process.env["BENCH_CLICKHOUSE_SPANS"] ?? MILLION);
	const size = sizeOf(Math.min(most, MILLION));
	const others = await measurePostgres(size);
	await using clickhouse = await startClickHouse();
	await using postgres = await startPostgres({ settings: { ...DURABLE, ...COUNTING } });
	const stores = { clickhouse, postgres };
	const figures = [
		...(await measureGrowing(stores, size, most)).map((figure) => compareWith(others, figure)),
		...shown(await measureTextIndex(stores, size)),
		...shown(await measureDeletion(stores, size.spans)),
		...shown(await measureRetention(stores, Math.floor(size.probe / 2))),
		...shown(await measureCopying(stores, size.probe)),
		...shown([await measureParts(stores)]),
	];
	return figures.map((figure) => ({ ...figure, name: `ClickHouse: ${figure.name}` }));
}

/** Shows figures as they come: all together take more than twenty minutes, and one may fail. */
function shown(figures: Figure[]): Figure[] {
	for (const { name, value, unit } of figures) console.error(`  ${name}: ${formatNumber(value)} ${unit}`);
	return figures;
}

function sizeOf(spans: number): Size {
	const probe = spans < MILLION ? Math.floor(spans / 5) : PROBE_SPANS;
	const stored = spans === MILLION ? "1 M" : formatNumber(spans);
	return { spans, probe, stored, requests: spans < MILLION ? 10 : 100 };
}

async function measureGrowing(stores: Stores, size: Size, most: number): Promise<Figure[]> {
	await using server = await startWithTracesInClickHouse(stores, DATABASE);
	const idle = shown([await measureIdle(server)]);
	await warmUp("-url", server.url);
	const lone = shown(await measureLoneSender(server));
	const empty = await measureReceiving(server, stores, RUNS, size.probe);
	shown([...empty.figures]);
	await fill(server, size.spans - (await countSpans(stores.clickhouse, DATABASE)));
	await settle(server, stores);
	const reads = shown([
		...(await measureReads(server, { ...size, atMostMs: AT_A_MILLION })),
		await measureLargeTrace(server, size.stored, size.requests),
		...(await measureFilters(server, size.spans)),
	]);
	const words = shown(await measureWords(server, size.stored));
	const exported = await measureExport(server);
	const memory = watchMemory(server.pid);
	const full = await measureRates(server, RUNS, size.probe);
	const peak = await memory.stop();
	const beside = shown(await measureSlowFilters(server, size.stored));
	const more = { ...size, spans: most, stored: `${formatNumber(most / MILLION)} M` };
	return [
		...shown(rateFigures(empty.rates, full, size)),
		...empty.figures,
		...lone,
		...idle,
		{
			name: "memory of the server under full load",
			value: Math.max(empty.peak, peak),
			unit: "MB",
			target: { atMost: 550 },
			detail: `largest resident memory, with none and with ${size.stored} spans stored`,
		},
		exported,
		...reads,
		...words,
		...beside,
		...(most > size.spans ? await measureMore(server, stores, more) : []),
		...shown(await measureBytes(stores, DATABASE)),
	];
}

/** What {@link measureGrowing} has stored, once it is in the text index. */
async function measureTextIndex(stores: Stores, { stored }: Size): Promise<Figure[]> {
	await using server = await startWithTracesInClickHouse(stores, DATABASE, { SERVICE_ENABLE_TEXT_INDEX: "true" });
	await untilIndexed(stores.clickhouse, DATABASE);
	await settle(server, stores);
	return [...(await measureWords(server, stored, "with")), await measureIndexedBytes(stores, DATABASE)];
}

async function measureMore(server: TestServer, stores: Stores, size: Size): Promise<Figure[]> {
	await fill(server, size.spans - (await countSpans(stores.clickhouse, DATABASE)));
	await settle(server, stores);
	return await measureReads(server, { ...size, atMostMs: AT_MORE });
}

/** The same rates and reads of a server that has everything in PostgreSQL. */
async function measurePostgres(size: Size): Promise<Figure[]> {
	await using postgres = await startPostgres({ settings: DURABLE });
	await using server = await startServer({ storage: { url: postgres.url, schema: "beside" } });
	await warmUp("-url", server.url);
	const empty = await measureRates(server, RUNS, size.probe);
	await fill(server, size.spans - WARM_UP - RUNS * size.probe);
	await readSettledCpu(server.pid);
	const reads = await measureReads(server, { ...size, atMostMs: AT_A_MILLION });
	const full = await measureRates(server, RUNS, size.probe);
	return shown([...rateFigures(empty, full, size), ...reads]);
}

function rateFigures(empty: readonly number[], full: readonly number[], { stored }: Size): Figure[] {
	return [
		{
			name: "durable spans/s",
			value: quantile(empty, 0.5),
			unit: "spans/s",
			target: { atLeast: 10_000 },
			detail: `${describeSpread(empty)}; 512 a request, 4 senders, fsync on`,
		},
		{
			name: `rate at ${stored} spans stored against empty`,
			value: (quantile(full, 0.5) / quantile(empty, 0.5)) * 100,
			unit: "%",
			target: { atLeast: 80 },
			detail: `${describeSpread(full)} spans/s`,
		},
	];
}

async function fill(server: TestServer, spans: number): Promise<void> {
	if (spans <= 0) return;
	await sendLoad("-url", server.url, "-spans", String(spans), "-pool", "400", "-conc", "4");
}

async function settle(server: TestServer, { clickhouse }: Stores): Promise<void> {
	await readSettledCpu(server.pid);
	await readSettledCpu(clickhouse.pid);
}

/** Says beside a figure what PostgreSQL reached, where that was measured. */
function compareWith(others: readonly Figure[], figure: Figure): Figure {
	const other = others.find(({ name }) => name === figure.name);
	if (other === undefined) return figure;
	return {
		...figure,
		detail: `${figure.detail}; PostgreSQL in the same run ${formatNumber(other.value)} ${other.unit}`,
	};
}
