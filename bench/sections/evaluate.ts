import { setTimeout as sleep } from "node:timers/promises";
import { type ModelProvider, startModelProvider } from "../../e2e/peers/model-provider.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { readMemory, watchMemory } from "../process-memory.ts";
import { readDelays, StreamSource } from "../stream-source.ts";

/** Of the large experiment; judges and code look at one of a tenth of it. */
const EXAMPLES = Number(process.env["BENCH_EVALUATE_EXAMPLES"] ?? 10_000);
const PIECES = Number(process.env["BENCH_EVALUATE_PIECES"] ?? 1_000);
const CONCURRENCY = 16;
const JUDGE_MS = 200;
/** A quarter of the places of a connection is kept for people: of 22, {@link CONCURRENCY} and one are left. */
const PLACES = 22;
const SETTLED_MS = 5_000;
const env = { SERVICE_EVALUATION_CONCURRENCY: String(CONCURRENCY) };

interface Connected {
	readonly server: TestServer;
	readonly connection: string;
}

/** Experiment jobs and evaluators against a provider that costs no time but what it is told to take. */
export async function measureEvaluate(): Promise<Figure[]> {
	await using provider = await startModelProvider();
	return [...(await measureJobs(provider)), ...(await measureStream()), ...(await measureIdle(provider))];
}

async function measureJobs(provider: ModelProvider): Promise<Figure[]> {
	await using server = await startServer({ env, authentication: false });
	const connected = { server, connection: await connect(server, provider.openai) };
	await createEvaluators(connected);
	const memory = watchMemory(server.pid);
	const large = await runExperiment(connected, "large", EXAMPLES);
	const peak = await memory.stop();
	const builtIn = await evaluate(server, large.experiment, "built-in");
	const small = await runExperiment(connected, "small", Math.ceil(EXAMPLES / 10));
	const code = await evaluate(server, small.experiment, "code");
	const judge = await evaluate(server, small.experiment, "judge");
	const examples = `${EXAMPLES.toLocaleString("en-US")} examples`;
	const few = `experiment of ${Math.ceil(EXAMPLES / 10).toLocaleString("en-US")} runs`;
	return [
		{
			...{ name: "runs of an experiment job", value: large.rate, unit: "runs/s", target: { atLeast: 80 } },
			detail: `${examples}, concurrency ${CONCURRENCY}; the provider answers at once, beside it`,
		},
		{
			...{ name: "memory meanwhile", value: peak, unit: "MB", target: { atMost: 450 } },
			detail: "largest resident memory of the whole server",
		},
		{
			...{
				name: "built-in evaluations of an experiment",
				value: builtIn,
				unit: "a second",
				target: { atLeast: 1_000 },
			},
			detail: `${examples}, one run each`,
		},
		{
			...{ name: "code evaluations", value: code, unit: "a second", target: { atLeast: 150 } },
			detail: `${few}, small inputs`,
		},
		{
			...{ name: "judge evaluations", value: judge, unit: "a second", target: { atLeast: 56 } },
			detail: `${few}; the provider answers in ${JUDGE_MS} ms; concurrency ${CONCURRENCY}, max_concurrency of the connection ${PLACES}`,
		},
	];
}

async function measureStream(): Promise<Figure[]> {
	await using source = await StreamSource.start(PIECES);
	await using server = await startServer({ env, authentication: false });
	const connection_id = await connect(server, source.url);
	const run = async () => readDelays(await streamRun(server, connection_id));
	// The first call loads what speaks to providers.
	await run();
	const added = await run();
	if (added.length !== PIECES) throw new Error(`${added.length} of ${PIECES} pieces have arrived`);
	const name = "from a provider to the client, each piece of a stream";
	const detail = `${PIECES.toLocaleString("en-US")} pieces, one every 20 ms, through POST /v1/playground/runs`;
	return [
		{ name: `${name}, p50`, value: quantile(added, 0.5), unit: "ms", target: { atMost: 10 }, detail },
		{ name: `${name}, p99`, value: quantile(added, 0.99), unit: "ms", target: { atMost: 50 }, detail },
	];
}

async function measureIdle(provider: ModelProvider): Promise<Figure[]> {
	await using server = await startServer({ env, authentication: false });
	await sleep(SETTLED_MS);
	const before = await readMemory(server.pid);
	const connection_id = await connect(server, provider.openai);
	for await (const _ of (await streamRun(server, connection_id)).body ?? []);
	await sleep(SETTLED_MS);
	const after = await readMemory(server.pid);
	return [
		{
			...{ name: "memory idle without connections", value: before, unit: "MB", target: { atMost: 150 } },
			detail: "resident, 5 s after the start with an empty database",
		},
		{
			...{ name: "memory idle after a call, beyond that", value: after - before, unit: "MB", target: { atMost: 60 } },
			detail: `one connection, 5 s after its first call: ${formatNumber(after)} MB`,
		},
	];
}

