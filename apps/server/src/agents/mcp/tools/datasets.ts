import { z } from "zod";
import type { PageLinks } from "#http/page-links.ts";
import type { DatasetExamples, Dataset as DatasetSchema } from "#resources/datasets/schemas.ts";
import { bytesOfTokens, counted, headAndTail } from "#resources/text-forms/budget.ts";
import { jsonText } from "#resources/text-forms/span-contents.ts";
import { visibleLine, visibleText } from "#resources/text-forms/untrusted.ts";
import { idempotencyKey, jsonRecord, link, nextCursor } from "../arguments.ts";
import { path, type Rest, RestRefusal } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { defineListTool, listed, PAGING, type RestPage } from "./listed.ts";

export type Dataset = z.output<typeof DatasetSchema>;

const count = z.int();
export const dataset = z.string().min(1).max(4_096).describe("Name or id of the dataset.");
const DatasetRow = z.object({
	...{ id: z.string(), name: z.string(), description: z.string().nullable() },
	...{ example_count: count, updated_at: z.string(), link },
});
/** At most, of each of an example's values. */
const VALUE_BYTES = 2_000;

const listDatasets = defineListTool({
	name: "list_datasets",
	title: "List datasets",
	description: "Datasets that you may see: examples by which applications are tested.",
	input: z.object({}),
	...{ member: "datasets", row: DatasetRow, noun: ["dataset", "datasets"] },
	heading: () => "Datasets.",
	read: (_args, page, { rest }) => rest.get<RestPage<Dataset>>("/v1/datasets", { ...page }),
	toRow: ({ id, name, description, example_count, updated_at }: Dataset, links) => ({
		...{ id, name: visibleLine(name, 255), example_count, updated_at, link: links.dataset(id) },
		description: description === null ? null : visibleLine(description, 200),
	}),
	toText: (row) =>
		`- ${row.name} [${row.id}]: ${counted(row.example_count, "example")}, changed ${row.updated_at}${row.description === null ? "" : `; ${row.description}`}`,
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
		version_id: z.string().max(1_024).optional().describe("Of this version, not the newest."),
		...PAGING,
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
	async run(args, call) {
		const { rest, links } = call;
		const { id } = await findDataset(rest, args.dataset);
		const page = links.dataset(id);
		const valueBytes = Math.min(VALUE_BYTES, bytesOfTokens(args.max_tokens) / 8);
		let version = "";
		const answer = await listed(call, args, {
			...{ heading: `Examples of a dataset.\nPage: ${page}`, noun: ["example", "examples"] },
			read: async (asked) => {
				const { data, next_cursor = null } = await rest.get<z.output<typeof DatasetExamples>>(
					`${path("v1", "datasets", id)}/examples`,
					{ ...asked, split: args.split, q: args.words, version_id: args.version_id },
				);
				version = data.version_id;
				return { data: data.examples, next_cursor };
			},
			toRow: (example) => ({
				id: visibleLine(example.id, 255),
				...{
					input: shortJson(example.input, valueBytes),
					output: shortJson(example.output, valueBytes),
					metadata: shortJson(example.metadata, valueBytes),
				},
				splits: example.splits.map((split) => visibleLine(split, 100)),
				span_id: example.source?.span_id ?? null,
			}),
			toText: (row) =>
				`- ${row.id}${row.splits.length === 0 ? "" : ` (${row.splits.join(", ")})`}\n  input: ${row.input}\n  output: ${row.output}${row.metadata === "{}" ? "" : `\n  metadata: ${row.metadata}`}`,
		});
		return {
			data: {
				...{ dataset_id: id, version_id: version, examples: answer.rows },
				...{ next_cursor: answer.nextCursor, link: page },
			},
			text: answer.text,
		};
	},
});

/** JSON of what was recorded, cut in the middle. */
export function shortJson(value: unknown, maxBytes: number): string {
	return headAndTail(visibleText(jsonText(value)), maxBytes);
}

/** By its name among those that the caller sees, else by its id. @throws RestRefusal 404 */
export async function findDataset(rest: Rest, nameOrId: string): Promise<Dataset> {
	const found = await findNamed(rest, nameOrId);
	if (found !== undefined) return found;
	const { data } = await rest.get<{ data: Dataset }>(path("v1", "datasets", nameOrId)).catch((error: unknown) => {
		if (!(error instanceof RestRefusal) || (error.status !== 404 && error.status !== 422)) throw error;
		const said = `There is no dataset ${visibleLine(nameOrId, 100)} that you may see; list_datasets has their names.`;
		throw new RestRefusal(404, { detail: said });
	});
	return data;
}

