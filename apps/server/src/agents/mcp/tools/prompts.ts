import { z } from "zod";
import type { PageLinks } from "#http/page-links.ts";
import { MODEL_PROVIDERS } from "#models/definition-schemas.ts";
import type { ListedPrompt, PromptVersion as VersionSchema } from "#resources/prompts/schemas.ts";
import { byteLength, bytesOfTokens } from "#resources/text-forms/budget.ts";
import { contentLines, fitContents } from "#resources/text-forms/contents.ts";
import { jsonText } from "#resources/text-forms/span-contents.ts";
import { fence, visibleLine } from "#resources/text-forms/untrusted.ts";
import { idempotencyKey, jsonRecord, link, maxTokens } from "../arguments.ts";
import { path, RestRefusal } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { defineListTool, type RestPage } from "./listed.ts";

type Prompt = z.output<typeof ListedPrompt>;
type PromptVersion = z.output<typeof VersionSchema>;

const count = z.int();
const prompt = z.string().min(1).max(1_000).describe("Name of the prompt.");
const tag = z.string().min(1).max(1_000);

const PromptRow = z.object({
	...{ name: z.string(), description: z.string().nullable(), version_count: count, tags: z.array(z.string()) },
	...{ model: z.string().nullable().describe("Of the latest version."), updated_at: z.string(), link },
});

const listPrompts = defineListTool({
	name: "list_prompts",
	title: "List prompts",
	description: "Prompts that are kept on this server, with their number of versions and their tags.",
	input: z.object({ name_contains: z.string().max(500).optional().describe("Part of the name.") }),
	...{ member: "prompts", row: PromptRow, noun: ["prompt", "prompts"] },
	heading: () => "Prompts.",
	read: ({ name_contains }, page, { rest }) => rest.get<RestPage<Prompt>>("/v1/prompts", { ...page, name_contains }),
	toRow: ({ id, name, description, version_count, tags, latest_version: latest, updated_at }: Prompt, links) => ({
		...{ name: visibleLine(name, 255), version_count, updated_at, link: links.prompt(id) },
		description: description == null ? null : visibleLine(description, 200),
		tags: tags.slice(0, 20).map((each) => visibleLine(each, 100)),
		model: latest === null ? null : visibleLine(latest.model_name, 100),
	}),
	toText: (row) =>
		`- ${row.name}: ${row.version_count} versions${row.model === null ? "" : `, ${row.model}`}${row.tags.length > 0 ? `, tags ${row.tags.join(", ")}` : ""}${row.description === null ? "" : `; ${row.description}`}`,
});

/** Of the heading, the fence and the members around the contents. */
const FRAME_BYTES = 400;

const getPrompt = defineTool({
	name: "get_prompt",
	title: "Read a prompt",
	description:
		"A version of a prompt: the latest, the one with a tag, or one by its id. Messages, model and parameters.",
	access: "read",
	input: z.object({
		prompt,
		tag: tag.optional().describe("The version with this tag, such as production."),
		version_id: z.string().max(1_024).optional().describe("The version with this id."),
		max_tokens: maxTokens,
	}),
	output: z.object({
		...{ version_id: z.string(), description: z.string(), tags: z.array(z.string()), created_at: z.string() },
		...{ model_provider: z.string(), model_name: z.string(), template_format: z.string() },
		contents: z
			.array(z.object({ title: z.string(), text: z.string() }))
			.describe("Messages, parameters, tools, response format."),
		...{ left_out: count, link },
	}),
	async run(args, { rest, links }) {
		const { data } = await rest.get<{ data: PromptVersion }>(
			args.version_id !== undefined
				? path("v1", "prompt_versions", args.version_id)
				: args.tag !== undefined
					? path("v1", "prompts", args.prompt, "tags", args.tag)
					: path("v1", "prompts", args.prompt, "latest"),
		);
		const pieces = [
			...data.template.messages.map(({ role, content }) => ({ title: role, text: textOf(content) })),
			{ title: "parameters", text: jsonText(data.invocation_parameters) },
			...(data.tools === undefined ? [] : [{ title: "tools", text: jsonText(data.tools) }]),
			...(data.response_format === undefined
				? []
				: [{ title: "response format", text: jsonText(data.response_format) }]),
		];
		const page = links.prompt(data.prompt_id);
		const version = {
			...{ version_id: data.id, description: visibleLine(data.description, 120), created_at: data.created_at },
			tags: data.tags.slice(0, 10).map((each) => visibleLine(each, 60)),
			...{ model_provider: data.model_provider, model_name: visibleLine(data.model_name, 80) },
			...{ template_format: data.template_format, link: page },
		};
		const room = bytesOfTokens(args.max_tokens) - FRAME_BYTES - byteLength(JSON.stringify(version));
		const { contents, leftOut } = fitContents(pieces, Math.max(0, room));
		const about = `${version.model_provider} ${version.model_name}, ${version.template_format}${version.tags.length > 0 ? `, tags ${version.tags.join(", ")}` : ""}`;
		const body = [about, ...contentLines({ contents, leftOut })].join("\n");
		return {
			data: { ...version, contents: [...contents], left_out: leftOut },
			text: `Prompt version ${data.id}, made ${data.created_at}.\nPage: ${page}\n${fence(body, "")}`,
		};
	},
});

