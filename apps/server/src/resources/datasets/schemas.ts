import { z } from "zod";
import { jsonObject, MAX_METADATA, toJsonText, wireObject } from "#http/json-values.ts";
import { MAX_PARAM_LENGTH } from "#http/query-params.ts";
import { storedName, storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { allowWiderAccessField, homeField, homeOfAnswer } from "../projects/homes.ts";

/** Ids in one request. */
const MAX_IDS = 10_000;
const MAX_TEXT = 100_000;

const description = storedText(MAX_TEXT);
const shortObject = jsonObject.refine(
	(value) => toJsonText(value).length <= MAX_METADATA,
	`its JSON is longer than ${MAX_METADATA} characters`,
);
const idList = z.array(z.string().max(MAX_PARAM_LENGTH)).max(MAX_IDS);

export const Dataset = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		metadata: wireObject,
		created_at: wireTime,
		updated_at: wireTime,
		example_count: z.int().describe("Examples of the newest version."),
		project_id: homeOfAnswer,
	})
	.meta({ id: "Dataset" });

export const UpdateDatasetBody = z.object({
	name: storedName.optional(),
	description: description.nullish(),
	metadata: shortObject.optional(),
	project: homeField,
	allow_wider_access: allowWiderAccessField,
});

export const DatasetVersion = z
	.object({
		version_id: z.string(),
		description: z.string().nullable(),
		metadata: wireObject,
		created_at: wireTime,
		created_count: z.int(),
		updated_count: z.int().describe("Examples with another content or other splits than before."),
		deleted_count: z.int(),
		example_count: z.int().describe("Examples that the version holds."),
	})
	.meta({ id: "DatasetVersion" });

const ExampleSource = z
	.object({
		span_id: z.string().describe("16 hex digits, or the text that was sent in their place."),
		span_node_id: z.string(),
	})
	.meta({ id: "DatasetExampleSource" });

export const DatasetExample = z
	.object({
		id: z.string().describe("The id that the caller gave it; `node_id` when there is none."),
		node_id: z.string(),
		input: wireObject,
		output: wireObject,
		metadata: wireObject,
		updated_at: wireTime,
		source: ExampleSource.nullable().describe("The span it was made of."),
	})
	.meta({ id: "DatasetExample" });

/** An example with the splits it is in. */
export const DatasetExampleInSplits = DatasetExample.extend({ splits: z.array(z.string()).describe("Names.") }).meta({
	id: "DatasetExampleInSplits",
});

export const DatasetExamples = z
	.object({
		data: z.object({
			dataset_id: z.string(),
			version_id: z.string(),
			filtered_splits: z.array(z.string()).describe("Names of the splits that were asked for."),
			examples: z.array(DatasetExampleInSplits),
		}),
		next_cursor: z.string().nullable().optional().describe("When `limit` or `cursor` was given."),
	})
	.meta({ id: "DatasetExamples" });

export const UpdateExampleBody = z.object({
	input: jsonObject.optional(),
	output: jsonObject.optional(),
	metadata: jsonObject.optional(),
	splits: z.array(storedName).max(100).optional().describe("Names of all splits it is to be in; new ones are made."),
});

export const ExampleRevision = z
	.object({
		id: z.string(),
		example_id: z.string(),
		version_id: z.string().describe("The version that made it."),
		until_version_id: z.string().nullable().describe("The version that replaced or deleted it; null while it lives."),
		kind: z.enum(["CREATE", "PATCH"]),
		input: wireObject,
		output: wireObject,
		metadata: wireObject,
		created_at: wireTime,
	})
	.meta({ id: "DatasetExampleRevision" });

export const FromSpansBody = z.object({
	span_ids: z.array(z.string().max(MAX_PARAM_LENGTH)).min(1).max(1_000).describe("Span ids in hex, or global ids."),
	project: z
		.string()
		.max(MAX_PARAM_LENGTH)
		.nullish()
		.describe("Name or id; narrows hex ids that several projects have."),
	input: jsonObject.optional().describe("Of one span: in place of its input."),
	output: jsonObject.optional().describe("Of one span: in place of its output, such as a corrected one."),
	metadata: jsonObject.optional().describe("Of one span: in place of its metadata."),
	splits: z.array(storedName).max(100).nullish(),
	allow_wider_access: allowWiderAccessField,
});

