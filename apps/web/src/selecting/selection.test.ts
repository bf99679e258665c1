import { expect, test } from "vitest";
import { extend, NOTHING, toggle } from "./selection.ts";

const ROWS = ["a", "b", "c", "d", "e"];

test("selects a row and takes it out again", () => {
	const one = toggle(NOTHING, "b");
	expect([...one.keys]).toEqual(["b"]);
	expect([...toggle(one, "b").keys]).toEqual([]);
	expect(toggle({ ...one, isAll: true }, "c").isAll).toBe(false);
});

test("selects the rows between the last selected one and another, in either direction", () => {
	const one = toggle(NOTHING, "c");
	expect([...extend(one, ROWS, "e").keys]).toEqual(["c", "d", "e"]);
	expect([...extend(one, ROWS, "a").keys].sort()).toEqual(["a", "b", "c"]);
	// A range always begins at the same row.
	expect([...extend(extend(one, ROWS, "d"), ROWS, "b").keys].sort()).toEqual(["b", "c", "d"]);
});

test("begins a range at the active row if none was selected, or the selected one is gone", () => {
	expect([...extend(NOTHING, ROWS, "c", "b").keys]).toEqual(["b", "c"]);
	expect([...extend(NOTHING, ROWS, "c").keys]).toEqual(["c"]);
	expect([...extend(toggle(NOTHING, "gone"), ROWS, "c", "b").keys]).toEqual(["gone", "b", "c"]);
	expect(extend(NOTHING, ROWS, "gone").keys.size).toBe(0);
});
