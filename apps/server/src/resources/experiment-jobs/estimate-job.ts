import type { Kysely } from "kysely";
import type { z } from "zod";
import type { Context } from "#context.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { CallPrices } from "#models/ledger/call-prices.ts";
import { sizeOf } from "#models/ledger/call-size.ts";
import { type Estimate, estimateCost, type PlannedCalls, planCalls } from "#models/ledger/estimate-cost.ts";
import { findMeasures } from "#models/ledger/measures.ts";
import { providerOf } from "#models/ledger/provider-of.ts";
import type { ModelRequest } from "#models/model-request.ts";
import type { Tables } from "#storage/schema.ts";
import type { ExampleRow } from "../datasets/examples.ts";
import { findPromptContent } from "../evaluators/prompt-content.ts";
import { parseVersion } from "../evaluators/to-evaluator.ts";
import { examplesOfExperiment } from "../experiments/examples.ts";
import type { PlannedJob } from "./create-job.ts";
import { messagesFor } from "./messages-for.ts";
import type { ExperimentJobEstimate } from "./schemas.ts";

/** Examples that are looked at; the others are taken to be like them. */
const SAMPLED = 50;
/** Where nothing was measured: seconds of a call. */
const A_CALL = { low: 1, high: 10 };

type Wire = z.output<typeof ExperimentJobEstimate>;

/** Calls of one model through one connection. */
interface Calls {
	readonly connectionId: number;
	readonly model: string;
	readonly planned: PlannedCalls;
}

/** What a job would cost and how long it would take. Calls nothing. */
export async function estimateJob(
	{ config, db, now }: Pick<Context, "config" | "db" | "now">,
	planned: PlannedJob,
): Promise<Wire> {
	const { read } = db;
	const examples = await sampleExamples(read, planned);
	const ofRuns = planned.definition.variants.map((variant, position) => {
		const prepared = examples.map((example) => messagesFor(variant, planned.definition, toContext(example)));
		const requests = prepared.flatMap((each) => ("request" in each ? [each.request] : []));
		const faults = prepared.flatMap((each) => ("fault" in each ? [each.fault.error] : []));
		const runs = planned.exampleCount * planned.repetitions;
		return { variant, position, requests, faults, runs };
	});
	const runCalls = ofRuns.map(({ variant, requests, runs }) => ({
		connectionId: variant.connectionId,
		model: variant.model,
		planned: scaled(requests, runs),
	}));
	const evaluated = planned.kind === "run" ? planned.totalRuns : planned.runsToEvaluate;
	const judgeCalls = await planJudges(read, planned, examples, evaluated);
	const calls = [...runCalls, ...judgeCalls];
	const estimates = await estimate(read, calls, now());
	return {
		...{ examples: planned.exampleCount, runs: planned.totalRuns },
		evaluations: evaluated * planned.definition.evaluators.length,
		...summed(estimates, calls, config.SERVICE_EVALUATION_CONCURRENCY),
		basis: basisOf(estimates, examples.length),
		problems: ofRuns.flatMap(({ position, faults }) =>
			[...new Set(faults)].slice(0, 5).map((message) => ({ variant: position, message })),
		),
	};
}

/** Evenly over all examples of the job, at most {@link SAMPLED}. */
async function sampleExamples(db: Kysely<Tables>, { examples, exampleCount }: PlannedJob): Promise<ExampleRow[]> {
	const ids = await examplesOfExperiment(db, examples)
		.clearSelect()
		.select("revision.id as id")
		.orderBy("revision.example_id")
		.execute();
	const step = Math.max(1, Math.ceil(exampleCount / SAMPLED));
	const chosen = ids.filter((_, index) => index % step === 0).map(({ id }) => id);
	if (chosen.length === 0) return [];
	return await examplesOfExperiment(db, examples).where("revision.id", "in", chosen).execute();
}

function toContext({ input, output, metadata }: ExampleRow) {
	return {
		input: objectFromJsonText(input),
		expected: objectFromJsonText(output),
		metadata: objectFromJsonText(metadata),
	};
}

