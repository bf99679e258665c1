import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { storedText } from "#http/stored-text.ts";
import {
	ContentPart,
	MAX_PARTS,
	MESSAGE_ROLES,
	PromptResponseFormat,
	PromptTools,
	StoredInvocationParameters,
	TemplateFormat,
} from "./definition-schemas.ts";
import { decodeImage, IMAGE_TYPES, imageTypeOf, MAX_IMAGE_BYTES } from "./image-bytes.ts";
import { REASONING_PROVIDERS } from "./model-request.ts";

/** What a call of a model is made of, as it is sent and stored: connection, model, and what the model is given. */

export const MAX_MESSAGES = 1_000;
export const MAX_TOOLS = 128;
/** Characters in base64. */
const MAX_IMAGE_TEXT = Math.ceil(MAX_IMAGE_BYTES / 3) * 4;

export const ImageContentPart = z
	.strictObject({
		type: z.literal("image"),
		media_type: z.enum(IMAGE_TYPES),
		data: z.string().max(MAX_IMAGE_TEXT).describe("Its bytes in base64; 5 MiB at most."),
	})
	.superRefine(({ media_type, data }, context) => {
		const bytes = decodeImage(data);
		const found = bytes === undefined ? undefined : imageTypeOf(bytes);
		if (found === media_type) return;
		const message =
			bytes === undefined
				? "it is not base64"
				: found === undefined
					? "its bytes are no PNG, JPEG, WebP or GIF"
					: `its bytes are ${found}`;
		context.addIssue({ code: "custom", path: ["data"], message });
	})
	.meta({ id: "ImageContentPart" });

export const ReasoningContentPart = z
	.strictObject({
		type: z.literal("reasoning"),
		text: storedText(1_000_000).describe("Empty where the provider does not tell."),
		provider: z.enum(REASONING_PROVIDERS).describe("Nobody else can read it, and it is sent to nobody else."),
		signature: storedText(1_000_000).min(1).optional().describe("As the provider gave it."),
		redacted: storedText(1_000_000).min(1).optional().describe("Thoughts that only the provider can read."),
		tool_call_id: storedText(1_000).optional().describe("The call that the signature belongs to."),
	})
	.refine(
		({ signature, redacted }) => signature !== undefined || redacted !== undefined,
		"give `signature` or `redacted`: without, the provider does not take it",
	)
	.meta({ id: "ReasoningContentPart", description: "What a model thought, in a message of the assistant." });

const VariantPart = z.discriminatedUnion("type", [...ContentPart.options, ImageContentPart, ReasoningContentPart]);

export const VariantMessage = z
	.strictObject({
		role: z.enum(MESSAGE_ROLES),
		content: z.union([storedText(1_000_000), bodyList(VariantPart, { min: 1, max: MAX_PARTS })]),
	})
	.meta({ id: "VariantMessage", description: "As messages of prompt versions, with images and reasoning." });

const fewTools = PromptTools.refine(({ tools }) => tools.length <= MAX_TOOLS, `there are more than ${MAX_TOOLS} tools`);

/** What a model is given, written out. */
const content = {
	messages: bodyList(VariantMessage, { min: 1, max: MAX_MESSAGES }),
	template_format: TemplateFormat.optional().describe("How variables are written in texts; `MUSTACHE` when absent."),
	invocation_parameters: StoredInvocationParameters.optional().describe(
		"Of any provider: what the connection's calls otherwise is translated, what it does not have is a warning.",
	),
	tools: fewTools.optional(),
	response_format: PromptResponseFormat.optional(),
};

/** One object rather than a union, so that an error says what is wrong in it. */
export const Variant = z
	.strictObject({
		connection_id: z.string().max(1_024),
		model: storedText(1_000)
			.min(1)
			.optional()
			.describe("The prompt version's, else the connection's default model, when absent."),
		label: storedText(200).optional(),
		prompt_version_id: z.string().max(1_024).optional().describe("Instead of `messages` and what stands beside them."),
		...content,
		messages: content.messages.optional(),
	})
	.superRefine((variant, context) => {
		const written = CONTENT_MEMBERS.filter((name) => variant[name] !== undefined);
		if (variant.prompt_version_id === undefined) {
			if (variant.messages !== undefined) return;
			const message = "give `messages` or `prompt_version_id`";
			context.addIssue({ code: "custom", path: ["messages"], message });
			return;
		}
		for (const name of written) {
			context.addIssue({ code: "custom", path: [name], message: "the version has its own" });
		}
	})
	.meta({ id: "Variant" });

const CONTENT_MEMBERS = [
	"messages",
	"template_format",
	"invocation_parameters",
	"tools",
	"response_format",
] as const satisfies readonly (keyof typeof content)[];

export type GivenVariant = z.output<typeof Variant>;

const VariantContent = z.object(content);
/** What a variant gives a model, whether written out or of a prompt version. */
export type VariantContent = z.output<typeof VariantContent>;
