import type { Client } from "../client.ts";
import type {
	Operations,
	Prompt,
	PromptVersion,
	PromptVersionDataInput,
	PromptVersionDiff,
	PromptVersionTag,
} from "../generated/api.ts";
import { Paged } from "../paged.ts";

type CreateBody = Operations["post"]["/v1/prompts"]["body"];

/** Prompts, by name or id. */
export class Prompts {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** Newest first. */
	list(query: Omit<NonNullable<Operations["get"]["/v1/prompts"]["query"]>, "cursor"> = {}): Paged<Prompt> {
		return new Paged((cursor) => this.#api.get("/v1/prompts", { query: { ...query, ...(cursor && { cursor }) } }));
	}

	/** The newest version, or the one with this tag. */
	async get(prompt: string, { tag }: { tag?: string } = {}): Promise<PromptVersion> {
		if (tag === undefined) {
			const path = { prompt_identifier: prompt };
			return (await this.#api.get("/v1/prompts/{prompt_identifier}/latest", { path })).data;
		}
		const path = { prompt_identifier: prompt, tag_name: tag };
		return (await this.#api.get("/v1/prompts/{prompt_identifier}/tags/{tag_name}", { path })).data;
	}

	async getVersion(versionId: string): Promise<PromptVersion> {
		const path = { prompt_version_id: versionId };
		return (await this.#api.get("/v1/prompt_versions/{prompt_version_id}", { path })).data;
	}

	/** A version of the prompt, which is made when there is none of the name. */
	async create(body: CreateBody): Promise<PromptVersion> {
		return (await this.#api.post("/v1/prompts", { body })).data;
	}

	async update(prompt: string, body: Operations["patch"]["/v1/prompts/{prompt_identifier}"]["body"]): Promise<Prompt> {
		const path = { prompt_identifier: prompt };
		return (await this.#api.patch("/v1/prompts/{prompt_identifier}", { path, body })).data;
	}

	/** With all its versions. */
	async delete(prompt: string): Promise<void> {
		await this.#api.delete("/v1/prompts/{prompt_identifier}", { path: { prompt_identifier: prompt } });
	}

	/** Newest first. */
	versions(prompt: string): Paged<PromptVersion> {
		return new Paged((cursor) =>
			this.#api.get("/v1/prompts/{prompt_identifier}/versions", {
				path: { prompt_identifier: prompt },
				query: cursor === undefined ? {} : { cursor },
			}),
		);
	}

	/** Moves the tag from another version of the prompt. */
	async tag(versionId: string, body: { name: string; description?: string }): Promise<void> {
		const path = { prompt_version_id: versionId };
		await this.#api.post("/v1/prompt_versions/{prompt_version_id}/tags", { path, body });
	}

	tags(versionId: string): Paged<PromptVersionTag> {
		return new Paged((cursor) =>
			this.#api.get("/v1/prompt_versions/{prompt_version_id}/tags", {
				path: { prompt_version_id: versionId },
				query: cursor === undefined ? {} : { cursor },
			}),
		);
	}

	/** What changed between two versions. */
	async diff(versionId: string, against: string): Promise<PromptVersionDiff> {
		const path = { prompt_version_id: versionId };
		return (await this.#api.get("/v1/prompt_versions/{prompt_version_id}/diff", { path, query: { against } })).data;
	}
}

/** The name is a group; what matches without one is an escaped brace. */
const VARIABLES: Readonly<Record<string, RegExp | undefined>> = {
	MUSTACHE: /\{\{\s*([\p{L}\p{M}\p{N}_.-]+)\s*\}\}/gu,
	// As in Python, where a conversion and a format may follow the name.
	F_STRING: /\{\{|\}\}|\{([\p{L}\p{M}\p{N}_.-]+)(?:![rsa])?(?::[^{}]*)?\}/gu,
};

/**
 * The messages of a version with its variables filled in, as chat APIs take them. Texts are inserted as they are,
 * everything else as JSON; a message of one text has it as its content. `a.b` is the variable of that name, else `b` of the variable `a`. What is inserted is not
 * read again.
 * @throws TypeError when a variable of the template is not given
 */
export function formatPrompt(
	{ template, template_format: format }: Pick<PromptVersion, "template" | "template_format">,
	variables: Readonly<Record<string, unknown>> = {},
): { role: string; content: string | Part[] }[] {
	const pattern = VARIABLES[format];
	const missing = new Set<string>();
	const fill = (text: string): string => {
		if (pattern === undefined) return text;
		return text.replace(pattern, (found: string, name: string | undefined) => {
			if (name === undefined) return found.slice(1);
			const value = find(variables, name);
			if (value === undefined) missing.add(name);
			return typeof value === "string" ? value : JSON.stringify(value);
		});
	};
	const messages = template.messages.map(({ role, content }) => {
		if (typeof content === "string") return { role, content: fill(content) };
		const parts = content.map((part) => (part.type === "text" ? { ...part, text: fill(part.text) } : part));
		const [first] = parts;
		return { role, content: parts.length === 1 && first?.type === "text" ? first.text : parts };
	});
	if (missing.size > 0) throw new TypeError(`the prompt needs ${[...missing].join(", ")}`);
	return messages;
}

/** Of the variable with this name, else by the path. */
function find(variables: Readonly<Record<string, unknown>>, name: string): unknown {
	if (Object.hasOwn(variables, name)) return variables[name];
	let value: unknown = variables;
	for (const key of name.split(".")) {
		if (typeof value !== "object" || value === null) return undefined;
		if (Array.isArray(value) ? !/^\d+$/.test(key) : !Object.hasOwn(value, key)) return undefined;
		value = (value as Readonly<Record<string, unknown>>)[key];
	}
	return value;
}

/** A version of a chat, as people think of it. */
export interface NewChatVersion {
	readonly modelProvider: PromptVersionDataInput["model_provider"];
	readonly modelName: string;
	readonly messages: Extract<PromptVersionDataInput["template"], { type: "chat" }>["messages"];
	/** Of the model, such as `{ temperature: 0 }`. */
	readonly parameters?: Readonly<Record<string, unknown>>;
	readonly tools?: NonNullable<PromptVersionDataInput["tools"]>;
	readonly responseFormat?: NonNullable<PromptVersionDataInput["response_format"]>;
	/** `{{variables}}` unless told otherwise. */
	readonly templateFormat?: PromptVersionDataInput["template_format"];
	readonly description?: string;
}

/**
 * What `prompts.create` takes as `version`.
 * @example
 * await spanward.prompts.create({ prompt: { name: "greeting" }, version: promptVersion({ modelProvider: "OPENAI", modelName: "gpt-4o", messages }) });
 */
export function promptVersion(version: NewChatVersion): PromptVersionDataInput {
	const { modelProvider, modelName, messages, parameters = {}, tools, responseFormat, templateFormat } = version;
	const type = modelProvider.toLowerCase();
	return {
		model_provider: modelProvider,
		model_name: modelName,
		template_type: "CHAT",
		template_format: templateFormat ?? "MUSTACHE",
		template: { type: "chat", messages },
		// Each provider has a member of its own name.
		invocation_parameters: { type, [type]: parameters } as unknown as PromptVersionDataInput["invocation_parameters"],
		...(tools === undefined ? {} : { tools }),
		...(responseFormat === undefined ? {} : { response_format: responseFormat }),
		...(version.description === undefined ? {} : { description: version.description }),
	};
}

const TOOL_CHOICES = { none: "none", zero_or_more: "auto", one_or_more: "required" } as const;

/**
 * What OpenAI's chat completions, and those that are called alike, take: `openai.chat.completions.create(…)`.
 * @throws TypeError when a variable of the template is not given
 */
export function toOpenAI(
	version: PromptVersion,
	variables: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> & { model: string; messages: Record<string, unknown>[] } {
	const { tools, response_format: responseFormat, invocation_parameters: invocation } = version;
	const parameters: unknown = Reflect.get(invocation, invocation.type);
	return {
		model: version.model_name,
		messages: formatPrompt(version, variables).flatMap(toOpenAIMessages),
		...(typeof parameters === "object" ? parameters : {}),
		...(tools && {
			tools: tools.tools.map((tool) => (tool.type === "raw" ? tool.raw : tool)),
			...(tools.tool_choice && { tool_choice: toOpenAIChoice(tools.tool_choice) }),
			...(tools.disable_parallel_tool_calls && { parallel_tool_calls: false }),
		}),
		...(responseFormat && { response_format: responseFormat }),
	};
}

type ToolChoice = NonNullable<NonNullable<PromptVersion["tools"]>["tool_choice"]>;

function toOpenAIChoice(choice: ToolChoice): unknown {
	if (choice.type !== "specific_function") return TOOL_CHOICES[choice.type];
	return { type: "function", function: { name: choice.function_name } };
}

type Part = Exclude<PromptVersion["template"]["messages"][number]["content"], string>[number];

function toOpenAIMessages({ role, content }: { role: string; content: string | Part[] }): Record<string, unknown>[] {
	if (typeof content === "string") return [{ role, content }];
	const calls = content.flatMap((part) =>
		part.type === "tool_call"
			? [
					{
						id: part.tool_call_id,
						type: "function",
						function: { name: part.tool_call.name, arguments: part.tool_call.arguments },
					},
				]
			: [],
	);
	const texts = content.filter(({ type }) => type === "text");
	const results = content.flatMap((part) =>
		part.type === "tool_result"
			? [
					{
						role: "tool",
						tool_call_id: part.tool_call_id,
						content: typeof part.tool_result === "string" ? part.tool_result : JSON.stringify(part.tool_result),
					},
				]
			: [],
	);
	if (texts.length === 0 && calls.length === 0) return results;
	const said = { role, content: texts.length === 0 ? null : texts, ...(calls.length > 0 && { tool_calls: calls }) };
	return [...results, said];
}
