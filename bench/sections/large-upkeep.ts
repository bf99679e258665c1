import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { at, type Json, list } from "../../e2e/fixture-comparison.ts";
import type { TestServer } from "../../e2e/server.ts";
import { settledFolderSize } from "../disk.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { PROJECT, sendLoad } from "../load-generator.ts";
import { watchMemory } from "../process-memory.ts";

/** What `spanward` runs, in a process of its own: it is measured here. */
const CLI = join(import.meta.dirname, "../../apps/command-line/src/main.ts");
/** Spans that are sent at a time beside other work. */
const SENT = 51_200;
const SPANS_A_TRACE = 8;
/** Spans that each run of retention deletes at most. */
const EXPIRED = 204_800;
const MEBIBYTE = 1_048_576;

/** `spanward backup` of a running server that receives meanwhile. @param stored how many spans it has, for the names */
export async function measureBackup(server: TestServer, stored: string): Promise<Figure[]> {
	await using target = await mkdtempDisposable(join(tmpdir(), "spanward-bench-"));
	const memory = watchMemory(server.pid);
	const { result, rates } = await receiveBeside(server, () => backUp(server, target.path));
	const { seconds, bytes, peak } = result;
	return [
		{
			name: `backup of ${stored} spans while others are received`,
			value: bytes / MEBIBYTE / seconds,
			unit: "MB/s",
			target: { atLeast: 20 },
			detail: `${formatNumber(bytes / MEBIBYTE)} MB in ${formatNumber(seconds)} s, with checking the copy`,
		},
		{
			name: `memory of the backup of ${stored} spans`,
			value: peak,
			unit: "MB",
			target: { atMost: 300 },
			detail: `largest resident memory of the command; of the server meanwhile ${formatNumber(await memory.stop())} MB`,
		},
		receiving(`during the backup of ${stored} spans`, rates),
	];
}

interface Backup {
	readonly seconds: number;
	readonly bytes: number;
	/** Largest resident memory in MB. */
	readonly peak: number;
}

async function backUp(server: TestServer, folder: string): Promise<Backup> {
	const { report, peak } = await runCommand(["backup", folder], { SERVICE_WORKING_DIR: server.workingDir });
	return { seconds: Number(at(report, "seconds")), bytes: Number(at(report, "bytes")), peak };
}

/**
 * Runs a command of `spanward` that knows `--json`.
 * @returns its report, and its largest resident memory in MB
 */
export async function runCommand(
	args: readonly string[],
	settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly report: Json; readonly peak: number }> {
	const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, ...args, "--json"], {
		stdio: ["ignore", "pipe", "inherit"],
		env: { PATH: process.env["PATH"], ...settings },
	});
	const memory = child.pid === undefined ? undefined : watchMemory(child.pid);
	let output = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output += text;
	});
	const [code] = await once(child, "close");
	const peak = (await memory?.stop()) ?? 0;
	if (code !== 0) throw new Error(`spanward ${args[0]} ended with ${code}`);
	return { report: JSON.parse(output) as Json, peak };
}

/**
 * Retention of the oldest spans, first while others are received, then alone.
 * @param spans how many are stored
 * @param stored the same, for the names
 */
