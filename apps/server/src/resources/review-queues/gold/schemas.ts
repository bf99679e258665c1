import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { wireObject } from "#http/json-values.ts";
import { cursorParam, limitParam, MAX_PARAM_LENGTH, onlyParams } from "#http/query-params.ts";
import { storedName } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { allowWiderAccessField, homeField } from "#resources/projects/homes.ts";

export const StartGoldRunBody = z
	.strictObject({
		dataset_id: z.string().max(MAX_PARAM_LENGTH).optional(),
		dataset_name: storedName.optional().describe("Of a dataset, which is made if there is none of this name."),
		project: homeField,
		annotation_config_id: z
			.string()
			.max(MAX_PARAM_LENGTH)
			.optional()
			.describe(
				"The question whose text, or whose note, is the output of the examples; without it the output has all gold answers by the names of the questions.",
			),
		gold: z
			.enum(["all", "decisions"])
			.default("all")
			.describe("Decisions of adjudicators, and with `all` also what all reviewers of an item answered alike."),
		allow_wider_access: allowWiderAccessField,
	})
	.meta({ id: "StartGoldRunBody" });

export const GoldRun = z
	.object({
		id: z.string(),
		queue_id: z.string(),
		dataset_id: z
			.string()
			.nullable()
			.describe("Null before a run that makes it is done, when it was deleted, and when it is not seen."),
		version_id: z.string().nullable().describe("The version that the run made; null before it is done."),
		annotation_config_id: z.string().nullable(),
		gold: z.enum(["all", "decisions"]),
		state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
		total_items: z.int().describe("Items with gold answers at the start."),
		done_items: z.int(),
		created_examples: z.int(),
		updated_examples: z.int().describe("Examples of the same spans that had another content."),
		unchanged_examples: z.int(),
		left_out_items: z.int(),
		left_out: z.array(z.object({ item_id: z.string(), reason: z.string() })).describe("The first ones."),
		error: z.string().nullable().describe("Why the run failed."),
		user_id: z.string().nullable(),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "ReviewGoldRun" });

export const OneGoldRun = z.object({ data: GoldRun });
export const GoldRunPage = pageSchema(GoldRun).meta({ id: "ReviewGoldRunPage" });
export const GoldRunListQuery = onlyParams({ cursor: cursorParam, limit: limitParam(100) });
export const goldRunParams = z.object({ queue_id: z.string().max(300), gold_run_id: z.string().max(300) });

export const ItemExample = z.object({
	data: z
		.object({
			project_id: z.string(),
			trace_id: z.string(),
			span_id: z.string(),
			span_node_id: z.string().describe("For `span_ids` of `POST /v1/datasets/{id}/examples/from_spans`."),
			input: wireObject,
			output: wireObject,
			metadata: wireObject,
		})
		.meta({ id: "ReviewItemExample" }),
});
