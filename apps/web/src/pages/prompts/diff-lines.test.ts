import { expect, test } from "vitest";
import { type DiffLine, foldEqual, sideBySide } from "./diff-lines.ts";

const line = (kind: DiffLine["kind"], text: string): DiffLine => ({ kind, text });
const equal = (count: number) => Array.from({ length: count }, (_, index) => line("equal", String(index)));

test("folds lines that are far from a change, but not a single line", () => {
	const parts = foldEqual([...equal(10), line("added", "new"), ...equal(4)]);
	expect(parts.map((part) => [part.lines.length, part.isFolded])).toEqual([
		[7, true],
		[7, false],
		[1, false],
	]);
});

test("puts a changed line beside its former text", () => {
	const [a, b, c] = [line("removed", "a"), line("added", "b"), line("added", "c")];
	const same = line("equal", "same");
	expect(sideBySide([same, a, b, c, same])).toEqual([
		[same, same],
		[a, b],
		[undefined, c],
		[same, same],
	]);
});
