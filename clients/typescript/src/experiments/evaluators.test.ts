import { expect, test } from "vitest";
import { concurrently } from "./concurrently.ts";
import { contains, createEvaluator, type Evaluator, exactMatch, isJson, matches, toResult } from "./evaluators.ts";

const example = {
	id: "e",
	node_id: "e",
	input: {},
	output: { answer: "Paris" },
	metadata: {},
	updated_at: "2026-01-01T00:00:00+00:00",
} as never;

function scoreOf(evaluator: Evaluator, output: unknown, expected: Record<string, unknown> = { answer: "Paris" }) {
	return evaluator.evaluate({ input: {}, output, expected, metadata: {}, example, traceId: null });
}

test.each([
	["the text of the only member", "Paris", { answer: "Paris" }, true],
	["the same members in another order", { b: 1, a: [{ d: 1, c: 2 }] }, { a: [{ c: 2, d: 1 }], b: 1 }, true],
	["another text", "paris", { answer: "Paris" }, false],
	["a part of the members", { a: 1 }, { a: 1, b: 2 }, false],
	["nothing", null, { answer: "Paris" }, false],
])("exactMatch of %s", (_what, output, expected, wanted) => {
	expect(scoreOf(exactMatch, output, expected)).toBe(wanted);
});

test("contains, matches and isJson look at the text of the output", () => {
	expect(scoreOf(contains(["paris", "FRANCE"]), "Paris, France")).toBe(true);
	expect(scoreOf(contains("rome"), { text: "Paris" })).toBe(false);
	const pattern = matches(/p\w+s/gi);
	expect([scoreOf(pattern, "Paris"), scoreOf(pattern, "Paris")]).toEqual([true, true]);
	expect([scoreOf(isJson, '{"a":1}'), scoreOf(isJson, "{a"), scoreOf(isJson, { a: 1 })]).toEqual([true, false, true]);
});

test("answers of every form are converted to the stored form", () => {
	expect([0.5, "good", true, { score: 1, explanation: "why" }].map(toResult)).toEqual([
		{ score: 0.5 },
		{ label: "good" },
		{ score: 1, label: "true" },
		{ score: 1, explanation: "why" },
	]);
	expect(() => createEvaluator({ name: " ", evaluate: () => 1 })).toThrow(/needs a name/);
});

test("works on at most `limit` items at a time, until one fails", async () => {
	let running = 0;
	let most = 0;
	const seen: number[] = [];
	async function* numbers() {
		for (let n = 0; n < 20; n += 1) yield n;
	}
	const work = concurrently(numbers(), 3, async (n) => {
		running += 1;
		most = Math.max(most, running);
		await new Promise((resolve) => setTimeout(resolve, 5));
		running -= 1;
		seen.push(n);
		if (n === 9) throw new Error("the tenth");
	});
	await expect(work).rejects.toThrow("the tenth");
	expect(most).toBe(3);
	expect(running).toBe(0);
	expect(seen.length).toBeLessThan(20);
	expect(seen).toContain(9);
});
