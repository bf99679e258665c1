import type { CallFailure, CallResult, CallUse, ModelCaller } from "#models/call-model.ts";
import type { ModelDelta, ModelUsage } from "#models/model-request.ts";
import { AnswerChecker } from "./check-answer.ts";
import type { ResolvedVariant } from "./resolve-variants.ts";
import type { WireEnd, WireError } from "./schemas.ts";

/** One call of a run. */
export interface PlannedCall {
	/** Position among the variants, from 0. */
	readonly variant: number;
	/** From 1. */
	readonly repetition: number;
	readonly resolved: ResolvedVariant;
	/** That of the variant. */
	readonly checker: AnswerChecker;
}

export function planCalls(variants: readonly ResolvedVariant[], repetitions: number): PlannedCall[] {
	return variants.flatMap((resolved, variant) => {
		const checker = new AnswerChecker(resolved.request.response_format);
		return Array.from({ length: repetitions }, (_, index) => ({ variant, repetition: index + 1, resolved, checker }));
	});
}

export interface RunOptions {
	readonly use: Pick<CallUse, "project" | "isAdmin">;
	readonly signal: AbortSignal;
	/** Called for pieces of answers, which are streamed only then. */
	readonly onDelta?: (call: PlannedCall, delta: ModelDelta) => void;
	readonly onResult?: (result: WireEnd | WireError) => void;
}

/**
 * Makes all calls of a run at once. One that fails does not end the others.
 * @returns in the order of the calls
 */
export async function carryOut(
	models: ModelCaller,
	calls: readonly PlannedCall[],
	options: RunOptions,
): Promise<(WireEnd | WireError)[]> {
	const results = await Promise.allSettled(calls.map((call) => carryOutOne(models, call, options)));
	return results.map((result) => {
		if (result.status === "rejected") throw result.reason;
		return result.value;
	});
}

async function carryOutOne(
	models: ModelCaller,
	call: PlannedCall,
	{ use, signal, onDelta, onResult }: RunOptions,
): Promise<WireEnd | WireError> {
	const { connectionId, request, promptVersionId } = call.resolved;
	const result = await models.call(
		connectionId,
		request,
		{
			...use,
			...{ purpose: "playground", isInteractive: true, budgets: [] },
			...(promptVersionId === undefined ? {} : { promptVersionId }),
		},
		{ signal, ...(onDelta === undefined ? {} : { onDelta: (delta: ModelDelta) => onDelta(call, delta) }) },
	);
	const wire = "error" in result ? toError(call, result) : toEnd(call, result);
	onResult?.(wire);
	return wire;
}

function toEnd({ variant, repetition, checker }: PlannedCall, result: CallResult): WireEnd {
	const { text, reasoning, tool_calls, signed_reasoning: signed, finish_reason, model, usage } = result.answer;
	const { warning, ...checked } = checker.check(result.answer);
	return {
		...{ variant, repetition },
		output: {
			...{ text, reasoning, tool_calls: [...tool_calls], finish_reason, model, ...checked },
			...(signed === undefined ? {} : { signed_reasoning: [...signed] }),
		},
		usage: toUsage(usage),
		...{ cost_usd: result.costUsd ?? null, latency_ms: result.latencyMs, first_token_ms: result.firstTokenMs ?? null },
		warnings: [...result.warnings, ...(warning === undefined ? [] : [warning])],
		...{ trace_id: result.traceId, span_id: result.spanId },
	};
}

function toError({ variant, repetition }: PlannedCall, failure: CallFailure): WireError {
	const { error, partial, trace } = failure;
	return {
		...{ variant, repetition, code: error.code, message: error.message },
		...(error.parameter === undefined ? {} : { parameter: error.parameter }),
		partial:
			partial === undefined
				? null
				: {
						...{ text: partial.text, reasoning: partial.reasoning, tool_calls: [...partial.tool_calls] },
						usage: toUsage(partial.usage),
					},
		...{ cost_usd: failure.costUsd ?? null, latency_ms: failure.latencyMs },
		...{ trace_id: trace?.traceId ?? null, span_id: trace?.spanId ?? null },
	};
}

function toUsage(usage: ModelUsage | undefined): WireEnd["usage"] {
	return usage === undefined ? null : { ...usage };
}