async function findNamed(rest: Rest, name: string): Promise<Dataset | undefined> {
	const { data } = await rest.get<RestPage<Dataset>>("/v1/datasets", { name, limit: 1 });
	return data[0];
}

const example = z.object({
	input: jsonRecord,
	output: jsonRecord.optional().describe("What is expected."),
	metadata: jsonRecord.optional(),
});
const examples = z.array(example).max(200);
const Changed = z.object({ ...{ dataset_id: z.string(), version_id: z.string(), created_count: count, link } });
interface DatasetChange {
	readonly data: { readonly dataset_id: string; readonly version_id: string; readonly num_created_examples: number };
}

const createDataset = defineTool({
	name: "create_dataset",
	title: "Create a dataset",
	description:
		"Makes a new dataset, with examples or empty. Add more with add_examples, also from spans. Ask the person before you use it, unless they told you to.",
	access: "write",
	input: z.object({
		name: z.string().min(1).max(1_000).describe("No dataset may have it yet."),
		description: z.string().max(10_000).optional(),
		project: z
			.string()
			.max(4_096)
			.optional()
			.describe("Name or id of the project where it is to live; the library if absent."),
		...{ examples: examples.default([]), idempotency_key: idempotencyKey },
	}),
	output: Changed,
	async run(args, { rest, links }) {
		const { name, description, project } = args;
		return changed(
			await rest.post<DatasetChange>(
				"/v1/datasets/upload?sync=true",
				{ name, description, project, action: "create", ...columnsOf(args.examples) },
				args.idempotency_key,
			),
			links,
			"Created the dataset",
		);
	},
});

const addExamples = defineTool({
	name: "add_examples",
	title: "Add examples to a dataset",
	description:
		"Adds examples to a dataset: written ones, or spans, of which the input and output become an example that links to the span. With create_missing it makes the dataset if there is none of the name. Ask the person before you use it, unless they told you to.",
	access: "write",
	input: z.object({
		dataset,
		examples: examples.optional().describe("Written examples; or give span_ids."),
		span_ids: z
			.array(z.string().min(1).max(255))
			.min(1)
			.max(200)
			.optional()
			.describe("Ids of spans; of whole traces, their root spans."),
		project: z.string().max(4_096).optional().describe("Name or id of the project of the spans."),
		create_missing: z
			.boolean()
			.default(false)
			.describe("Makes the dataset, in the library, if you see none of the name."),
		idempotency_key: idempotencyKey,
	}),
	output: Changed,
	async run(args, { rest, links }) {
		if ((args.examples === undefined) === (args.span_ids === undefined))
			throw new RestRefusal(422, { detail: "Give either examples or span_ids." });
		const { id, name } = await (args.create_missing
			? findOrCreate(rest, args.dataset)
			: findDataset(rest, args.dataset));
		const answer =
			args.span_ids === undefined
				? await rest.post<DatasetChange>(
						"/v1/datasets/upload?sync=true",
						{ name, action: "append", ...columnsOf(args.examples ?? []) },
						args.idempotency_key,
					)
				: await rest.post<DatasetChange>(
						`${path("v1", "datasets", id)}/examples/from_spans`,
						{ span_ids: args.span_ids, project: args.project },
						args.idempotency_key,
					);
		return changed(answer, links, "Changed the dataset");
	},
});

/** An empty one in the library, if none of the name is there. */
async function findOrCreate(rest: Rest, name: string): Promise<Pick<Dataset, "id" | "name">> {
	const found = await findNamed(rest, name);
	if (found !== undefined) return found;
	const body = { name, action: "create", ...columnsOf([]) };
	const { data } = await rest.post<DatasetChange>("/v1/datasets/upload?sync=true", body);
	return { id: data.dataset_id, name };
}

function columnsOf(list: z.output<typeof examples>) {
	return {
		inputs: list.map(({ input }) => input),
		outputs: list.map(({ output = {} }) => output),
		metadata: list.map(({ metadata = {} }) => metadata),
	};
}

function changed({ data }: DatasetChange, links: PageLinks, what: string) {
	const page = links.dataset(data.dataset_id);
	const { dataset_id, version_id, num_created_examples: created } = data;
	return {
		data: { dataset_id, version_id, created_count: created, link: page },
		text: `${what}: ${counted(created, "new example")}, version ${version_id}.\nPage: ${page}`,
	};
}

export const DATASET_TOOLS: readonly Tool[] = [listDatasets, getExamples];
export const DATASET_WRITING_TOOLS: readonly Tool[] = [createDataset, addExamples];
