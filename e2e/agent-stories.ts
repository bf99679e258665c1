import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectTo, type TestClient } from "../apps/server/src/agents/mcp/test-client.ts";
import { type Client, createUserKey, logInAs, startWithAuth } from "./access/accounts.ts";
import type { TestServer } from "./server.ts";
import { COMMAND, type Ended, spanward } from "./spanward-command.ts";

/** What is read of something, at four bytes a token. */
export interface Step {
	/** A call of a tool, or a line of shell. */
	readonly what: string;
	readonly tokens: number;
}

export function tokensOf(text: string): number {
	return Math.ceil(Buffer.byteLength(text) / 4);
}

export function sumOf(steps: readonly Step[]): number {
	return steps.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** A server that agents and scripts are let into, with a project `shop` of which yesterday some traces failed. */
export interface Shop extends AsyncDisposable {
	readonly server: TestServer;
	/** Of a member; and one that may only read. */
	readonly key: string;
	readonly readOnlyKey: string;
	/** Traces that failed yesterday, the one with the most errors first. */
	readonly failed: readonly { readonly traceId: string; readonly rootSpanId: string; readonly errors: number }[];
	/** Experiments of the dataset `answers`: the second is worse. */
	readonly experiments: readonly [base: string, worse: string];
}

const TRACES = 40;
const STEPS = 30;
const DAY_MS = 86_400_000;
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

/** 00:00 UTC of so many days ago. */
function midnight(daysAgo: number): number {
	return TODAY_MS - daysAgo * DAY_MS;
}

export async function openShop(): Promise<Shop> {
	const server = await startWithAuth();
	const member = await logInAs(server, "MEMBER");
	const key = await createUserKey(member);
	const limited = { data: { name: "reading", permissions: ["read"] } };
	const { key: readOnlyKey } = await member.data("POST", "/v1/user/api_keys", limited);
	const failed = await sendTraces(server, key);
	const experiments = await compareAnswers(member);
	return {
		...{ server, key, readOnlyKey, failed, experiments },
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

/** Every third trace fails, later ones in more steps; half of them yesterday, the others the day before. */
async function sendTraces(server: TestServer, key: string): Promise<Shop["failed"]> {
	const failed: Shop["failed"][number][] = [];
	for (let trace = 1; trace <= TRACES; trace += 1) {
		const isYesterday = trace % 2 === 0;
		const errors = trace % 3 === 0 ? 1 + Math.floor(trace / 4) : 0;
		const startMs = midnight(isYesterday ? 1 : 2) + trace * 60_000;
		const nanos = (ms: number) => `${BigInt(startMs + ms) * 1_000_000n}`;
		const value = (stringValue: string) => ({ stringValue });
		const spans = Array.from({ length: STEPS }, (_, at) => {
			const isModel = at % 3 === 1;
			const isWrong = at > 0 && at <= errors * 2 && at % 2 === 0;
			return {
				...{ traceId: hex(trace, 32), spanId: hex(trace * 1_000 + at, 16) },
				...(at === 0 ? {} : { parentSpanId: hex(trace * 1_000, 16) }),
				name: at === 0 ? "shop agent" : isModel ? "choose tool" : "look up order",
				...{ startTimeUnixNano: nanos(at * 100), endTimeUnixNano: nanos(at === 0 ? STEPS * 100 : at * 100 + 90) },
				...(isWrong ? { status: { code: 2, message: "order service answered 503" } } : {}),
				attributes: Object.entries({
					"openinference.span.kind": value(at === 0 ? "AGENT" : isModel ? "LLM" : "TOOL"),
					"input.value": value(`Where is order ${trace}? ${"The customer wrote at length. ".repeat(20)}`),
					"output.value": value(isWrong ? "" : `It is on its way. ${"Details of the parcel. ".repeat(20)}`),
					...(isModel ? { "llm.model_name": value("gpt-4o"), "llm.token_count.total": { intValue: "512" } } : {}),
				}).map(([name, each]) => ({ key: name, value: each })),
			};
		});
		const response = await fetch(`${server.url}/v1/traces`, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${key}`, "x-project-name": "shop" },
			body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: "shop" }, spans }] }] }),
		});
		if (!response.ok) throw new Error(`an export was answered ${response.status}`);
		const count = spans.filter(({ status }) => status !== undefined).length;
		if (isYesterday && count > 0)
			failed.push({ traceId: hex(trace, 32), rootSpanId: hex(trace * 1_000, 16), errors: count });
	}
	return failed.toSorted((a, b) => b.errors - a.errors);
}

async function compareAnswers(member: Client): Promise<Shop["experiments"]> {
	const ask: Client["data"] = (method, path, body) => member.data(method, path, body);
	const inputs = [1, 2, 3, 4].map((order) => ({ question: `Where is order ${order}?` }));
	const upload = { name: "answers", action: "create", inputs, outputs: inputs.map(() => ({ answer: "on its way" })) };
	const { dataset_id: dataset } = await ask("POST", "/v1/datasets/upload?sync=true", upload);
	const { examples } = await ask("GET", `/v1/datasets/${dataset}/examples`);
	const ids: string[] = [];
	for (const [name, score] of [
		["base", 1],
		["worse", 0],
	] as const) {
		const { id } = await ask("POST", `/v1/datasets/${dataset}/experiments`, { name });
		ids.push(id);
		const times = { start_time: new Date().toISOString(), end_time: new Date().toISOString() };
		for (const example of examples as readonly { id: string }[]) {
			const about = { dataset_example_id: example.id, output: { answer: name }, repetition_number: 1 };
			const run = await ask("POST", `/v1/experiments/${id}/runs`, { ...about, ...times });
			const correct = { experiment_run_id: run["id"], name: "correct", annotator_kind: "CODE", result: { score } };
			await ask("POST", "/v1/experiment_evaluations", { ...correct, ...times });
		}
	}
	const version = {
		...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "MUSTACHE" },
		template: { type: "chat", messages: [{ role: "user", content: "Where is order {{order}}?" }] },
		invocation_parameters: { type: "openai", openai: {} },
	};
	const { id } = await ask("POST", "/v1/prompts", { prompt: { name: "support-answer" }, version });
	await ask("POST", `/v1/prompt_versions/${id}/tags`, { name: "production" });
	return [ids[0] ?? "", ids[1] ?? ""];
}

/** A tool as a model sees it. */
interface Offered {
	readonly name: string;
	readonly description?: string | undefined;
	readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> | undefined };
	readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

interface Choice {
	readonly tool: Offered;
	readonly args: Readonly<Record<string, unknown>>;
}

/**
 * In the place of a model: has a plan of what it wants to know or do, and takes for each step the first tool whose
 * description is about it and whose schema takes what it knows; it knows no tool by name.
 */
class ScriptedModel {
	readonly #steps: readonly { readonly about: RegExp; readonly writes?: boolean; readonly args: () => object }[];
	/** What was answered, by step. */
	// biome-ignore lint/suspicious/noExplicitAny: as a model reads it
	readonly #read: any[] = [];

	constructor() {
		const [from, to] = [midnight(1), midnight(0)].map((ms) => new Date(ms).toISOString());
		this.#steps = [
			{ about: /projects that you may see/, args: () => ({ name_contains: "shop" }) },
			{
				about: /^Traces of a project/,
				args: () => ({
					...{ project: this.#read[0].projects[0].name, errors_only: true, sort: "error_count" },
					...{ start_time: from, end_time: to, limit: 5 },
				}),
			},
			{
				about: /^One trace as a tree/,
				args: () => ({ project: this.#read[0].projects[0].name, trace_id: this.#read[1].traces[0].trace_id }),
			},
			{
				...{ about: /^Adds examples to a dataset/, writes: true },
				args: () => ({
					...{ dataset: "regressions", create_missing: true, project: this.#read[0].projects[0].name },
					span_ids: this.#read[1].traces.map((trace: { root_span_id: string }) => trace.root_span_id),
				}),
			},
		];
	}

	/** The next call; undefined when all is done, or what would be next is not offered. */
	next(tools: readonly Offered[]): Choice | undefined {
		const step = this.#steps[this.#read.length];
		if (step === undefined) return undefined;
		const args = step.args() as Readonly<Record<string, unknown>>;
		const takes = ({ inputSchema: { properties = {} } }: Offered) =>
			Object.keys(args).every((name) => name in properties);
		const tool = tools.find((each) => step.about.test(each.description ?? "") && takes(each));
		return tool === undefined ? undefined : { tool, args };
	}

	hear(answer: unknown): void {
		this.#read.push(answer);
	}
}

export interface AgentRun {
	readonly steps: readonly Step[];
	/** Names of the tools before which the person was asked. */
	readonly asked: readonly string[];
	/** Text of the last answer. */
	readonly text: string;
}

/**
 * Story 1: "find yesterday's worst failures of the shop agent, show one, and make them examples of the dataset
 * regressions". What the model reads is counted: what it is told of the server and the tools, its calls, the answers.
 */
export async function runAgent(agent: TestClient): Promise<AgentRun> {
	const { client } = agent;
	const { tools } = await client.listTools();
	const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
	const steps: Step[] = [
		{
			what: "instructions, and the list of tools",
			tokens: tokensOf(`${client.getInstructions()}${JSON.stringify(shown)}`),
		},
	];
	const asked: string[] = [];
	const model = new ScriptedModel();
	let text = "";
	for (let choice = model.next(tools); choice !== undefined; choice = model.next(tools)) {
		const { tool, args } = choice;
		// As hosts do: what does not only read waits for the person, who agrees here.
		if (tool.annotations?.readOnlyHint !== true) asked.push(tool.name);
		const answer = await agent.call(tool.name, args);
		if (answer.isError) throw new Error(`${tool.name} answered: ${answer.text}`);
		model.hear(answer.data);
		({ text } = answer);
		steps.push({ what: tool.name, tokens: tokensOf(`${tool.name}${JSON.stringify(args)}${text}`) });
	}
	return { steps, asked, text };
}

export async function connectAgent({ server }: Shop, key: string): Promise<TestClient> {
	return await connectTo(server.url, { authorization: `Bearer ${key}` });
}

interface ShellStep extends Step, Ended {}

/** Commands as a shell would run them, with what was written on both outputs. */
class Shell {
	readonly steps: ShellStep[] = [];
	readonly #env: Readonly<Record<string, string>>;
	readonly #folder: string;

	constructor({ server, key }: Shop, folder: string) {
		this.#folder = folder;
		this.#env = { SERVICE_URL: server.url, SERVICE_API_KEY: key, SERVICE_PROJECT_NAME: "shop", HOME: folder };
	}

	async run(...args: readonly string[]): Promise<Ended> {
		return this.#note(args, await spanward(args, { env: this.#env, folder: this.#folder }));
	}

	/** One that goes on until it is interrupted, once it has written something. */
	async runUntilOutput(...args: readonly string[]): Promise<Ended> {
		const child = spawn(process.execPath, [COMMAND, ...args], {
			...{ env: { PATH: process.env["PATH"], ...this.#env }, cwd: this.#folder, stdio: ["ignore", "pipe", "pipe"] },
		});
		let [stdout, stderr] = ["", ""];
		child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
		child.stdout.on("data", (chunk: Buffer) => {
			if (stdout === "") setTimeout(() => child.kill("SIGINT"), 500);
			stdout += chunk;
		});
		const [code] = await once(child, "close");
		return this.#note(args, { code, stdout, stderr });
	}

	#note(args: readonly string[], ended: Ended): Ended {
		const what = `spanward ${args.join(" ")}`;
		this.steps.push({ what, tokens: tokensOf(what + ended.stdout + ended.stderr), ...ended });
		return ended;
	}
}

async function withShell(shop: Shop, work: (shell: Shell, folder: string) => Promise<void>): Promise<ShellStep[]> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-story-"));
	try {
		const shell = new Shell(shop, folder);
		await work(shell, folder);
		return shell.steps;
	} finally {
		await rm(folder, { recursive: true });
	}
}

/** Story 2: in CI a script gets the newest failing traces, pulls a prompt, uploads a dataset and fails the build. */
export async function runScript(shop: Shop): Promise<ShellStep[]> {
	return await withShell(shop, async (shell, folder) => {
		await shell.run("traces", "list", "--filter", "error_count > 0", "--limit", "5", "--json");
		await shell.run("prompts", "pull", "support-answer", "--tag", "production", "--output", "prompt.json");
		const lines = [1, 2, 3].map((order) => JSON.stringify({ input: { order }, output: { answer: "on its way" } }));
		await writeFile(join(folder, "examples.jsonl"), lines.join("\n"));
		await shell.run("datasets", "upload", "nightly", "examples.jsonl");
		const [base, worse] = shop.experiments;
		await shell.run("experiments", "compare", base, worse, "--metric", "correct", "--fail-on-regression");
	});
}

/** Story 3: an operator over ssh looks at what comes in, and at the trace that failed. */
export async function runOperator(shop: Shop): Promise<ShellStep[]> {
	return await withShell(shop, async (shell) => {
		const now = `${BigInt(Date.now()) * 1_000_000n}`;
		const span = { traceId: hex(9_999, 32), spanId: hex(9_999, 16), name: "shop agent", startTimeUnixNano: now };
		const spans = [{ ...span, endTimeUnixNano: now, status: { code: 2, message: "gave up" } }];
		await fetch(`${shop.server.url}/v1/traces`, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${shop.key}`, "x-project-name": "shop" },
			body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: "shop" }, spans }] }] }),
		});
		await shell.runUntilOutput("traces", "tail", "--errors");
		await shell.run("trace", "show", shop.failed[0]?.traceId ?? "");
	});
}
