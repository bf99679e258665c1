import { z } from "zod";
import { filterParam } from "#http/filter-param.ts";
import { booleanParam, onlyParams, textParam } from "#http/query-params.ts";
import { wireTime } from "#http/wire-times.ts";
import { MOST_ITEMS } from "./schemas.ts";

const sample = z
	.number()
	.gte(0)
	.lte(1)
	.describe("Which part of what matches is added, by the id of the trace or session: 0.2 for a fifth.");
const dailyLimit = z.int().min(1).max(MOST_ITEMS).nullable().describe("No more are added on a day, in UTC.");

export const PutRuleQuery = onlyParams({
	preview: booleanParam.default(false).describe("Sets nothing, and counts what started in the last 24 hours instead."),
});

export const RuleBody = z
	.strictObject({
		project: textParam.describe("Name or id."),
		filter: filterParam,
		sample: sample.default(1),
		daily_limit: dailyLimit.default(null),
		enabled: z.boolean().default(true),
	})
	.meta({ id: "PutReviewRuleBody" });

export const ReviewRule = z
	.object({
		project_id: z.string(),
		filter: z.string(),
		sample,
		daily_limit: dailyLimit,
		enabled: z.boolean(),
		error: z.string().nullable().describe("Why it was switched off."),
		added_today: z.int(),
		added: z.int(),
		user_id: z.string().nullable().describe("With whose rights it adds."),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "ReviewRule" });

export const RulePreview = z
	.object({
		matching: z.int().describe("Spans, traces or sessions that started in the last 24 hours and match."),
		sampled: z.int().describe("Those of them that the rule would add, apart from its daily limit."),
		is_complete: z.boolean().describe("False when counting took too long: there are more."),
	})
	.meta({ id: "ReviewRulePreview" });

export const OneReviewRule = z.object({ data: ReviewRule });
export const PutRuleResult = z.object({ data: z.union([ReviewRule, RulePreview]) });
