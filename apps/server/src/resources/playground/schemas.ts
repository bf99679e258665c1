import { z } from "zod";
import { jsonObject } from "#http/json-values.ts";
import { textParam } from "#http/query-params.ts";
import {
	PromptResponseFormat,
	PromptTools,
	StoredInvocationParameters,
	TemplateFormat,
} from "#models/definition-schemas.ts";
import { MODEL_ERROR_CODES } from "#models/model-error.ts";
import { type GivenVariant, ReasoningContentPart, Variant, VariantMessage } from "#models/variant.ts";
import { allowWiderAccessField } from "../projects/homes.ts";

const MAX_VARIANTS = 6;
const MAX_REPETITIONS = 10;
/** Of one run. */
const MAX_CALLS = 24;
const MAX_RUN_IMAGE_BYTES = 20 * 1_024 * 1_024;

const identifier = z.string().min(1).max(1_024);

export const PlaygroundRunBody = z
	.strictObject({
		variants: z.array(Variant).min(1).max(MAX_VARIANTS),
		variables: jsonObject.optional().describe("Values by the name that templates use."),
		repetitions: z.int().min(1).max(MAX_REPETITIONS).default(1),
		project: identifier.optional().describe("Id or name of the project that gets the traces."),
		source: identifier
			.optional()
			.describe(
				"Id or name of the project whose content the run begins with. Where its access is restricted, the traces go to a project with the same access.",
			),
		allow_wider_access: allowWiderAccessField,
		stream: z.boolean().default(false),
	})
	.superRefine(({ variants, repetitions }, context) => {
		if (variants.length * repetitions > MAX_CALLS) {
			const message = `a run makes ${MAX_CALLS} calls at most: variants times repetitions`;
			context.addIssue({ code: "custom", path: ["repetitions"], message });
		}
		if (variants.reduce((sum, variant) => sum + imageBytes(variant), 0) > MAX_RUN_IMAGE_BYTES) {
			context.addIssue({ code: "custom", path: ["variants"], message: "the images of a run may have 20 MiB together" });
		}
	})
	.meta({ id: "PlaygroundRunBody" });

function imageBytes({ messages = [] }: GivenVariant): number {
	const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
	return parts.reduce((sum, part) => sum + (part.type === "image" ? (part.data.length / 4) * 3 : 0), 0);
}

const ToolCall = z
	.object({ id: z.string(), name: z.string(), arguments: z.string().describe("JSON, as the model wrote it.") })
	.meta({ id: "PlaygroundToolCall" });

const SchemaError = z
	.object({
		path: z.array(z.string()).describe("The way to the value in the answer: names, and positions in lists."),
		message: z.string(),
	})
	.meta({ id: "PlaygroundSchemaError" });

const texts = {
	text: z.string(),
	reasoning: z.string(),
	tool_calls: z.array(ToolCall),
};

const PlaygroundUsage = z
	.object({
		input: z.int().describe("With what was read from and written to caches."),
		output: z.int().describe("With reasoning."),
		cache_read: z.int().optional(),
		cache_write: z.int().optional(),
		reasoning: z.int().optional(),
	})
	.meta({ id: "PlaygroundUsage", description: "Tokens as the provider counted them." });

const PlaygroundOutput = z
	.object({
		...texts,
		signed_reasoning: z
			.array(ReasoningContentPart)
			.optional()
			.describe(
				"What the provider wants back when the conversation goes on: parts of the assistant's message, before its text and calls of tools.",
			),
		finish_reason: z.string().describe("`stop`, `length`, `tool_calls`, `content_filter`, or the provider's word."),
		model: z.string().describe("The model that answered, as the provider names it."),
		parsed: z.unknown().optional().describe("The text as JSON, where a response format was asked for."),
		schema_errors: z
			.array(SchemaError)
			.optional()
			.describe("Where a response format was asked for; empty when the answer fits its schema."),
	})
	.meta({ id: "PlaygroundOutput" });

/** Which call of the run an event or a result is of. */
const ofCall = {
	variant: z.int().describe("Position in `variants`, from 0."),
	repetition: z.int().describe("From 1."),
};

const measured = {
	cost_usd: z.number().nullable().describe("Null where the model has no price."),
	latency_ms: z.number(),
};

const ofTrace = {
	trace_id: z.string().nullable(),
	span_id: z.string().nullable(),
};

