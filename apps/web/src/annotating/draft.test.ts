import { expect, test } from "vitest";
import { changesOf, draftOf, draftProblem, EMPTY, orderConfigs, resultOf } from "./draft.ts";
import type { Annotation, AnnotationResult, CategoricalConfig, ContinuousConfig, FreeformConfig } from "./types.ts";

const quality: CategoricalConfig = {
	id: "1",
	name: "quality",
	type: "CATEGORICAL",
	optimization_direction: "MAXIMIZE",
	values: [{ label: "good", score: 1 }, { label: "unclear" }],
};
const relevance: ContinuousConfig = {
	id: "2",
	name: "relevance",
	type: "CONTINUOUS",
	optimization_direction: "MAXIMIZE",
	lower_bound: 0,
	upper_bound: 1,
};
const remark: FreeformConfig = { id: "3", name: "remark", type: "FREEFORM" };

function annotation(name: string, result: AnnotationResult): Annotation {
	const time = "2026-01-01T00:00:00Z";
	return {
		id: name,
		name,
		result,
		annotator_kind: "HUMAN",
		source: "APP",
		user_id: null,
		created_at: time,
		updated_at: time,
	};
}

test("a chosen label brings its score", () => {
	expect(resultOf(quality, { ...EMPTY, label: "good" })).toEqual({ label: "good", score: 1, explanation: null });
	expect(resultOf(quality, { ...EMPTY, label: "unclear", explanation: " hm " })).toEqual({
		label: "unclear",
		score: null,
		explanation: "hm",
	});
	expect(resultOf(quality, { ...EMPTY, explanation: "without a label" })).toBeNull();
});

test("a number has to be one, and within the bounds", () => {
	expect(draftProblem(relevance, { ...EMPTY, score: "0.5" })).toBeUndefined();
	expect(draftProblem(relevance, { ...EMPTY, score: "" })).toBeUndefined();
	expect(draftProblem(relevance, { ...EMPTY, score: "much" })).toBe("Write a number.");
	expect(draftProblem(relevance, { ...EMPTY, score: "2" })).toBe("0 to 1");
	expect(draftProblem({ ...relevance, upper_bound: null }, { ...EMPTY, score: "-1" })).toBe("at least 0");
});

test("only what changed is written, and what was emptied is removed", () => {
	const own = new Map([
		["quality", annotation("quality", { label: "good", score: 1 })],
		["relevance", annotation("relevance", { score: 0.5 })],
	]);
	const drafts = new Map([
		["quality", draftOf(own.get("quality"))],
		["relevance", EMPTY],
		["remark", { ...EMPTY, explanation: "odd" }],
	]);
	expect(changesOf([quality, relevance, remark], drafts, own)).toEqual({
		written: [{ name: "remark", result: { label: null, score: null, explanation: "odd" }, before: undefined }],
		removed: [own.get("relevance")],
	});
});

test("configs of the project stand first, each once", () => {
	const { assigned, others } = orderConfigs([relevance, remark, quality], [remark]);
	expect(assigned).toEqual([remark]);
	expect(others).toEqual([quality, relevance]);
});
