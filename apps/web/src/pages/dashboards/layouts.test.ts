import { expect, test } from "vitest";
import { below, inReadingOrder, moved, overlaps, type Place } from "./layouts.ts";

const at = (key: string, x: number, y: number, w: number, h: number) => ({ key, layout: { x, y, w, h } });
const THREE = [at("a", 0, 0, 6, 2), at("b", 6, 0, 6, 4), at("c", 0, 2, 6, 2)];
const placesOf = (widgets: readonly { key: string; layout: Place }[]) =>
	Object.fromEntries(widgets.map(({ key, layout: { x, y, w, h } }) => [key, [x, y, w, h]]));

test("what is in the way of a moved widget makes room downwards, and what is not stays", () => {
	expect(placesOf(moved(THREE, "a", { x: 0, y: 1, w: 6, h: 2 }))).toEqual({
		a: [0, 1, 6, 2],
		b: [6, 0, 6, 4],
		c: [0, 3, 6, 2],
	});
	const wide = moved(THREE, "a", { x: 0, y: 0, w: 12, h: 2 });
	expect(placesOf(wide)).toEqual({ a: [0, 0, 12, 2], b: [6, 2, 6, 4], c: [0, 2, 6, 2] });
});

test("nothing overlaps, wherever a widget is put, and nothing leaves the grid", () => {
	for (let x = -2; x < 14; x += 1)
		for (let y = -1; y < 6; y += 1)
			for (const w of [0, 1, 7, 13]) {
				const all = moved(THREE, "b", { x, y, w, h: 3 });
				for (const { layout: a } of all) {
					expect(a.x >= 0 && a.y >= 0 && a.x + a.w <= 12).toBe(true);
					expect(all.filter(({ layout: b }) => b !== a && overlaps(a, b))).toEqual([]);
				}
			}
});

test("widgets are read row by row, and a new one comes below all", () => {
	expect(inReadingOrder([at("c", 0, 2, 1, 1), at("b", 6, 0, 1, 1), at("a", 0, 0, 1, 1)]).map(({ key }) => key)).toEqual(
		[...["a", "b", "c"]],
	);
	expect(below(THREE, { w: 4, h: 3 })).toEqual({ x: 0, y: 4, w: 4, h: 3 });
	expect(below([], { w: 4, h: 3 })).toEqual({ x: 0, y: 0, w: 4, h: 3 });
});
