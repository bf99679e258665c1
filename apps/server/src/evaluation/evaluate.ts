import { randomBytes } from "node:crypto";
import { toJsonText } from "#http/json-values.ts";
import type { CallFailure, CallResult } from "#models/call-model.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { evaluateBuiltIn } from "./built-in/evaluate-built-in.ts";
import type { CodeRunner } from "./code/code-pool.ts";
import { faultedOutputs, faultMessage, readReturned } from "./code/evaluate-code.ts";
import type { TargetContext } from "./contexts/context.ts";
import { byName, type Evaluation, type EvaluationError, failedOutputs } from "./evaluation-result.ts";
import type { EvaluatorSpan } from "./evaluator-span.ts";
import type { EvaluatorVersion, JudgeVariant } from "./evaluator-version.ts";
import { judge, type ResolvedVariant } from "./judge/judge.ts";
import type { Lessons } from "./judge/lessons.ts";
import { type InputValues, type Mapping, mapInputs } from "./mapping.ts";

/** What evaluating needs of the rest of the server. */
export interface EvaluationServices {
	/** Asks a model; the spans of the attempts are children of `parent`. */
	readonly ask: (
		connectionId: number,
		request: ModelRequest,
		parent: { readonly traceId: string; readonly spanId: string },
	) => Promise<CallResult | CallFailure>;
	readonly lessons: Lessons;
	readonly code: CodeRunner;
	/** The messages and model of a variant; an error for a prompt version or connection that is gone. */
	readonly resolveVariant: (variant: JudgeVariant) => Promise<ResolvedVariant | EvaluationError>;
	/** Stores the span of the evaluator, of judges and code. */
	readonly recordSpan: (span: EvaluatorSpan) => Promise<void>;
	/** Microseconds since 1970. */
	readonly now: () => number;
}

export interface EvaluationTask {
	/** Of the evaluator; names its span. */
	readonly name: string;
	readonly version: EvaluatorVersion;
	/** The global id of the version; absent for one that is only tried. */
	readonly versionId?: string;
	/** For all inputs, or the values themselves. */
	readonly inputs:
		| { readonly mapping: Mapping; readonly context: TargetContext }
		| { readonly values: Readonly<Record<string, unknown>> };
}

type WithoutTimes = Omit<Evaluation, "latencyMs">;

/** Runs one version of an evaluator on one target. Rejects only when its span cannot be stored. */
export async function evaluate(services: EvaluationServices, task: EvaluationTask): Promise<Evaluation> {
	const { version } = task;
	const start = performance.now();
	const timed = (evaluation: WithoutTimes): Evaluation => ({
		...evaluation,
		latencyMs: Math.round((performance.now() - start) * 1_000) / 1_000,
	});
	const mapped = mapInputs(version.inputs, ...sourcesOf(task));
	if (mapped.missing !== undefined) {
		return timed(failed(version, { code: "missing_input", message: mapped.missing.message }));
	}
	switch (version.kind) {
		case "BUILT_IN":
			return timed(byBuiltIn(version, mapped.values));
		case "CODE":
			return timed(await byCode(services, task, version, mapped.values));
		case "LLM":
			return timed(await byJudge(services, task, version, mapped.values));
	}
}

/** Given values are a context in which each input is a member of its name. */
function sourcesOf({ version, inputs }: EvaluationTask): [Mapping, TargetContext] {
	if ("mapping" in inputs) return [inputs.mapping, inputs.context];
	return [Object.fromEntries(version.inputs.map(({ name }) => [name, { path: name }])), inputs.values];
}

function byBuiltIn(version: Extract<EvaluatorVersion, { kind: "BUILT_IN" }>, values: InputValues): WithoutTimes {
	const entries = version.outputs.map(
		(output) => [output.name, evaluateBuiltIn(version.builtin, output, values)] as const,
	);
	const error = entries[0]?.[1].error ?? null;
	return {
		...NOTHING,
		outputs: byName(entries),
		...(error === null ? {} : { failure: { ...error, isPassing: false } }),
	};
}

async function byCode(
	services: EvaluationServices,
	task: EvaluationTask,
	version: Extract<EvaluatorVersion, { kind: "CODE" }>,
	values: InputValues,
): Promise<WithoutTimes> {
	const ids = newIds();
	const startMicros = services.now();
	const { language, source, timeout_ms: timeoutMs, memory_mib: memoryMib } = version;
	const { fault, returned, log } = await services.code.run({
		language,
		source,
		timeoutMs,
		memoryMib,
		inputs: toJsonText(values),
	});
	if (fault?.code === "code_off") return failed(version, { code: "code_off", message: fault.message });
	const read =
		fault === undefined
			? readReturned(version.outputs, returned)
			: { outputs: faultedOutputs(version.outputs, fault), warnings: [] };
	const failure =
		fault === undefined ? undefined : { code: fault.code, message: faultMessage(fault), isPassing: false };
	const evaluation: WithoutTimes = {
		...NOTHING,
		...read,
		traceId: ids.traceId,
		...(failure === undefined ? {} : { failure }),
	};
	await services.recordSpan({
		...spanOf(task, ids, startMicros, services.now(), values, evaluation),
		kind: "CODE",
		log,
	});
	return evaluation;
}

async function byJudge(
	services: EvaluationServices,
	task: EvaluationTask,
	version: Extract<EvaluatorVersion, { kind: "LLM" }>,
	values: InputValues,
): Promise<WithoutTimes> {
	const ids = newIds();
	const startMicros = services.now();
	const variant = await services.resolveVariant(version.variant);
	if ("code" in variant) return failed(version, variant);
	let isRecorded = false;
	const judged = await judge(version, variant, values, {
		lessons: services.lessons,
		ask: async (request) => {
			const outcome = await services.ask(variant.connectionId, request, ids);
			isRecorded ||= "answer" in outcome || outcome.trace !== undefined;
			return outcome;
		},
	});
	if (!isRecorded) return { ...judged, traceId: null };
	const evaluation = { ...judged, traceId: ids.traceId };
	await services.recordSpan({
		...spanOf(task, ids, startMicros, services.now(), values, evaluation),
		kind: "LLM",
	});
	return evaluation;
}

const NOTHING = { costUsd: null, traceId: null, model: null, warnings: [], isTruncated: false } as const;

function failed({ outputs }: EvaluatorVersion, error: EvaluationError): WithoutTimes {
	return { ...NOTHING, outputs: failedOutputs(outputs, error), failure: { ...error, isPassing: false } };
}

function newIds(): { readonly traceId: string; readonly spanId: string } {
	return { traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex") };
}

function spanOf(
	{ name, versionId }: EvaluationTask,
	ids: { readonly traceId: string; readonly spanId: string },
	startMicros: number,
	endMicros: number,
	inputs: InputValues,
	{ outputs, failure, warnings }: WithoutTimes,
): Omit<EvaluatorSpan, "kind"> {
	return {
		...ids,
		name,
		startMicros,
		endMicros,
		inputs,
		outputs,
		failure,
		warnings,
		...(versionId === undefined ? {} : { versionId }),
	};
}
