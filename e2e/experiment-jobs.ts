import { expect } from "vitest";
import type { ModelProvider, ProviderRequest } from "./peers/model-provider.ts";
import type { TestServer } from "./server.ts";

export const JOBS = "/v1/experiment_jobs";
/** Tokens of every answer of {@link ANSWERS}, and their prices for a million in dollars. */
const TOKENS = { input: 100, output: 20 };
const PRICES = { input: 1, output: 2 };
/** Words of a model's name. */
export const ANSWERS = `input-${TOKENS.input}+output-${TOKENS.output}`;
const CALL_USD = (TOKENS.input * PRICES.input + TOKENS.output * PRICES.output) / 1e6;

/** What a job says of itself, as far as tests ask. */
export interface Job {
	readonly id: string;
	readonly state: string;
	readonly reason: string | null;
	readonly runs: Counts;
	readonly evaluations: Counts;
	readonly cost_usd: number;
	readonly experiments: readonly { readonly id: string }[];
}

type Counts = Readonly<Record<"total" | "done" | "failed" | "running" | "skipped" | "retried", number>>;

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
export async function ask(server: TestServer, method: string, path: string, body?: unknown): Promise<any> {
	const response = await server.fetch(path, {
		...{ method, headers: { "content-type": "application/json" } },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
	return text === "" ? undefined : JSON.parse(text);
}

/** @returns the id of a connection without a key, whose models `stand-in…` have a price */
export async function connect(server: TestServer, base_url: string): Promise<string> {
	const connection = { name: "stand-in", kind: "openai_compatible", base_url, max_concurrency: 32 };
	const price = { name: "stand-in", match: "prefix", pattern: "stand-in", provider: null, prices: PRICES };
	await ask(server, "POST", "/v1/model_prices", price);
	return (await ask(server, "POST", "/v1/model_connections", connection)).data.id;
}

export async function createDataset(server: TestServer, name: string, examples: number): Promise<string> {
	const { data } = await ask(server, "POST", "/v1/datasets/upload?sync=true", {
		...{ action: "create", name },
		inputs: Array.from({ length: examples }, (_, index) => ({ question: `What is ${index} + 1?` })),
		outputs: Array.from({ length: examples }, (_, index) => ({ answer: `${index + 1}` })),
	});
	return data.dataset_id;
}

export function variant(connection_id: string, model: string) {
	return {
		...{ connection_id, model, messages: [{ role: "user", content: "Answer: {{question}}" }] },
		invocation_parameters: { type: "openai", openai: { max_tokens: 50 } },
	};
}

/** An evaluator `judge`, which looks at the output of runs. */
export async function createJudge(server: TestServer, connection_id: string, model: string): Promise<void> {
	await ask(server, "POST", "/v1/evaluators", {
		name: "judge",
		version: {
			...{ kind: "LLM", inputs: [{ name: "output" }], mapping: { run: { output: { path: "output_text" } } } },
			outputs: [{ name: "judged", type: "categorical", labels: [{ label: "good" }, { label: "bad" }] }],
			variant: { ...variant(connection_id, model), messages: [{ role: "user", content: "Judge: {{output}}" }] },
		},
	});
}

export async function startJob(server: TestServer, body: object): Promise<string> {
	return (await ask(server, "POST", JOBS, body)).data.id;
}

export async function jobOf(server: TestServer, id: string): Promise<Job> {
	return (await ask(server, "GET", `${JOBS}/${id}`)).data;
}

/** Waits until a job is neither waiting nor running, and none of its tasks is. */
export async function rested(server: TestServer, id: string): Promise<Job> {
	const isResting = ({ state, runs, evaluations }: Job) =>
		state !== "waiting" && state !== "running" && runs.running + evaluations.running === 0;
	await expect.poll(async () => isResting(await jobOf(server, id))).toBe(true);
	return await jobOf(server, id);
}

/** What the provider has to be paid by now, for answers that it has sent to their end. */
export async function paidUsd(provider: ModelProvider): Promise<number> {
	return (await provider.requests()).filter(isPaid).length * CALL_USD;
}

function isPaid({ status, wasCancelled }: ProviderRequest): boolean {
	return status === 200 && !wasCancelled;
}

/** What is wrong with the runs of a job, each of which has to be there once, with evaluations of these names and a span. */
export async function findFaults(
	server: TestServer,
	{ experiments }: Job,
	names: readonly string[],
): Promise<string[]> {
	const [experiment] = experiments;
	const { data } = await ask(server, "GET", `/v1/experiments/${experiment?.id}/runs?limit=1000`);
	const runs = data as { dataset_example_id: string; repetition_number: number; trace_id: string | null }[];
	const places = runs.map(({ dataset_example_id, repetition_number }) => `${dataset_example_id} ${repetition_number}`);
	const twice = places.filter((place, at) => places.indexOf(place) !== at).map((place) => `${place} is there twice`);
	const records = (await ask(server, "GET", `/v1/experiments/${experiment?.id}/json`)) as {
		annotations: { name: string; error?: string | null }[];
	}[];
	const wrong = records
		.filter(({ annotations }) => annotations.map(({ name }) => name).join() !== names.join())
		.map(({ annotations }) => `evaluations of a run: ${JSON.stringify(annotations)}`);
	const { project_name } = (await ask(server, "GET", `/v1/experiments/${experiment?.id}`)).data;
	const spans = (await ask(server, "GET", `/v1/projects/${project_name}/spans?limit=1000`)).data;
	const traces = new Set(spans.map(({ context }: { context: { trace_id: string } }) => context.trace_id));
	const untraced = runs.filter(({ trace_id }) => !traces.has(trace_id)).map(({ trace_id }) => `no span of ${trace_id}`);
	return [...twice, ...wrong, ...untraced];
}
