import { expect, test } from "vitest";
import { configBody, configProblems } from "../../annotating/config-draft.ts";
import { configOfOutput } from "./config-of-output.ts";

const COMMON = { name: "helpful", explanation: "before" } as const;

test("people get the labels of an output with their scores, an abstention without one", () => {
	const labels = [
		{ label: "yes", score: 1 },
		{ label: "cannot tell", score: null },
	];
	const draft = configOfOutput({ ...COMMON, type: "categorical", labels, optimization_direction: "MINIMIZE" });
	expect(configProblems(draft)).toEqual({});
	expect(configBody(draft)).toEqual({
		...{ name: "helpful", type: "CATEGORICAL", optimization_direction: "MINIMIZE", description: null },
		values: labels,
	});
});

test("people get the bounds of a score, where it has some", () => {
	const direction = { optimization_direction: "MAXIMIZE" } as const;
	const draft = configOfOutput({ ...COMMON, ...direction, type: "score", minimum: 1, integer: false });
	expect(configProblems(draft)).toEqual({});
	expect(configBody(draft)).toMatchObject({ type: "CONTINUOUS", lower_bound: 1, upper_bound: null });
});