export async function measureRetention(server: TestServer, spans: number, stored: string): Promise<Figure[]> {
	const expired = Math.min(EXPIRED, Math.floor(spans / 3));
	const memory = watchMemory(server.pid);
	const beside = await receiveBeside(server, () => expire(server, expired));
	const peak = await memory.stop();
	const before = await settledFolderSize(server.workingDir);
	const alone = await expire(server, expired);
	const given = before - (await settledFolderSize(server.workingDir));
	return [
		{
			name: `retention at ${stored} spans`,
			value: alone.spansPerSecond,
			unit: "spans/s",
			target: { atLeast: 10_000 },
			detail: `${formatNumber(alone.traces)} traces in ${formatNumber(alone.seconds)} s; while others are received ${formatNumber(beside.result.traces)} in ${formatNumber(beside.result.seconds)} s`,
		},
		{
			name: `bytes on disk given back by retention at ${stored} spans`,
			value: given / (alone.traces * SPANS_A_TRACE),
			unit: "B a span",
			target: { atLeast: 300 },
			detail: `${formatNumber(given / MEBIBYTE)} of ${formatNumber(before / MEBIBYTE)} MB, whole folder`,
		},
		{
			name: `memory during retention at ${stored} spans`,
			value: peak,
			unit: "MB",
			target: { atMost: 450 },
			detail: "largest resident memory, while others are received",
		},
		receiving(`during retention at ${stored} spans`, beside.rates),
	];
}

interface Expiry {
	readonly traces: number;
	readonly seconds: number;
	readonly spansPerSecond: number;
}

/** Deletes the oldest traces, of about so many spans, by a retention policy. */
async function expire(server: TestServer, spans: number): Promise<Expiry> {
	// With a limit that none exceeds: a selection would stop counting after a while.
	const all = `/v1/projects/${PROJECT}/retention/preview?max_traces=${1e12}`;
	const remaining = at(at((await server.getJson(all)) as Json, "data"), "remaining_traces");
	const most = Number(remaining) - Math.floor(spans / SPANS_A_TRACE);
	const { traces, seconds } = await runPolicy(server, { name: `at most ${most}`, max_traces: most });
	return { traces, seconds, spansPerSecond: (traces * SPANS_A_TRACE) / seconds };
}

/** Gives the project of the load generator a new retention policy, and waits until that has run. */
export async function runPolicy(
	server: TestServer,
	policy: { readonly name: string; readonly max_traces?: number; readonly max_days?: number },
): Promise<{ readonly traces: number; readonly seconds: number }> {
	const id = String(at(at(await send(server, "POST", "/v1/retention_policies", policy), "data"), "id"));
	await send(server, "PATCH", `/v1/projects/${PROJECT}/retention`, { policy_id: id });
	const start = performance.now();
	await send(server, "POST", `/v1/retention_policies/${id}/run`);
	for (;;) {
		const [run] = list(at((await server.getJson("/v1/retention_runs?limit=1")) as Json, "data"));
		if (run === undefined) throw new Error("retention did not run");
		if (at(run, "ended_at") === null) {
			await sleep(100);
			continue;
		}
		if (at(run, "error") !== null) throw new Error(`retention ended early: ${at(run, "error")}`);
		return { traces: Number(at(run, "deleted_traces")), seconds: (performance.now() - start) / 1_000 };
	}
}

async function send(server: TestServer, method: string, path: string, body?: object): Promise<Json> {
	const response = await server.fetch(path, {
		method,
		...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as Json;
}

/**
 * Sends spans until some work ends, once at least.
 * @param load flags of otlpload: how many at a time
 * @returns its result, and the spans/s of each load
 */
export async function receiveBeside<T>(
	server: TestServer,
	work: () => Promise<T>,
	load: readonly string[] = ["-spans", String(SENT), "-pool", "100"],
): Promise<{ readonly result: T; readonly rates: readonly number[] }> {
	let isDone = false;
	const working = work().finally(() => {
		isDone = true;
	});
	// It is awaited after the load that is under way.
	working.catch(() => undefined);
	const rates: number[] = [];
	do {
		rates.push((await sendLoad("-url", server.url, "-conc", "4", ...load)).acked_spans_per_s);
	} while (!isDone);
	return { result: await working, rates };
}

function receiving(when: string, rates: readonly number[]): Figure {
	return {
		name: `durable spans/s ${when}`,
		value: quantile(rates, 0.5),
		unit: "spans/s",
		target: { atLeast: 15_000 },
		detail: `median of loads of ${formatNumber(SENT)}; ${describeSpread(rates)}`,
	};
}
