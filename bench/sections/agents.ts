import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, createAccount, logIn, WITH_ACCOUNTS } from "../../e2e/access/accounts.ts";
import { startPostgres } from "../../e2e/peers/postgres.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { COMMAND, spanward } from "../../e2e/spanward-command.ts";
import { sendDeepTrace } from "../deep-trace.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { compareRates, inTurns } from "../in-turns.ts";
import { dumpLoad, PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { callTool } from "../mcp-calls.ts";
import { readMemory } from "../process-memory.ts";
import { authorize, refresh } from "../programs.ts";
import { measureAgentsUnderLoad } from "./agents-load.ts";
import { measureStories } from "./agents-stories.ts";
import { DURABLE } from "./postgres.ts";

/** Of a tool; with those to warm up, within what a caller may ask in a minute. */
const CALLS = 50;
const WARM_UP_CALLS = 10;
const BYTES_PER_TOKEN = 4;
const DEEP_SPANS = 10_000;
/** Stored while a project is described; fewer for a look at what does not depend on them. */
const STORED_SPANS = Number(process.env["BENCH_AGENTS_SPANS"] ?? 1_000_000);
const RUNS = 7;
const IMPORTED_SPANS = 204_800;
const REFRESHES = 2_000;
/** Programs that refresh at the same time. */
const PROGRAMS = 8;
const ENDED = 50;

/** What is measured, one after the other. */
const PARTS: readonly (() => Promise<Figure[]>)[] = [
	measureTrace,
	measureDescription,
	measureIdle,
	measureCommandStart,
	measureImport,
	measureRefreshes,
	measureEnds,
	measureAgentsUnderLoad,
	measureStories,
];

/** What agents and terminals wait for, and what they cost who does not use them. */
export async function measureAgents(): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const measure of PARTS) figures.push(...(await measure()));
	return figures;
}

async function measureTrace(): Promise<Figure[]> {
	const env = { SERVICE_ENABLE_PROMETHEUS: "true" };
	await using server = await startServer({ authentication: false, env });
	const { project, traceId } = await sendDeepTrace(server.url, DEEP_SPANS);
	await sleep(5_000);
	await readLongestBlock(server);
	const { times, tokens } = await measureCalls(server, "get_trace", { project, trace_id: traceId });
	const block = await readLongestBlock(server);
	const what = `outline of a trace of ${formatNumber(DEEP_SPANS)} spans`;
	return [
		{
			name: `get_trace, ${what}, p50`,
			value: quantile(times, 0.5),
			unit: "ms",
			target: { atMost: 60 },
			detail: `${times.length} calls over MCP; p99 ${formatNumber(quantile(times, 0.99))} ms`,
		},
		{
			name: `get_trace, ${what}`,
			value: tokens,
			unit: "tokens",
			target: { atMost: 4_000 },
			detail: "bytes of its text / 4",
		},
		{
			name: `longest block of the event loop by an ${what}`,
			value: block,
			unit: "ms",
			target: { atMost: 100 },
			detail: `largest in ${WARM_UP_CALLS + times.length} calls, those to warm up included`,
		},
	];
}

async function measureDescription(): Promise<Figure[]> {
	await using server = await startServer({ authentication: false });
	await sendLoad("-url", server.url, "-spans", String(STORED_SPANS), "-pool", "400", "-conc", "4");
	await sleep(10_000);
	const { times, tokens } = await measureCalls(server, "describe_project", { project: PROJECT });
	return [
		{
			name: `describe_project at ${STORED_SPANS === 1_000_000 ? "1 M" : formatNumber(STORED_SPANS)} spans, p50`,
			value: quantile(times, 0.5),
			unit: "ms",
			target: { atMost: 150 },
			detail: `${times.length} calls over MCP; p99 ${formatNumber(quantile(times, 0.99))} ms; ${formatNumber(tokens)} tokens`,
		},
	];
}

async function measureCalls(server: TestServer, tool: string, args: object) {
	const times: number[] = [];
	let tokens = 0;
	for (let call = -WARM_UP_CALLS; call < CALLS; call += 1) {
		const { text, milliseconds } = await callTool(server.url, tool, args);
		tokens = Math.max(tokens, Buffer.byteLength(text) / BYTES_PER_TOKEN);
		if (call >= 0) times.push(milliseconds);
	}
	return { times, tokens };
}

/** Milliseconds since it was asked for the last time. */
async function readLongestBlock(server: TestServer): Promise<number> {
	const text = await (await server.fetch("/metrics")).text();
	const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
	if (seconds === undefined) throw new Error("the metrics do not say how late the event loop was");
	return Number(seconds) * 1_000;
}

async function measureIdle(): Promise<Figure[]> {
	const memoryWith = async (env: Readonly<Record<string, string>>) => {
		await using server = await startServer({ authentication: false, env });
		await sleep(5_000);
		return await readMemory(server.pid);
	};
	const { on, off } = await inTurns(RUNS, {
		on: () => memoryWith({}),
		off: () => memoryWith({ SERVICE_ENABLE_MCP: "false" }),
	});
	return [
		{
			name: "memory idle with MCP on and unused, beyond without",
			value: quantile(on, 0.5) - quantile(off, 0.5),
			unit: "MB",
			target: { atMost: 3 },
			detail: `medians, in turns, resident, 5 s after the start; ${describeSpread(on)} against ${describeSpread(off)} MB`,
		},
	];
}

