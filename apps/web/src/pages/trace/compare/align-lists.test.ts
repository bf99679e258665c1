import { expect, test } from "vitest";
import { alignLists, byOccurrence } from "./align-lists.ts";

const pairsOf = (left: string, right: string) =>
	alignLists([...left], [...right]).map(([l, r]) => `${left[l]}${l}${r}`);

test("pairs the longest common subsequence", () => {
	expect(pairsOf("abab", "bab")).toEqual(["b10", "a21", "b32"]);
	expect(pairsOf("abc", "axc")).toEqual(["a00", "c22"]);
	expect(pairsOf("", "a")).toEqual([]);
	expect(pairsOf("ab", "cd")).toEqual([]);
});

test("pairs without crossings where the lists differ in too many places for the longest", () => {
	const left = Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? at : -at));
	const right = Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? at : -at - 20_000));
	const pairs = alignLists(left, right);
	expect(pairs).toHaveLength(5_000);
	expect(pairs.every(([l, r], index) => l === r && l > (pairs[index - 1]?.[0] ?? -1))).toBe(true);
});

test("leaves out what would cross where the lists differ in too many places", () => {
	const left = Array.from({ length: 1_000 }, (_, at) => at);
	const rotated = [...left.slice(400), ...left.slice(0, 400)];
	const pairs = alignLists(left, rotated);
	expect(pairs).toHaveLength(600);
	expect(pairs[0]).toEqual([400, 0]);
});

test("pairs by occurrence, also crossing", () => {
	expect(byOccurrence([..."aba"], [..."baca"])).toEqual([
		[0, 1],
		[1, 0],
		[2, 3],
	]);
});
