import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at } from "../../e2e/fixture-comparison.ts";
import { startServer } from "../../e2e/server.ts";
import { countSpans, type Stores } from "../clickhouse.ts";
import { type Figure, formatNumber } from "../figure.ts";
import { sendLoad } from "../load-generator.ts";
import { runCommand } from "./large-upkeep.ts";

const SOURCE = "copied";
const BACK = "copied_back";

/** `spanward copy` of everything from PostgreSQL to SQLite with traces in ClickHouse, and back. */
export async function measureCopying({ clickhouse, postgres }: Stores, spans: number): Promise<Figure[]> {
	await using folder = await mkdtempDisposable(join(tmpdir(), "spanward-bench-"));
	const { url } = postgres;
	await storeInPostgres(url, spans);
	const metadata = `sqlite:${folder.path}`;
	const traces = `clickhouse:${clickhouse.url}?database=${SOURCE}`;
	const there = ["--from", url, "--schema", SOURCE, "--to", metadata, "--traces-to", traces];
	const back = ["--from", metadata, "--traces-from", traces, "--to", url, "--schema", BACK];
	return [
		await measureCopy("from PostgreSQL to ClickHouse", there, () => countSpans(clickhouse, SOURCE)),
		await measureCopy("from ClickHouse to PostgreSQL", back, () => Promise.resolve(spans)),
	];
}

async function storeInPostgres(url: string, spans: number): Promise<void> {
	await using server = await startServer({ storage: { url, schema: SOURCE } });
	await sendLoad("-url", server.url, "-spans", String(spans), "-conc", "4");
	await server.stop();
}

async function measureCopy(way: string, args: readonly string[], count: () => Promise<number>): Promise<Figure> {
	const { report, peak } = await runCommand(["copy", ...args]);
	const seconds = Number(at(report, "seconds"));
	const spans = await count();
	return {
		name: `copy ${way}`,
		value: spans / seconds,
		unit: "spans/s",
		target: { atLeast: 8_000 },
		detail: `${formatNumber(spans)} spans in ${formatNumber(seconds)} s, with comparing both; largest resident memory ${formatNumber(peak)} MB`,
	};
}