async function measureCommandStart(): Promise<Figure[]> {
	await using server = await startServer({ authentication: false });
	const times: number[] = [];
	for (let run = -3; run < 20; run += 1) {
		const start = performance.now();
		const child = spawn(process.execPath, [COMMAND, "projects", "list", "--url", server.url]);
		await once(child.stdout, "data");
		if (run >= 0) times.push(performance.now() - start);
		await once(child, "close");
	}
	return [
		{
			name: "first output of spanward projects list",
			value: quantile(times, 0.5),
			unit: "ms",
			target: { atMost: 400 },
			detail: `from the start of the process on, median of ${times.length}; ${formatNumber(Math.min(...times))} to ${formatNumber(Math.max(...times))} ms`,
		},
	];
}

/** Of a file as the Collector writes it, with all that the program does until it has ended. */
async function measureImport(): Promise<Figure[]> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-import-"));
	await using stack = new AsyncDisposableStack();
	stack.defer(() => rm(folder, { recursive: true, force: true }));
	await using server = await startServer({ authentication: false });
	await warmUp("-url", server.url);
	const file = join(folder, "traces.bin");
	const spans = ["-spans", String(IMPORTED_SPANS)];
	const rates = await inTurns(RUNS, {
		imported: async () => {
			await dumpLoad(file, ...spans);
			const start = performance.now();
			const args = ["import", "otlp", file, "--url", server.url];
			const { code, stderr } = await spanward(args, { env: { HOME: folder } });
			if (code !== 0) throw new Error(`the import ended with ${code}: ${stderr}`);
			return IMPORTED_SPANS / ((performance.now() - start) / 1_000);
		},
		plain: async () => (await sendLoad("-url", server.url, "-conc", "4", ...spans)).acked_spans_per_s,
	});
	const unit = `spans/s, 512 a request, ${formatNumber(IMPORTED_SPANS)} spans, start of the program included`;
	return [compareRates("spanward import otlp against plain HTTP", rates.imported, rates.plain, 80, unit)];
}

async function measureRefreshes(): Promise<Figure[]> {
	await using server = await startServer({ authentication: false, env: WITH_ACCOUNTS });
	const user = await memberOf(server);
	const tokens: string[] = [];
	for (let program = 0; program < PROGRAMS; program += 1) tokens.push((await authorize(server, user)).refresh_token);
	const times: number[] = [];
	const refreshAll = async (count: number) => {
		const start = performance.now();
		await Promise.all(
			tokens.map(async (_, program) => {
				for (let n = 0; n < count / PROGRAMS; n += 1) {
					const asked = performance.now();
					tokens[program] = (await refresh(server, tokens[program] ?? "")).refresh_token;
					times.push(performance.now() - asked);
				}
			}),
		);
		return count / ((performance.now() - start) / 1_000);
	};
	await refreshAll(400);
	times.length = 0;
	const rate = await refreshAll(REFRESHES);
	return [
		{
			name: "refreshes of OAuth tokens",
			value: rate,
			unit: "/s",
			target: { atLeast: 300 },
			detail: `${formatNumber(REFRESHES)} by ${PROGRAMS} programs at once; p50 ${formatNumber(quantile(times, 0.5))} ms, p99 ${formatNumber(quantile(times, 0.99))} ms`,
		},
	];
}

/** From the answer of one server to the end of an authorization to the first request that another refuses. */
async function measureEnds(): Promise<Figure[]> {
	await using postgres = await startPostgres({ settings: DURABLE });
	const settings = {
		storage: { url: postgres.url, schema: "programs" },
		authentication: false,
		env: WITH_ACCOUNTS,
	} as const;
	await using one = await startServer(settings);
	await using other = await startServer(settings);
	const user = await memberOf(one);
	const times: number[] = [];
	for (let turn = 0; turn < ENDED; turn += 1) {
		const { access_token: token } = await authorize(one, user);
		const program = new Client(other, token);
		await untilStatus(program, 200);
		const [grant] = await user.data("GET", "/v1/user/oauth2_grants");
		await user.data("DELETE", `/v1/user/oauth2_grants/${grant.id}`);
		const start = performance.now();
		await untilStatus(program, 401);
		times.push(performance.now() - start);
	}
	return [
		{
			name: "until another server heeds the end of an authorization, at most",
			value: Math.max(...times),
			unit: "ms",
			target: { atMost: 2_000 },
			detail: `${times.length} times, two servers on PostgreSQL; p50 ${formatNumber(quantile(times, 0.5))} ms`,
		},
	];
}

async function memberOf(server: TestServer): Promise<Client> {
	const { email, password } = await createAccount(server, "MEMBER");
	return await logIn(server, email, password);
}

async function untilStatus(client: Client, status: number): Promise<void> {
	for (;;) {
		const response = await client.send("GET", "/v1/user");
		await response.arrayBuffer();
		if (response.status === status) return;
		await sleep(1);
	}
}