const PlaygroundEnd = z
	.object({
		...ofCall,
		output: PlaygroundOutput,
		usage: PlaygroundUsage.nullable(),
		...measured,
		first_token_ms: z.number().nullable().describe("Of streamed answers."),
		warnings: z.array(z.string()),
		...ofTrace,
	})
	.meta({ id: "PlaygroundEnd" });

const PlaygroundError = z
	.object({
		...ofCall,
		code: z.enum(MODEL_ERROR_CODES),
		message: z.string(),
		parameter: z.string().optional().describe("The parameter that the provider refused."),
		partial: z
			.object({ ...texts, usage: PlaygroundUsage.nullable() })
			.nullable()
			.describe("What came before."),
		...measured,
		...ofTrace,
	})
	.meta({ id: "PlaygroundError" });

export const PlaygroundStart = z
	.object({
		project: z.string().describe("Name of the project that gets the traces."),
		calls: z.array(z.object({ ...ofCall, label: z.string().nullable(), model: z.string() })),
	})
	.meta({ id: "PlaygroundStart" });

const PlaygroundDelta = z
	.object({ ...ofCall, text: z.string().optional(), reasoning: z.string().optional() })
	.meta({ id: "PlaygroundDelta" });

const PlaygroundToolCallEvent = z.object({ ...ofCall, tool_call: ToolCall }).meta({ id: "PlaygroundToolCallEvent" });

const PlaygroundDone = z
	.object({
		reason: z
			.enum(["finished", "access_ended", "stopping"])
			.describe("`access_ended`: you may not run this any more. `stopping`: the server is about to stop."),
	})
	.meta({ id: "PlaygroundDone" });

const eventOf = <const Name extends string, Data extends z.ZodType>(name: Name, data: Data) =>
	z.object({ event: z.literal(name), data });

/** One event of the stream. */
export const PlaygroundEvent = z
	.discriminatedUnion("event", [
		eventOf("start", PlaygroundStart),
		eventOf("delta", PlaygroundDelta),
		eventOf("tool_call", PlaygroundToolCallEvent),
		eventOf("end", PlaygroundEnd),
		eventOf("error", PlaygroundError),
		eventOf("heartbeat", z.object({})),
		eventOf("done", PlaygroundDone),
	])
	.meta({ id: "PlaygroundEvent", description: "One server-sent event; `data` is JSON." });

export const PlaygroundRun = z
	.object({
		...PlaygroundStart.shape,
		data: z
			.array(z.union([PlaygroundEnd, PlaygroundError]))
			.describe("By variant and repetition; what has a `code` failed."),
	})
	.meta({ id: "PlaygroundRun" });

/** A variant of something that is there already; connection and model may be open. */
export const SourceVariant = z
	.object({
		connection_id: z.string().nullable().describe("A connection that has the model; null where there is none."),
		model: z.string().nullable(),
		label: z.string().nullable(),
		messages: z.array(VariantMessage),
		template_format: TemplateFormat,
		invocation_parameters: StoredInvocationParameters.nullable(),
		tools: PromptTools.nullable(),
		response_format: PromptResponseFormat.nullable(),
	})
	.meta({ id: "PlaygroundSourceVariant" });

export const PlaygroundSource = z
	.object({
		variant: SourceVariant,
		variables: z.record(z.string(), z.unknown()),
		not_captured: z.array(z.string()).describe("Sentences about what could not be taken over."),
		provider: z.string().nullable().describe("As it was recorded; of a prompt version, its `model_provider`."),
		prompt_version_id: z.string().nullable().describe("The version that this is."),
		project_id: z
			.string()
			.nullable()
			.describe("The project that this is from, for `source` of a run; null for the library."),
	})
	.meta({ id: "PlaygroundSource" });

export const PlaygroundSourceQuery = z
	.object({
		span_id: textParam.optional().describe("Id of a model call, or its 16 hex digits."),
		trace_id: textParam.optional().describe("With `span_id`, where other traces have the same."),
		project: textParam.optional().describe("Id or name; with `span_id`."),
		prompt_version_id: textParam.optional(),
		experiment_id: textParam.optional().describe("An experiment that the server ran."),
	})
	.superRefine(({ span_id, prompt_version_id, experiment_id }, context) => {
		const named = [span_id, prompt_version_id, experiment_id].filter((each) => each !== undefined);
		if (named.length === 1) return;
		const message = "name one of `span_id`, `prompt_version_id` and `experiment_id`";
		context.addIssue({ code: "custom", path: ["span_id"], message });
	});

export type WireEnd = z.output<typeof PlaygroundEnd>;
export type WireError = z.output<typeof PlaygroundError>;
