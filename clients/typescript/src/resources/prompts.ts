import type { Client } from "../client.ts";
import type { Operations, Prompt, PromptVersion, PromptVersionDiff, PromptVersionTag } from "../generated/api.ts";
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

const VARIABLES: Readonly<Record<string, RegExp | undefined>> = {
	MUSTACHE: /\{\{\s*([\w.-]+)\s*\}\}/g,
	F_STRING: /\{(\w+)\}/g,
};

/**
 * The messages of a version with its variables filled in, as chat APIs take them.
 * @throws TypeError when a variable of the template is not given
 */
export function formatPrompt(
	{ template, template_format: format }: Pick<PromptVersion, "template" | "template_format">,
	variables: Readonly<Record<string, unknown>> = {},
): { role: string; content: string | unknown[] }[] {
	const pattern = VARIABLES[format];
	const missing = new Set<string>();
	const fill = (text: string): string => {
		if (pattern === undefined) return text;
		return text.replace(pattern, (_, name: string) => {
			if (Object.hasOwn(variables, name)) return String(variables[name]);
			missing.add(name);
			return "";
		});
	};
	const messages = template.messages.map(({ role, content }) => ({
		role,
		content:
			typeof content === "string"
				? fill(content)
				: content.map((part) => (part.type === "text" ? { ...part, text: fill(part.text) } : part)),
	}));
	if (missing.size > 0) throw new TypeError(`the prompt needs ${[...missing].join(", ")}`);
	return messages;
}
