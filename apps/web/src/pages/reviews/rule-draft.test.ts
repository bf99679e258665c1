import { expect, test } from "vitest";
import { toRuleBody, toRuleDraft, wrongInRule } from "./rule-draft.ts";

const RULE = {
	...{ project_id: "UHJvamVjdDox", filter: "error_count > 0", sample: 0.07, daily_limit: null, enabled: false },
	...{ error: null, added_today: 0, added: 3, user_id: null },
	...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
};

test("a rule comes out of the form as it went in", () => {
	const draft = toRuleDraft(RULE);
	expect(draft).toMatchObject({ sample: "7", dailyLimit: "", isEnabled: false });
	expect(toRuleBody(draft)).toEqual({
		...{ project: RULE.project_id, filter: RULE.filter, sample: 0.07, daily_limit: null, enabled: false },
	});
	expect(toRuleBody({ ...draft, dailyLimit: "50" }).daily_limit).toBe(50);
});

test("what is missing or wrong is said by field", () => {
	const fine = { ...toRuleDraft(RULE), sample: "0.5", dailyLimit: "100000" };
	expect([...wrongInRule(fine)]).toEqual([]);
	expect([...wrongInRule(toRuleDraft(null))]).toEqual(["project"]);
	for (const sample of ["", "-1", "100.1", "x"]) expect([...wrongInRule({ ...fine, sample })]).toEqual(["sample"]);
	for (const dailyLimit of ["0", "1.5", "100001", "x"])
		expect([...wrongInRule({ ...fine, dailyLimit })]).toEqual(["limit"]);
});
