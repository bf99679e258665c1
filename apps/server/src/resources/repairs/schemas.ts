import { z } from "zod";
import { textParam } from "#http/query-params.ts";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { REPAIR_KINDS } from "#storage/trace-repairs.ts";

const kind = z
	.enum(REPAIR_KINDS)
	.describe(
		"`totals`: rows of traces, and hours, that differ from their spans. `orphans`: what belongs to nothing any more. `moves`: what is in two places, or in another one than is said of it.",
	);

/** Clamped to the microseconds that a number represents exactly. */
const storedTime = timeParam.transform((micros) =>
	Math.floor(Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, micros))),
);

export const CreateStorageRepairBody = z
	.object({
		kind,
		project_id: textParam.nullish().describe("Name or id; all projects when absent."),
		start_time: storedTime.nullish().describe("Only of spans that start from then on, and their hours."),
		end_time: storedTime.nullish().describe("Only of spans that start before."),
		dry_run: z.boolean().nullish().describe("Only look."),
	})
	.meta({ id: "CreateStorageRepairBody" });

export const StorageRepair = z
	.object({
		id: z.string(),
		kind,
		project_id: z.string().nullable(),
		start_time: wireTime.nullable(),
		end_time: wireTime.nullable(),
		dry_run: z.boolean(),
		status: z.enum(["queued", "running", "completed", "failed", "cancelled"]),
		looked_at: z.int().describe("Traces, hours, references and parts of tables."),
		found: z.int().describe("Traces, hours and other things that are wrong."),
		repaired: z
			.int()
			.describe("Fewer than were found where nothing is left to make them right from, or they were right meanwhile."),
		created_by: z.string().nullable().describe("A user."),
		created_at: wireTime,
		finished_at: wireTime.nullable(),
		error: z.string().nullable().describe("Why it failed."),
	})
	.meta({ id: "StorageRepair" });
