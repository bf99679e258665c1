import { expect, it } from "vitest";
import { blankJob, checkJob } from "./dataset-run.ts";

const VARIANTS = [{ model: "a" }];
const draft = { ...blankJob("dataset", 2), paths: {} };

it("sends no mapping while the variables are the members of the input", () => {
	const body = { kind: "run", dataset_id: "dataset", variants: VARIANTS, repetitions: 2 };
	expect(checkJob(draft, VARIANTS, ["question"]).body).toEqual(body);
});

it("maps the other variables to the members of the input as soon as one has a path", () => {
	const { body } = checkJob({ ...draft, paths: { tone: " metadata.tone ", gone: "x" } }, VARIANTS, [
		"question",
		"tone",
	]);
	expect(body?.variables).toEqual({ question: { path: 'input."question"' }, tone: { path: "metadata.tone" } });
});

it.each([
	[{ repetitions: "0" }, ["repetitions"]],
	[{ repetitions: "1.5", maxCost: "-1" }, ["repetitions", "maxCost"]],
	[{ maxCost: "much" }, ["maxCost"]],
	[{ dataset: "" }, []],
])("makes no body of %j", (part, problems) => {
	const checked = checkJob({ ...draft, ...part }, VARIANTS, []);
	expect(checked.body).toBeUndefined();
	expect([...checked.problems]).toEqual(problems);
});
