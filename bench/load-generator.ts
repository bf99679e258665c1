import { execFile, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const FOLDER = join(import.meta.dirname, "otlpload");
const PROGRAM = join(import.meta.dirname, "../.cache/otlpload");

/** What otlpload prints at the end. */
export interface LoadReport {
	readonly spans: number;
	readonly accepted: number;
	readonly acked_spans_per_s: number;
	readonly non_2xx: number;
	readonly codes: Readonly<Record<string, number>>;
	readonly p50_ms: number;
	readonly p99_ms: number;
	readonly bytes_per_span: number;
}

/** Project of the spans that otlpload sends. */
export const PROJECT = "load-0";

/** @throws with what to do when Go is missing or the build fails */
export function buildLoadGenerator(): void {
	if (spawnSync("go", ["version"]).status !== 0) {
		throw new Error(
			"The load generator is built with Go 1.26 or newer, which is not in PATH (https://go.dev/doc/install).",
		);
	}
	mkdirSync(join(PROGRAM, ".."), { recursive: true });
	const build = spawnSync("go", ["build", "-o", PROGRAM, "."], { cwd: FOLDER, stdio: "inherit" });
	if (build.status !== 0) throw new Error("bench/otlpload could not be built, see above.");
}

let seed = Math.floor(Date.now() / 1_000);

/** Spans that are sent at a time where a rate is measured. */
const SAMPLE = ["-spans", "25600", "-conc", "4"];

/** Sends so many spans that what follows runs at full speed. @param flags where to */
export async function warmUp(...flags: readonly string[]): Promise<void> {
	await sendLoad(...flags, ...SAMPLE);
}

/** How many spans a second are received, measured so many times. @param flags where they are sent to */
export async function sampleRates(samples: number, ...flags: readonly string[]): Promise<number[]> {
	const rates: number[] = [];
	while (rates.length < samples) rates.push((await sendLoad(...flags, ...SAMPLE)).acked_spans_per_s);
	return rates;
}

/** Requests a second that `GET path` reaches with 8 connections that are kept. @throws when one is not answered with 2xx */
export async function measureRate(
	url: string,
	path: string,
	requests: number,
	headers: Readonly<Record<string, string>>,
): Promise<number> {
	const flags = ["-url", url, "-path", path, "-method", "GET", "-batch", "1", "-pool", "1", "-conc", "8"];
	return (await sendLoad(...flags, "-spans", String(requests), ...headerFlags(headers))).acked_spans_per_s;
}

/** What makes otlpload send these headers. */
export function headerFlags(headers: Readonly<Record<string, string>>): string[] {
	return Object.entries(headers).flatMap(([name, value]) => ["-header", `${name}=${value}`]);
}

/** Writes the requests to a file, each behind its length, instead of sending them. @param flags how many spans */
export async function dumpLoad(path: string, ...flags: readonly string[]): Promise<void> {
	seed += 1;
	await promisify(execFile)(PROGRAM, ["-url", "http://nowhere", "-seed", String(seed), "-dump", path, ...flags]);
}

/**
 * Sends spans of about 2 KB, 8 a trace, with ids never sent before.
 * @param flags where to and how many; see `otlpload -h`
 * @throws when a request was not accepted
 */
export async function sendLoad(...flags: readonly string[]): Promise<LoadReport> {
	seed += 1;
	const args = ["-seed", String(seed), ...flags];
	const { stdout } = await promisify(execFile)(PROGRAM, args, { maxBuffer: 64 * 1024 * 1024 });
	const report = JSON.parse(stdout) as LoadReport;
	if (report.accepted < report.spans) {
		throw new Error(`${report.spans - report.accepted} spans were not accepted: ${JSON.stringify(report.codes)}`);
	}
	return report;
}
