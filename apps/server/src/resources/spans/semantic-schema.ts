import { z } from "zod";

/** Any JSON. Integers beyond 2^53 keep their digits, bytes are base64. */
const json = z.unknown();
const text = z.string();

const TokenCounts = z
	.object({
		prompt: z.number(),
		completion: z.number(),
		total: z.number(),
		cache_read: z.number(),
		cache_write: z.number(),
		reasoning: z.number(),
	})
	.partial()
	.meta({ id: "TokenCounts" });

const Message = z
	.object({
		role: text,
		text: text.optional(),
		tool_calls: z
			.array(z.object({ id: text.optional(), name: text.optional(), arguments: json.optional() }))
			.optional(),
		tool_call_id: text.optional(),
		images: z.number().optional().describe("Number of image parts."),
		image_urls: z.array(text).optional(),
		media: z
			.array(
				z.object({
					kind: z.enum(["audio", "video", "file"]),
					mime: text.optional(),
					url: text.optional().describe("data: or https:, if it was sent."),
					name: text.optional(),
					id: text.optional(),
					transcript: text.optional(),
				}),
			)
			.optional()
			.describe("Audio, video and files."),
		reasoning: text.optional(),
		name: text.optional(),
	})
	.meta({ id: "Message" });

const RawValue = z.object({ attribute: text, value: json, mime: text.optional() }).meta({ id: "RawValue" });

/** The wire form of `Semantic` of the semconv package: what a span means, in any convention. */
export const Semantic = z
	.object({
		convention: text,
		kind: text,
		kind_from: text.optional(),
		model: text.optional(),
		request_model: text.optional(),
		provider: text.optional(),
		tokens: TokenCounts.optional(),
		tokens_are_aggregate: z.boolean().optional(),
		aggregated_tokens: TokenCounts.optional(),
		cost: z
			.object({
				total: z.number().optional(),
				prompt: z.number().optional(),
				completion: z.number().optional(),
				cache_read: z.number().optional(),
				cache_write: z.number().optional(),
				reasoning: z.number().optional(),
				source: z.enum(["sent", "table"]),
			})
			.optional()
			.describe("US dollars."),
		input: RawValue.optional(),
		output: RawValue.optional(),
		input_text: text.optional(),
		output_text: text.optional(),
		input_messages: z.array(Message).optional(),
		output_messages: z.array(Message).optional(),
		tool: z
			.object({
				name: text.optional(),
				description: text.optional(),
				call_id: text.optional(),
				parameters: json.optional(),
			})
			.optional(),
		tool_definitions: z.array(text).optional().describe("Names of the tools offered to the model."),
		tool_schemas: z.array(json).optional().describe("Their definitions as they were sent."),
		documents: z
			.array(
				z.object({
					id: text.optional(),
					content: text.optional(),
					score: z.number().optional(),
					metadata: json.optional(),
				}),
			)
			.optional(),
		embeddings: z
			.object({ texts: z.array(text).optional(), vectors: z.number().optional(), dimension: z.number().optional() })
			.optional(),
		prompt_template: z
			.object({ template: text.optional(), version: text.optional(), variables: json.optional() })
			.optional(),
		invocation_parameters: json.optional(),
		conversation: z.array(Message).optional(),
		agent_name: text.optional(),
		error: z
			.object({
				type: text.optional(),
				message: text.optional(),
				stacktrace: text.optional(),
				exception_event: z.boolean().optional(),
				raw_status_message: text.optional(),
			})
			.optional(),
		session_id: text.optional(),
		session_from: text.optional(),
		user_id: text.optional(),
		metadata: json.optional(),
		metadata_flattened: json.optional(),
		tags: z.array(text).optional(),
		content_not_captured: z.boolean().optional(),
		level: text.optional(),
		status_message: text.optional(),
		trace_name: text.optional(),
		environment: text.optional(),
		version: text.optional(),
		release: text.optional(),
		function_id: text.optional(),
		finish_reason: text.optional(),
	})
	.meta({ id: "Semantic", description: "What the span means. A key that is absent is not in the data." });
