import type { ReviewQuestion } from "@spanward/client";
import { expect, test } from "vitest";
import { isAnswered, lettersOf, problemsOf, toAnswers, toDrafts } from "./answers.ts";

const BASE = { description: null, values: null, lower_bound: null, upper_bound: null, required: true, tolerance: 0 };
const VERDICT: ReviewQuestion = {
	...{ ...BASE, annotation_config_id: "v", name: "verdict", type: "CATEGORICAL", note: true },
	values: [
		{ label: "good", score: 1 },
		{ label: "bad", score: 0 },
	],
};
const QUALITY: ReviewQuestion = {
	...{ ...BASE, annotation_config_id: "q", name: "quality", type: "CONTINUOUS", note: false, required: false },
	...{ lower_bound: 0, upper_bound: 1 },
};
const REMARK: ReviewQuestion = {
	...{ ...BASE, annotation_config_id: "r", name: "remark", type: "FREEFORM", note: false },
	required: false,
};
const QUESTIONS = [VERDICT, QUALITY, REMARK];

test("answers become the fields of the form and back", () => {
	const sent = [
		{ annotation_config_id: "v", label: "good", explanation: "so" },
		{ annotation_config_id: "q", score: 0.5 },
		{ annotation_config_id: "r", explanation: "fine" },
	];
	const drafts = toDrafts(QUESTIONS, [{ ...sent[0], annotation_config_id: "v", score: 1 }, ...sent.slice(1)]);
	expect(drafts.get("v")).toEqual({ label: "good", score: "", explanation: "so" });
	expect(toAnswers(QUESTIONS, drafts)).toEqual(sent);
	expect(problemsOf(QUESTIONS, drafts)).toEqual(new Map());
});

test("what is half filled in is kept, and what keeps it from being saved is said", () => {
	const drafts = new Map([
		["v", { label: "", score: "", explanation: "because" }],
		["q", { label: "", score: "2", explanation: "not asked" }],
	]);
	expect(toAnswers(QUESTIONS, drafts)).toEqual([
		{ annotation_config_id: "v", explanation: "because" },
		{ annotation_config_id: "q", score: 2 },
	]);
	expect(isAnswered(VERDICT, { label: "", score: "", explanation: "because" })).toBe(false);
	expect(problemsOf(QUESTIONS, drafts)).toEqual(
		new Map([
			["v", "An answer is needed."],
			["q", "0 to 1"],
		]),
	);
	const noNumber = new Map([["q", { label: "", score: "much", explanation: "" }]]);
	expect(toAnswers([QUALITY], noNumber)).toEqual([]);
	expect(problemsOf([QUALITY], noNumber).get("q")).toBe("Write a number.");
});

test("each question has a letter of its own, of its name where one is free", () => {
	expect(lettersOf(["verdict", "quality", "value", "sun", "ü", "veto"])).toEqual(["v", "q", "a", "w", "e", "t"]);
	const all = lettersOf(Array.from({ length: 20 }, () => "same"));
	expect(new Set(all).size).toBe(20);
	expect(all.join("")).not.toMatch(/[sungjk]/);
});
