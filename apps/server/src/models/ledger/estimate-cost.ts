import type { CallPrices, Priced } from "./call-prices.ts";
import type { CallSize } from "./call-size.ts";
import type { Measures } from "./measures.ts";

/** Many calls of one model, which are not made yet. */
export interface PlannedCalls {
	readonly calls: number;
	/** Of all of them. */
	readonly inputBytes: number;
	readonly images: number;
	/** Tokens of each answer, where the requests set a limit. */
	readonly outputLimit: number | undefined;
}

interface Range {
	readonly low: number;
	readonly high: number;
}

export interface Estimate {
	readonly inputTokens: Range;
	readonly outputTokens: Range;
	/** Dollars; undefined where the model has no price. */
	readonly costUsd: Range | undefined;
	/** Of each call, one after another; undefined before there was any. */
	readonly secondsPerCall: number | undefined;
	/** How many of the model's last calls it rests on; with 0 it is a guess. */
	readonly measuredCalls: number;
}

/** From so many calls on their tokens per byte are known well. */
const MANY = 20;
const IMAGE_TOKENS: Range = { low: 80, high: 3_000 };
/** Where neither a call nor a limit says how long answers are. */
const LONG_ANSWER = 4_096;

/** The sizes of several calls of one model as one plan. */
export function planCalls(sizes: readonly CallSize[]): PlannedCalls {
	const limits = sizes.map(({ outputLimit }) => outputLimit);
	return {
		calls: sizes.length,
		inputBytes: sizes.reduce((sum, { inputBytes }) => sum + inputBytes, 0),
		images: sizes.reduce((sum, { images }) => sum + images, 0),
		outputLimit: limits.some((limit) => limit === undefined)
			? undefined
			: limits.reduce<number>((most, limit) => Math.max(most, limit ?? 0), 0),
	};
}

/**
 * What calls will probably cost, from what the last calls of their model took. Not what budgets are kept by: those take
 * the most that a call may cost.
 * @param micros when they will be made; prices depend on it
 */
export function estimateCost(
	planned: PlannedCalls,
	measures: Measures | undefined,
	{ prices, priced, micros }: { readonly prices: CallPrices; readonly priced: Priced; readonly micros: number },
): Estimate {
	const { calls, inputBytes, images, outputLimit } = planned;
	const isMeasured = measures !== undefined && measures.input_bytes > 0;
	const perByte = isMeasured ? measures.input_tokens / measures.input_bytes : 1 / 4;
	const spread = isMeasured && measures.calls >= MANY ? 1.25 : 2;
	const input = inputBytes * perByte;
	const inputTokens = {
		low: Math.floor(input / spread + images * IMAGE_TOKENS.low),
		high: Math.ceil(input * spread + images * IMAGE_TOKENS.high),
	};
	const answer = isMeasured
		? { low: measures.output_tokens / 2, high: measures.output_tokens * 2 }
		: { low: 1, high: LONG_ANSWER };
	const most = outputLimit ?? Number.POSITIVE_INFINITY;
	const outputTokens = {
		low: Math.floor(calls * Math.min(answer.low, most)),
		high: Math.ceil(calls * Math.min(answer.high, most)),
	};
	// Tiers of prices go by the size of each call.
	const costOf = (inputs: number, outputs: number) => {
		if (calls === 0) return 0;
		const each = prices.costOf(priced, { prompt: inputs / calls, completion: outputs / calls }, micros);
		return each === undefined ? undefined : each * calls;
	};
	const low = costOf(inputTokens.low, outputTokens.low);
	const high = costOf(inputTokens.high, outputTokens.high);
	return {
		inputTokens,
		outputTokens,
		costUsd: low === undefined || high === undefined ? undefined : { low, high },
		secondsPerCall: isMeasured ? measures.seconds : undefined,
		measuredCalls: isMeasured ? measures.calls : 0,
	};
}
