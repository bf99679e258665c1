import type { PutReviewRuleBodyInput, ReviewRule } from "@spanward/client";

/** The fields of the form of a standing rule. */
export interface RuleDraft {
	/** Id of the project; empty while none is chosen. */
	readonly project: string;
	readonly filter: string;
	/** In percent. */
	readonly sample: string;
	/** Empty for no limit. */
	readonly dailyLimit: string;
	readonly isEnabled: boolean;
}

const MOST_A_DAY = 100_000;

const NEW_RULE: RuleDraft = { project: "", filter: "", sample: "100", dailyLimit: "", isEnabled: true };

/** @param rule null where there is none yet */
export function toRuleDraft(rule: ReviewRule | null): RuleDraft {
	if (rule === null) return NEW_RULE;
	return {
		...{ project: rule.project_id, filter: rule.filter, sample: percentOf(rule.sample) },
		...{ dailyLimit: rule.daily_limit === null ? "" : String(rule.daily_limit), isEnabled: rule.enabled },
	};
}

/** `0.2` as `20`, without what floating point adds to it. */
export function percentOf(sample: number): string {
	return String(Number((sample * 100).toPrecision(12)));
}

export type WrongInRule = "project" | "sample" | "limit";

/** What is missing or wrong in a draft, by field; the server checks the filter. */
export function wrongInRule({ project, sample, dailyLimit }: RuleDraft): ReadonlySet<WrongInRule> {
	const wrong = new Set<WrongInRule>();
	if (project === "") wrong.add("project");
	const percent = sample.trim() === "" ? Number.NaN : Number(sample);
	if (!(percent >= 0 && percent <= 100)) wrong.add("sample");
	const limit = Number(dailyLimit);
	if (dailyLimit.trim() !== "" && !(Number.isInteger(limit) && limit >= 1 && limit <= MOST_A_DAY)) wrong.add("limit");
	return wrong;
}

export function toRuleBody(draft: RuleDraft): PutReviewRuleBodyInput {
	return {
		...{ project: draft.project, filter: draft.filter, enabled: draft.isEnabled },
		sample: Number((Number(draft.sample) / 100).toPrecision(12)),
		daily_limit: draft.dailyLimit.trim() === "" ? null : Number(draft.dailyLimit),
	};
}
