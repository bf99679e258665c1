import type { z } from "zod";
import type { Dataset } from "#resources/datasets/schemas.ts";
import type { Project } from "#resources/projects/schemas.ts";
import type { ListedPrompt } from "#resources/prompts/schemas.ts";
import type { Trace } from "#resources/traces/schemas.ts";
import { path, type Rest, RestRefusal } from "./rest.ts";
import type { RestPage } from "./tools/listed.ts";

/** As many as the protocol lets an answer have is 100; people read a few. */
const MOST = 20;
const MOST_DATASETS = 200;

/** What an argument may be, among what the caller sees, by how it begins or by a part of it. */
export interface Completions {
	projects(value: string): Promise<string[]>;
	/** The newest of a project. */
	traces(value: string, project: string | undefined): Promise<string[]>;
	datasets(value: string): Promise<string[]>;
	prompts(value: string): Promise<string[]>;
	tags(value: string, prompt: string | undefined): Promise<string[]>;
}

export function completions(rest: Rest): Completions {
	return {
		projects: async (value) => {
			const { data } = await rest.get<RestPage<z.output<typeof Project>>>("/v1/projects", {
				...{ name_contains: value === "" ? undefined : value, limit: MOST },
			});
			return data.map(({ name }) => name);
		},
		traces: async (value, project) => {
			if (project === undefined) return [];
			const { data } = await orNothing(
				rest.get<RestPage<z.output<typeof Trace>>>(`${path("v1", "projects", project)}/traces`, { limit: 100 }),
			);
			return data
				.map(({ trace_id: id }) => id)
				.filter((id) => id.startsWith(value))
				.slice(0, MOST);
		},
		datasets: async (value) => {
			const { data } = await rest.get<RestPage<z.output<typeof Dataset>>>("/v1/datasets", { limit: MOST_DATASETS });
			return data
				.map(({ name }) => name)
				.filter((name) => name.includes(value))
				.slice(0, MOST);
		},
		prompts: async (value) => {
			const { data } = await rest.get<RestPage<z.output<typeof ListedPrompt>>>("/v1/prompts", {
				...{ name_contains: value === "" ? undefined : value, limit: MOST },
			});
			return data.map(({ name }) => name);
		},
		tags: async (value, prompt) => {
			if (prompt === undefined) return [];
			const { data } = await rest.get<RestPage<z.output<typeof ListedPrompt>>>("/v1/prompts", {
				...{ name_contains: prompt, limit: MOST },
			});
			const tags = data.find(({ name }) => name === prompt)?.tags ?? [];
			return tags.filter((tag) => tag.startsWith(value)).slice(0, MOST);
		},
	};
}

/** Of a project that is not there, or not for the caller, nothing is completed. */
async function orNothing<Item>(page: Promise<RestPage<Item>>): Promise<Pick<RestPage<Item>, "data">> {
	try {
		return await page;
	} catch (error) {
		if (error instanceof RestRefusal && error.status === 404) return { data: [] };
		throw error;
	}
}
