import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MALLOC } from "../../e2e/memory-settings.ts";
import { startServer } from "../../e2e/server.ts";
import { describeSpread, type Figure, quantile } from "../figure.ts";
import { sendLoad } from "../load-generator.ts";
import { readSettledCpu } from "../process-cpu.ts";

const RUNS = 5;
const SPANS = 307_200;
/** By then V8 has compiled what a server that has run for a while has compiled: two seconds of CPU, once. */
const WARM_UP_SPANS = 204_800;

interface Load {
	readonly spansPerSecond: number;
	/** Until the server is idle. */
	readonly cpuMicros: number;
}

/** Receiving against the least that storing takes on this machine (`bare-store`), in turns. */
export async function measureAgainstBareStore(): Promise<Figure[]> {
	const ours: Load[] = [];
	const bare: Load[] = [];
	for (let run = 0; run < RUNS; run++) {
		{
			await using server = await startServer();
			ours.push(await measureLoad(server));
		}
		await using store = await startBareStore();
		bare.push(await measureLoad(store));
	}
	const rate = (loads: readonly Load[]) => loads.map(({ spansPerSecond }) => spansPerSecond);
	const cpu = (loads: readonly Load[]) => loads.map(({ cpuMicros }) => cpuMicros);
	return [
		{
			name: "rate against a bare store",
			value: (quantile(rate(ours), 0.5) / quantile(rate(bare), 0.5)) * 100,
			unit: "%",
			target: { atLeast: 60 },
			detail: `medians, in turns; spans/s, ${describeSpread(rate(ours))} against ${describeSpread(rate(bare))}`,
		},
		{
			name: "CPU of the server a span, text index included",
			value: quantile(cpu(ours), 0.5),
			unit: "µs",
			target: { atMost: 45 },
			detail: `until it is idle; ${describeSpread(cpu(ours))}; the bare store ${describeSpread(cpu(bare))}`,
		},
	];
}

async function measureLoad({ url, pid }: { readonly url: string; readonly pid: number }): Promise<Load> {
	await sendLoad("-url", url, "-spans", String(WARM_UP_SPANS), "-conc", "4");
	const before = await readSettledCpu(pid);
	const report = await sendLoad("-url", url, "-spans", String(SPANS), "-conc", "4");
	const used = (await readSettledCpu(pid)) - before;
	return { spansPerSecond: report.acked_spans_per_s, cpuMicros: (used / SPANS) * 1e6 };
}

async function startBareStore(): Promise<{ url: string; pid: number } & AsyncDisposable> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-bare-"));
	const program = join(import.meta.dirname, "../bare-store/server.ts");
	const child: ChildProcess = spawn(
		process.execPath,
		["--disable-warning=ExperimentalWarning", program, join(folder, "bare.db")],
		{ stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...MALLOC } },
	);
	const [port] = (await once(child.stdout ?? child, "data")) as [Buffer];
	return {
		url: `http://127.0.0.1:${Number(port.toString())}`,
		pid: child.pid ?? 0,
		async [Symbol.asyncDispose]() {
			child.kill();
			await once(child, "exit");
			await rm(folder, { recursive: true, force: true });
		},
	};
}
