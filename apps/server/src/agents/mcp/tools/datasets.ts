import { z } from "zod";
import type { DatasetExamples, Dataset as DatasetSchema } from "#resources/datasets/schemas.ts";
import { counted, headAndTail } from "#resources/text-forms/budget.ts";
import { jsonText } from "#resources/text-forms/span-contents.ts";
import { visibleLine, visibleText } from "#resources/text-forms/untrusted.ts";
import { cursor, limit, link, maxTokens, nextCursor } from "../arguments.ts";
import { path, type Rest } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { listed, type RestPage } from "./listed.ts";

export type Dataset = z.output<typeof DatasetSchema>;

const count = z.int();
export const dataset = z.string().min(1).max(4_096).describe("Name or id of the dataset.");
const DatasetRow = z.object({
	...{ id: z.string(), name: z.string(), description: z.string().nullable() },
	...{ example_count: count, updated_at: z.string(), link },
});
/** Of each of an example's values. */
const VALUE_BYTES = 2_000;

const listDatasets = defineTool({
	name: "list_datasets",
	title: "List datasets",
	description: "Datasets that you may see: examples by which applications are tested.",
	access: "read",
	input: z.object({ limit, cursor, max_tokens: maxTokens }),
	output: z.object({ datasets: z.array(DatasetRow), next_cursor: nextCursor }),
	async run(args, { rest, links }) {
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			maxTokens: args.max_tokens,
			limit: args.limit,
			heading: "Datasets.",
			noun: ["dataset", "datasets"],
			read: (most) => rest.get<RestPage<Dataset>>("/v1/datasets", { limit: most, cursor: args.cursor }),
			toRow: ({ id, name, description, example_count, updated_at }: Dataset) => ({
				...{ id, name: visibleLine(name, 255), example_count, updated_at, link: links.dataset(id) },
				description: description === null ? null : visibleLine(description, 200),
			}),
			toText: (row) =>
				`- ${row.name} [${row.id}]: ${counted(row.example_count, "example")}, changed ${row.updated_at}${row.description === null ? "" : `; ${row.description}`}`,
		});
		return { data: { datasets: rows, next_cursor: next }, text };
	},
});

const getExamples = defineTool({
	name: "get_examples",
	title: "Read examples of a dataset",
	description: "Examples of a dataset's newest version, with input, output and metadata as JSON.",
	access: "read",
	input: z.object({
		dataset,
		split: z.string().max(1_000).optional().describe("Only those in this split."),
		words: z.string().max(500).optional().describe("Only those in which all these words occur."),
		...{ limit, cursor, max_tokens: maxTokens },
	}),
	output: z.object({
		...{ dataset_id: z.string(), version_id: z.string() },
		examples: z.array(
			z.object({
				id: z.string(),
				input: z.string().describe("JSON; long ones are cut in the middle."),
				output: z.string(),
				metadata: z.string(),
				splits: z.array(z.string()),
				span_id: z.string().nullable().describe("The span that it was made of."),
			}),
		),
		...{ next_cursor: nextCursor, link },
	}),
	async run(args, { rest, links }) {
		const { id } = await findDataset(rest, args.dataset);
		let version = "";
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			maxTokens: args.max_tokens,
			limit: args.limit,
			heading: `Examples of a dataset.\nPage: ${links.dataset(id)}`,
			noun: ["example", "examples"],
			read: async (most) => {
				const { data, next_cursor = null } = await rest.get<z.output<typeof DatasetExamples>>(
					`${path("v1", "datasets", id)}/examples`,
					{ limit: most, cursor: args.cursor, split: args.split, q: args.words },
				);
				version = data.version_id;
				return { data: data.examples, next_cursor };
			},
			toRow: (example) => ({
				id: visibleLine(example.id, 255),
				...{
					input: shortJson(example.input),
					output: shortJson(example.output),
					metadata: shortJson(example.metadata),
				},
				splits: example.splits.map((split) => visibleLine(split, 100)),
				span_id: example.source?.span_id ?? null,
			}),
			toText: (row) =>
				`- ${row.id}${row.splits.length === 0 ? "" : ` (${row.splits.join(", ")})`}\n  input: ${row.input}\n  output: ${row.output}${row.metadata === "{}" ? "" : `\n  metadata: ${row.metadata}`}`,
		});
		return {
			data: { dataset_id: id, version_id: version, examples: rows, next_cursor: next, link: links.dataset(id) },
			text,
		};
	},
});

/** JSON of what was recorded, cut in the middle. */
export function shortJson(value: unknown, maxBytes = VALUE_BYTES): string {
	return headAndTail(visibleText(jsonText(value)), maxBytes);
}

/** By its name among those that the caller sees, else by its id. @throws RestRefusal 404 */
export async function findDataset(rest: Rest, nameOrId: string): Promise<Dataset> {
	const { data } = await rest.get<RestPage<Dataset>>("/v1/datasets", { name: nameOrId, limit: 1 });
	const [named] = data;
	return named ?? (await rest.get<{ data: Dataset }>(path("v1", "datasets", nameOrId))).data;
}

export const DATASET_TOOLS: readonly Tool[] = [listDatasets, getExamples];
