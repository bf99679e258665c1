import { z } from "zod";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { projectName } from "../projects/schemas.ts";

const MAX_PATTERN = 200;
const MAX_PRICE = 1_000_000;

const amount = z.number().gte(0).lte(MAX_PRICE);
const KINDS = { input: amount, output: amount, cache_read: amount, cache_write: amount, reasoning: amount };

const Prices = z
	.object({
		input: z.number().nullish(),
		output: z.number().nullish(),
		cache_read: z.number().nullish().describe("As input when absent; like cache_write part of the prompt's tokens."),
		cache_write: z.number().nullish(),
		reasoning: z.number().nullish().describe("As output when absent."),
	})
	.describe("US dollars per million tokens.");

const match = z
	.enum(["exact", "prefix", "suffix", "contains", "regex"])
	.describe(
		"How the pattern is compared with the model's name, in any case; `regex`: RE2 syntax, anywhere in the name.",
	);

export const ModelPrice = z
	.object({
		id: z.string(),
		origin: z.enum(["built_in", "own"]),
		name: z.string(),
		match: match.nullable().describe("Null for a built-in price that matches by several rules."),
		pattern: z.string().nullable(),
		provider: z.string().nullable().describe("Null: of any provider."),
		start_time: wireTime.nullable().describe("In force for spans that start from then on; null for ever."),
		hours: z
			.object({ from: z.string(), to: z.string() })
			.nullable()
			.describe("In force at these times of the day, UTC; of built-in prices only."),
		prices: Prices,
		tiers: z
			.array(z.object({ kind: z.string(), above_input_tokens: z.int(), price: z.number() }))
			.describe("Prices of calls with more input tokens; of built-in prices only."),
		user_id: z.string().nullable(),
		created_at: wireTime.nullable(),
		updated_at: wireTime.nullable(),
	})
	.meta({ id: "ModelPrice" });

const pattern = z
	.string()
	.min(1)
	.max(MAX_PATTERN)
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
	.regex(/^[^\u0000-\u001f\u007f]*$/, "String should have no control characters")
	.refine((text) => text.isWellFormed(), "the text has half of a surrogate pair");

/** A time to be stored, clamped to the microseconds that a number represents exactly. */
const storedTime = timeParam.transform((micros) =>
	Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, micros)),
);

const ownPrices = z
	.object(KINDS)
	.partial()
	.refine((prices) => prices.input !== undefined || prices.output !== undefined, "needs a price of input or of output")
	.describe("US dollars per million tokens; input or output at least.");

/** Treats null as absent, as JavaScript clients may send it. */
const withoutNulls = z.preprocess(
	(value) =>
		typeof value === "object" && value !== null
			? Object.fromEntries(Object.entries(value).filter(([, price]) => price !== null))
			: value,
	ownPrices,
);

export const CreateModelPriceBody = z
	.object({
		name: projectName.nullish().describe("What people call it; the pattern when absent."),
		match: match.nullish().describe("`exact` when absent."),
		pattern,
		provider: pattern.nullish().describe("Only of spans that name this provider."),
		start_time: storedTime.nullish().describe("In force for spans that start from then on."),
		prices: withoutNulls,
	})
	.meta({ id: "CreateModelPriceBody" });

export const UpdateModelPriceBody = z
	.object({
		name: projectName.optional(),
		match: match.optional(),
		pattern: pattern.optional(),
		provider: pattern.nullish(),
		start_time: storedTime.nullish(),
		prices: withoutNulls.optional(),
	})
	.meta({ id: "UpdateModelPriceBody" });

export const CreateCostRecomputationBody = z
	.object({
		start_time: storedTime.nullish().describe("Only of spans that start from then on."),
		end_time: storedTime.nullish().describe("Only of spans that start before."),
	})
	.meta({ id: "CreateCostRecomputationBody" });

export const CostRecomputation = z
	.object({
		id: z.string(),
		project_id: z.string(),
		start_time: wireTime.nullable(),
		end_time: wireTime.nullable(),
		state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
		total_spans: z.int().describe("Spans to check."),
		seen_spans: z.int(),
		changed_spans: z.int().describe("Spans whose cost changed."),
		progress: z.number().describe("0 to 1."),
		error: z.string().nullable(),
		user_id: z.string().nullable(),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "CostRecomputation" });