export const ChangedVersion = z
	.object({
		dataset_id: z.string(),
		version_id: z.string(),
		num_created_examples: z.int(),
		num_updated_examples: z.int(),
		num_deleted_examples: z.int(),
	})
	.meta({ id: "DatasetChange" });

const perInput = "One for each of `inputs`.";
const UPLOAD_ACTION = "`create` (the name has to be free), `append`, or `update` (what is not in it is deleted).";

/** For the API reference only: the handler checks each member itself, as clients look for the texts of its errors. */
export const UploadJsonBody = z.object({
	name: z.string(),
	inputs: z.array(wireObject),
	outputs: z.array(wireObject).nullish().describe(perInput),
	metadata: z.array(wireObject).nullish().describe(perInput),
	splits: z
		.array(z.union([z.string(), z.array(z.string()), z.null()]))
		.nullish()
		.describe(`Names of splits. ${perInput}`),
	span_ids: z.array(z.string().nullable()).nullish().describe(`Hex ids of stored spans. ${perInput}`),
	example_ids: z.array(z.string().nullable()).nullish().describe(`Your own ids of the examples. ${perInput}`),
	description: z.string().nullish(),
	action: z.string().nullish().describe(UPLOAD_ACTION),
	project: homeField,
	allow_wider_access: allowWiderAccessField,
});

const columns = z.array(z.string()).optional();

export const UploadFileBody = z.object({
	name: z.string(),
	file: z
		.string()
		.meta({ format: "binary" })
		.describe(
			"`text/csv`, `application/jsonl` or `application/x-pandas-pyarrow` (Arrow IPC stream); the part's `Content-Encoding` may be `gzip` or `deflate`.",
		),
	"input_keys[]": columns.describe("Columns of the input."),
	"output_keys[]": columns,
	"metadata_keys[]": columns,
	split_key: z.string().optional().describe("Column with the name of a split, or a JSON list of names."),
	"split_keys[]": columns.describe("Columns whose values are names of splits; instead of `split_key`."),
	span_id_key: z.string().optional(),
	example_id_key: z.string().optional(),
	"flatten_keys[]": columns.describe("Columns of objects whose members are taken instead of them."),
	action: z.string().optional().describe(UPLOAD_ACTION),
	description: z.string().optional(),
	project: z.string().optional().describe("Id or name of the project where it is to live; `library` for the library."),
	allow_wider_access: z.enum(["true", "false"]).optional(),
});

export const DatasetSplit = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		color: z.string(),
		metadata: wireObject,
		example_count: z.int(),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "DatasetSplit" });

const colorInput = z
	.string()
	.trim()
	.regex(/^#[0-9a-fA-F]{6}$/, "String should be a colour such as #33c5e8");

export const CreateSplitBody = z.object({
	name: storedName.transform((name) => name.trim()),
	description: description.nullish(),
	color: colorInput.nullish().transform((color) => color ?? "#33c5e8"),
	metadata: shortObject.nullish(),
	example_ids: idList.nullish().describe("Global ids, or your own ids of the examples."),
});

export const UpdateSplitBody = z.object({
	name: storedName
		.transform((name) => name.trim())
		.nullable()
		.refine((name) => name !== null, "the name cannot be null")
		.optional(),
	description: description.nullish(),
	color: colorInput.nullish(),
	metadata: shortObject.nullish(),
	add_example_ids: idList.nullish(),
	remove_example_ids: idList.nullish().describe("Wins over `add_example_ids`."),
});

export const DatasetLabel = z
	.object({ id: z.string(), name: z.string(), description: z.string().nullable(), color: z.string() })
	.meta({ id: "DatasetLabel" });

const labelColor = z.string().regex(/^#([0-9a-f]{6})$/, "String should match pattern '^#([0-9a-f]{6})$'");

export const CreateLabelBody = z.object({ name: storedName, description: description.nullish(), color: labelColor });

export const UpdateLabelBody = z.object({
	name: storedName.nullish(),
	description: description.nullish(),
	color: labelColor.nullish(),
});

export const SetLabelsBody = z.object({
	dataset_label_ids: z.array(z.string().max(MAX_PARAM_LENGTH)).max(1_000).default([]),
});