async function connect(server: TestServer, base_url: string): Promise<string> {
	const connection = { name: "stand-in", kind: "openai_compatible", base_url, max_concurrency: PLACES };
	return (await ask<{ id: string }>(server, "POST", "/v1/model_connections", connection)).id;
}

async function streamRun(server: TestServer, connection_id: string): Promise<Response> {
	const messages = [{ role: "user", content: "hello" }];
	const response = await server.fetch("/v1/playground/runs", {
		...{ method: "POST", headers: { "content-type": "application/json" } },
		body: JSON.stringify({ variants: [{ connection_id, model: "stand-in", messages }], stream: true }),
	});
	if (!response.ok) throw new Error(`the playground answered ${response.status}: ${await response.text()}`);
	return response;
}

async function createEvaluators({ server, connection }: Connected): Promise<void> {
	const mapping = { run: { output: { path: "output_text" } } };
	const inputs = [{ name: "output" }];
	const messages = [{ role: "user", content: "Judge: {{output}}" }];
	const versions = {
		"built-in": { kind: "BUILT_IN", builtin: { key: "contains", parameters: { texts: ["You said"] } } },
		code: {
			...{ kind: "CODE", language: "javascript", inputs, mapping, outputs: [{ name: "length", type: "score" }] },
			source: "function evaluate({ output }) { return output.length; }",
		},
		judge: {
			...{ kind: "LLM", inputs, mapping },
			outputs: [{ name: "judged", type: "categorical", labels: [{ label: "good" }, { label: "bad" }] }],
			variant: { connection_id: connection, model: `judge+slow-${JUDGE_MS}`, messages },
		},
	};
	for (const [name, version] of Object.entries(versions))
		await ask(server, "POST", "/v1/evaluators", { name, version });
}

async function runExperiment({ server, connection }: Connected, name: string, examples: number) {
	const { dataset_id } = await ask<{ dataset_id: string }>(server, "POST", "/v1/datasets/upload?sync=true", {
		...{ action: "create", name },
		inputs: Array.from({ length: examples }, (_, index) => ({ question: `What is ${index} + 1?` })),
		outputs: Array.from({ length: examples }, (_, index) => ({ answer: `${index + 1}` })),
	});
	const messages = [{ role: "user", content: "Answer: {{question}}" }];
	const variants = [{ connection_id: connection, model: "stand-in", messages }];
	const { job, seconds } = await timeJob(server, { kind: "run", dataset_id, variants, evaluators: [] });
	const [experiment] = job.experiments;
	if (job.runs.done !== examples || experiment === undefined) throw new Error(`it ended as ${JSON.stringify(job)}`);
	return { experiment: experiment.id, rate: examples / seconds };
}

/** @returns evaluations a second */
async function evaluate(server: TestServer, experiment_id: string, evaluator_id: string): Promise<number> {
	const evaluators = [
		{
			evaluator_id,
			...(evaluator_id === "built-in" ? { mapping: { output: { path: "output_text" } } } : {}),
		},
	];
	const { job, seconds } = await timeJob(server, { kind: "evaluate", experiment_id, evaluators });
	if (job.evaluations.done !== job.evaluations.total) throw new Error(`it ended as ${JSON.stringify(job)}`);
	return job.evaluations.total / seconds;
}

interface Job {
	readonly id: string;
	readonly state: string;
	readonly runs: { readonly done: number };
	readonly evaluations: { readonly done: number; readonly total: number };
	readonly experiments: readonly { readonly id: string }[];
}

/** From the request to the end. */
async function timeJob(server: TestServer, body: object): Promise<{ readonly job: Job; readonly seconds: number }> {
	const begin = performance.now();
	let job = await ask<Job>(server, "POST", "/v1/experiment_jobs", body);
	while (job.state === "waiting" || job.state === "running") {
		await sleep(100);
		job = await ask<Job>(server, "GET", `/v1/experiment_jobs/${job.id}`);
	}
	return { job, seconds: (performance.now() - begin) / 1_000 };
}

async function ask<Answer>(server: TestServer, method: string, path: string, body?: object): Promise<Answer> {
	const response = await server.fetch(path, {
		...{ method, headers: { "content-type": "application/json" } },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
	return ((await response.json()) as { data: Answer }).data;
}
