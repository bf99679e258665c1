import { z } from "zod";
import { identifierName } from "#http/identifier-names.ts";
import { storedMetadata, wireObject } from "#http/json-values.ts";
import { storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import {
	InvocationParameters,
	MODEL_PROVIDERS,
	PromptChatTemplate,
	PromptResponseFormat,
	PromptStringTemplate,
	PromptTools,
	StoredInvocationParameters,
	TemplateFormat,
} from "#models/definition-schemas.ts";
import { allowWiderAccessField, homeField, homeOfAnswer } from "../projects/homes.ts";

const description = storedText(10_000).nullish();

export const Prompt = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string().nullish(),
		source_prompt_id: z.string().nullish(),
		metadata: wireObject,
		created_at: wireTime,
		updated_at: wireTime,
		project_id: homeOfAnswer,
	})
	.meta({ id: "Prompt" });

/** A prompt in a list. */
export const ListedPrompt = Prompt.extend({
	version_count: z.int(),
	latest_version: z
		.object({ id: z.string(), model_name: z.string(), created_at: wireTime, user_id: z.string().nullable() })
		.nullable(),
	tags: z.array(z.string()).describe("Names of the tags of all its versions."),
}).meta({ id: "ListedPrompt" });

export const PromptVersion = z
	.object({
		id: z.string(),
		description: z.string().describe("Empty when there is none."),
		metadata: wireObject.optional(),
		model_provider: z.enum(MODEL_PROVIDERS),
		model_name: z.string(),
		template: PromptChatTemplate,
		template_type: z.literal("CHAT"),
		template_format: TemplateFormat,
		invocation_parameters: StoredInvocationParameters,
		tools: PromptTools.optional(),
		response_format: PromptResponseFormat.optional(),
		prompt_id: z.string(),
		created_at: wireTime,
		user_id: z.string().nullable().describe("Who made it."),
		tags: z.array(z.string()).describe("Names of the tags that are on this version."),
	})
	.meta({ id: "PromptVersion" });

export const PromptVersionTag = z
	.object({ id: z.string(), name: z.string(), description: z.string().optional() })
	.meta({ id: "PromptVersionTag" });

export const PromptVersionTagData = z.object({ name: identifierName, description });

export const PromptVersionData = z
	.object({
		description,
		metadata: storedMetadata.nullish(),
		model_provider: z.enum(MODEL_PROVIDERS),
		model_name: storedText(1_000),
		template: z.discriminatedUnion("type", [PromptChatTemplate, PromptStringTemplate]),
		template_type: z.enum(["STR", "CHAT"]).describe("Only `CHAT` is taken."),
		template_format: TemplateFormat,
		invocation_parameters: InvocationParameters.describe(
			"Of the variant of the model's provider; those that have OpenAI's members are kept as `openai`.",
		),
		tools: PromptTools.nullish(),
		response_format: PromptResponseFormat.nullish(),
	})
	.meta({ id: "PromptVersionData" });

export const CreatePromptBody = z.object({
	prompt: z.object({
		name: identifierName,
		description,
		source_prompt_id: z.string().max(1_000).nullish(),
		metadata: storedMetadata.nullish(),
		project: homeField,
	}),
	version: PromptVersionData,
});

export const CreatePromptVersionBody = z.object({
	version: PromptVersionData,
	tags: z.array(PromptVersionTagData).max(100).nullish(),
});

export const PatchPromptBody = z
	.object({
		description,
		metadata: storedMetadata.optional(),
		project: homeField,
		allow_wider_access: allowWiderAccessField,
	})
	.refine(
		({ description, metadata, project }) =>
			description !== undefined || metadata !== undefined || project !== undefined,
		"name at least one field to change",
	);

const change = {
	kind: z.enum(["added", "removed", "changed"]),
	before: z.unknown().optional().describe("Absent when it was added."),
	after: z.unknown().optional().describe("Absent when it was removed."),
};

export const PromptVersionDiff = z
	.object({
		id: z.string().describe("The version that is looked at: `after`."),
		against: z.string().describe("The version that it is compared with: `before`."),
		is_equal: z.boolean(),
		changes: z
			.array(z.object({ path: z.array(z.union([z.string(), z.int()])), ...change }))
			.describe("Everything but the template's messages, by the way to the value."),
		messages: z.array(
			z.object({
				kind: z.enum(["equal", "added", "removed", "changed"]),
				before: z.object({ position: z.int(), role: z.string() }).nullable(),
				after: z.object({ position: z.int(), role: z.string() }).nullable(),
				lines: z.array(z.object({ kind: z.enum(["equal", "added", "removed"]), text: z.string() })),
			}),
		),
	})
	.meta({ id: "PromptVersionDiff" });
