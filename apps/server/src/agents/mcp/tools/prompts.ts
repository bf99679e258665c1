import { z } from "zod";
import type { ListedPrompt, PromptVersion as VersionSchema } from "#resources/prompts/schemas.ts";
import { bytesOfTokens } from "#resources/text-forms/budget.ts";
import { contentLines, fitContents } from "#resources/text-forms/contents.ts";
import { jsonText } from "#resources/text-forms/span-contents.ts";
import { fence, visibleLine } from "#resources/text-forms/untrusted.ts";
import { cursor, limit, link, maxTokens, nextCursor } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { listed, type RestPage } from "./listed.ts";

type Prompt = z.output<typeof ListedPrompt>;
export type PromptVersion = z.output<typeof VersionSchema>;

const count = z.int();
export const prompt = z.string().min(1).max(1_000).describe("Name of the prompt.");
export const tag = z.string().min(1).max(1_000);

const listPrompts = defineTool({
	name: "list_prompts",
	title: "List prompts",
	description: "Prompts that are kept on this server, with their number of versions and their tags.",
	access: "read",
	input: z.object({
		name_contains: z.string().max(500).optional().describe("Part of the name."),
		...{ limit, cursor, max_tokens: maxTokens },
	}),
	output: z.object({
		prompts: z.array(
			z.object({
				...{ name: z.string(), description: z.string().nullable(), version_count: count, tags: z.array(z.string()) },
				...{ model: z.string().nullable().describe("Of the latest version."), updated_at: z.string(), link },
			}),
		),
		next_cursor: nextCursor,
	}),
	async run(args, { rest, links }) {
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			maxTokens: args.max_tokens,
			limit: args.limit,
			heading: "Prompts.",
			noun: ["prompt", "prompts"],
			read: (most) =>
				rest.get<RestPage<Prompt>>("/v1/prompts", {
					...{ limit: most, cursor: args.cursor, name_contains: args.name_contains },
				}),
			toRow: ({ id, name, description, version_count, tags, latest_version: latest, updated_at }: Prompt) => ({
				...{ name: visibleLine(name, 255), version_count, updated_at, link: links.prompt(id) },
				description: description == null ? null : visibleLine(description, 200),
				tags: tags.slice(0, 20).map((each) => visibleLine(each, 100)),
				model: latest === null ? null : visibleLine(latest.model_name, 100),
			}),
			toText: (row) =>
				`- ${row.name}: ${row.version_count} versions${row.model === null ? "" : `, ${row.model}`}${row.tags.length > 0 ? `, tags ${row.tags.join(", ")}` : ""}${row.description === null ? "" : `; ${row.description}`}`,
		});
		return { data: { prompts: rows, next_cursor: next }, text };
	},
});

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
			...data.template.messages.map(({ role, content }) => ({ title: role, text: jsonText(content) })),
			{ title: "parameters", text: jsonText(data.invocation_parameters) },
			...(data.tools === undefined ? [] : [{ title: "tools", text: jsonText(data.tools) }]),
			...(data.response_format === undefined
				? []
				: [{ title: "response format", text: jsonText(data.response_format) }]),
		];
		const { contents, leftOut } = fitContents(pieces, bytesOfTokens(args.max_tokens) - 1_400);
		const page = links.prompt(data.prompt_id);
		const version = {
			...{ version_id: data.id, description: visibleLine(data.description, 200), created_at: data.created_at },
			tags: data.tags.slice(0, 10).map((each) => visibleLine(each, 60)),
			...{ model_provider: data.model_provider, model_name: visibleLine(data.model_name, 100) },
			...{ template_format: data.template_format, contents: [...contents], left_out: leftOut, link: page },
		};
		const about = `${version.model_provider} ${version.model_name}, ${version.template_format}${version.tags.length > 0 ? `, tags ${version.tags.join(", ")}` : ""}`;
		const body = [about, ...contentLines({ contents, leftOut })].join("\n");
		return {
			data: version,
			text: `Prompt version ${data.id}, made ${data.created_at}.\nPage: ${page}\n${fence(body, "")}`,
		};
	},
});

export const PROMPT_TOOLS: readonly Tool[] = [listPrompts, getPrompt];