/** So many calls like the given ones. */
function scaled(requests: readonly ModelRequest[], calls: number): PlannedCalls {
	const sample = planCalls(requests.map(sizeOf));
	if (requests.length === 0) return { ...sample, calls: 0 };
	const factor = calls / requests.length;
	return { ...sample, calls, inputBytes: sample.inputBytes * factor, images: sample.images * factor };
}

/** Judges get the prompt of their version, and inputs about as long as an example; code and built-in ones call nothing. */
async function planJudges(
	db: Kysely<Tables>,
	{ definition }: PlannedJob,
	examples: readonly ExampleRow[],
	evaluated: number,
): Promise<Calls[]> {
	const bytes = examples.map(({ input, output }) => Buffer.byteLength(input) + Buffer.byteLength(output));
	const perExample = bytes.reduce((sum, each) => sum + each, 0) / Math.max(1, bytes.length);
	const judges: Calls[] = [];
	for (const { versionId } of definition.evaluators) {
		const row = await db
			.selectFrom("evaluator_versions")
			.select("definition")
			.where("id", "=", versionId)
			.executeTakeFirstOrThrow();
		const version = parseVersion(row.definition);
		if (version.kind !== "LLM") continue;
		const content = await findPromptContent(db, version.variant);
		if ("code" in content) continue;
		const { connectionId, model, messages, invocationParameters } = content;
		const size = sizeOf({
			...{ model, messages },
			...(invocationParameters === undefined ? {} : { invocation_parameters: invocationParameters }),
		});
		const inputBytes = (size.inputBytes + perExample) * evaluated;
		judges.push({ connectionId, model, planned: { ...planCalls([size]), calls: evaluated, inputBytes } });
	}
	return judges;
}

async function estimate(db: Kysely<Tables>, calls: readonly Calls[], micros: number): Promise<Estimate[]> {
	const prices = new CallPrices();
	await prices.refresh(db);
	return await Promise.all(
		calls.map(async ({ connectionId, model, planned }) => {
			const measures = await findMeasures(db, connectionId, model);
			const connection = await db
				.selectFrom("model_connections")
				.select(["kind", "base_url"])
				.where("id", "=", connectionId)
				.executeTakeFirstOrThrow();
			const priced = { provider: providerOf(connection), model };
			return estimateCost(planned, measures, { prices, priced, micros });
		}),
	);
}

function summed(estimates: readonly Estimate[], calls: readonly Calls[], concurrency: number) {
	const sum = (of: (each: Estimate) => number) => estimates.reduce((total, each) => total + of(each), 0);
	const costs = estimates.map(({ costUsd }) => costUsd);
	const seconds = (edge: "low" | "high") =>
		estimates.reduce((total, { secondsPerCall }, at) => {
			const each = secondsPerCall === undefined ? A_CALL[edge] : secondsPerCall * (edge === "low" ? 0.7 : 1.5);
			return total + each * (calls[at]?.planned.calls ?? 0);
		}, 0);
	const places = Math.max(1, concurrency);
	return {
		tokens: {
			low: sum((each) => each.inputTokens.low + each.outputTokens.low),
			high: sum((each) => each.inputTokens.high + each.outputTokens.high),
		},
		cost_usd: costs.some((cost) => cost === undefined)
			? null
			: {
					low: costs.reduce((total, cost) => total + (cost?.low ?? 0), 0),
					high: costs.reduce((total, cost) => total + (cost?.high ?? 0), 0),
				},
		unpriced_models: [
			...new Set(calls.flatMap(({ model }, at) => (estimates[at]?.costUsd === undefined ? [model] : []))),
		],
		minutes: { low: seconds("low") / places / 60, high: seconds("high") / places / 60 },
	};
}

function basisOf(estimates: readonly Estimate[], sampled: number): string {
	if (estimates.length === 0) return "Nothing of it calls a model.";
	const fewest = Math.min(...estimates.map(({ measuredCalls }) => measuredCalls));
	const texts = `The lengths of ${sampled} of the examples`;
	return fewest === 0
		? `${texts}, and a guess of the answers' lengths: not every model was called before.`
		: `${texts}, and the last ${fewest} calls of the models.`;
}
