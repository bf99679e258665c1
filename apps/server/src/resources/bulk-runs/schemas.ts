import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { textParam } from "#http/query-params.ts";
import { storedName } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { AnnotationOfSelection } from "../annotations/schemas.ts";
import { allowWiderAccessField } from "../projects/homes.ts";
import { SelectionBody, selectionKind } from "../selections/schemas.ts";

const selection = SelectionBody.describe("Ids, or all that match a filter and had arrived when the run was started.");

export const CreateBulkRunBody = z
	.discriminatedUnion("action", [
		z.object({ action: z.literal("delete"), kind: selectionKind, selection }),
		z.object({
			action: z.literal("move"),
			kind: z.literal("trace"),
			selection,
			destination_project_identifier: textParam.describe("Name or id."),
			allow_wider_access: allowWiderAccessField,
		}),
		z.object({ action: z.literal("annotate"), kind: selectionKind, selection, annotation: AnnotationOfSelection }),
		z.object({
			action: z.literal("add_to_dataset"),
			kind: z.enum(["span", "trace"]).describe("Of a trace, its root span becomes an example."),
			selection,
			dataset_id: z.string(),
			splits: z.array(storedName).max(100).nullish(),
			allow_wider_access: allowWiderAccessField,
		}),
	])
	.meta({ id: "CreateBulkRunBody" });

export const BulkRun = z
	.object({
		id: z.string(),
		project_id: z.string(),
		action: z.enum(["delete", "move", "annotate", "add_to_dataset", "add_to_review_queue"]),
		kind: selectionKind,
		by_filter: z.boolean().describe("False for ids."),
		destination_project_id: z.string().nullable(),
		dataset_id: z.string().nullable(),
		review_queue_id: z.string().nullable(),
		annotation_name: z.string().nullable(),
		state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
		total_items: z.int().nullable().describe("Null until they are counted."),
		done_items: z
			.int()
			.describe("At the end they may be fewer than the total: what no longer exists or matches is left alone."),
		failed_items: z.int(),
		failures: z
			.array(z.object({ id: z.string(), reason: z.string() }))
			.describe("The first failures, with global ids of the items."),
		error: z.string().nullable().describe("Why the run failed."),
		user_id: z.string().nullable(),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "BulkRun" });

export const OneBulkRun = z.object({ data: BulkRun });
export const BulkRunPage = pageSchema(BulkRun).meta({ id: "BulkRunPage" });