const messages = z
	.array(
		z.object({ role: z.enum(["system", "developer", "user", "assistant"]), content: z.string().min(1).max(100_000) }),
	)
	.min(1)
	.max(100);
const Written = z.object({ version_id: z.string(), prompt: z.string(), tags: z.array(z.string()), link });

/** A text alone, else the parts as JSON. */
function textOf(content: PromptVersion["template"]["messages"][number]["content"]): string {
	const [first] = content;
	return content.length === 1 && typeof first === "object" && first.type === "text" ? first.text : jsonText(content);
}

const createPromptVersion = defineTool({
	name: "create_prompt_version",
	title: "Create a version of a prompt",
	description:
		"Makes a new version of a prompt, or a new prompt with its first version if there is none of the name. Earlier versions and their tags stay as they are. Ask the person before you use it, unless they told you to.",
	access: "write",
	input: z.object({
		prompt: z
			.string()
			.regex(/^[a-z0-9]([_a-z0-9-]*[a-z0-9])?$/)
			.max(1_000)
			.describe("Its name: lower-case letters, digits, - and _."),
		messages: messages.describe("Variables are written as template_format says, such as {{question}}."),
		model_provider: z.enum(MODEL_PROVIDERS),
		model_name: z.string().min(1).max(1_000),
		template_format: z.enum(["MUSTACHE", "F_STRING", "NONE"]).default("MUSTACHE"),
		parameters: jsonRecord
			.default({})
			.describe("Of the call of the model, by the provider's names, such as temperature. ANTHROPIC needs max_tokens."),
		description: z.string().max(10_000).optional().describe("What is new in this version."),
		idempotency_key: idempotencyKey,
	}),
	output: Written,
	async run(args, { rest, links }) {
		const type = args.model_provider.toLowerCase();
		const version = {
			...{ description: args.description, model_provider: args.model_provider, model_name: args.model_name },
			...{
				template: { type: "chat", messages: args.messages },
				template_type: "CHAT",
				template_format: args.template_format,
			},
			invocation_parameters: { type, [type]: args.parameters },
		};
		// Of a prompt that is there it makes a version.
		const { data } = await rest.post<{ data: PromptVersion }>(
			"/v1/prompts",
			{ prompt: { name: args.prompt }, version },
			args.idempotency_key,
		);
		return writtenVersion(data, args.prompt, links, "Made a new version");
	},
});

const movePromptTag = defineTool({
	name: "move_prompt_tag",
	title: "Move a tag of a prompt",
	description:
		"Puts a tag, such as production, on a version of a prompt; it leaves the version that had it. Applications that ask for the tag get this version from then on. Always ask the person before.",
	access: "write",
	idempotent: true,
	destructive: true,
	input: z.object({
		prompt,
		version_id: z.string().min(1).max(1_024).describe("Id of the version, from get_prompt."),
		tag: tag.regex(/^[a-z0-9]([_a-z0-9-]*[a-z0-9])?$/),
	}),
	output: Written,
	async run(args, { rest, links }) {
		const { data: version } = await rest.get<{ data: PromptVersion }>(path("v1", "prompt_versions", args.version_id));
		const { data: named } = await rest.get<{ data: { id: string } }>(path("v1", "prompts", args.prompt));
		if (version.prompt_id !== named.id) throw new RestRefusal(422, { detail: "This version is of another prompt." });
		await rest.post(`${path("v1", "prompt_versions", version.id)}/tags`, { name: args.tag });
		const tags = [...new Set([...version.tags, args.tag])].toSorted();
		return writtenVersion({ ...version, tags }, args.prompt, links, "Moved the tag");
	},
});

function writtenVersion({ id, prompt_id, tags }: PromptVersion, name: string, links: PageLinks, what: string) {
	const page = links.prompt(prompt_id);
	return {
		data: { version_id: id, prompt: name, tags, link: page },
		text: `${what}; the version's id is ${id}.\nPage: ${page}`,
	};
}

export const PROMPT_TOOLS: readonly Tool[] = [listPrompts, getPrompt];
export const PROMPT_WRITING_TOOLS: readonly Tool[] = [createPromptVersion, movePromptTag];
