import { describe, expect, test } from "vitest";
import { GridLayout, type ListColumn, REST } from "./grid-layout.ts";

const column = (key: string, more: Partial<ListColumn<null>> = {}): ListColumn<null> => ({
	key,
	title: key,
	width: 100,
	cell: () => null,
	...more,
});
const score = (name: string) => column(`score.${name}`, { isDynamic: true });
const ALL = [
	column("time"),
	column("name", { isNeeded: true, grow: 1 }),
	score("tone"),
	score("fit, or not-fit: 1"),
	column("latency"),
	column("cost"),
];
const STANDARD = ["time", "name", REST, "latency"];
const layout = (text?: string, all = ALL) => GridLayout.of(all, text, STANDARD);
const keys = (shown: GridLayout<null>) => shown.columns.map(({ key }) => key);
/** What somebody who opens the address sees. */
const reopened = (shown: GridLayout<null>) => keys(layout(shown.toText()));

describe("a layout", () => {
	test("is the standard one where none is chosen, or none of its columns is known", () => {
		const standard = ["time", "name", "score.tone", "score.fit, or not-fit: 1", "latency"];
		expect(keys(layout())).toEqual(standard);
		expect(keys(layout("gone,%"))).toEqual(standard);
		expect(keys(layout("-score.tone"))).toEqual(standard);
	});

	test("shows the columns that are chosen, in their order, and always the one with the link", () => {
		expect(keys(layout("cost,time"))).toEqual(["name", "cost", "time"]);
	});

	test("survives the address, with any name of a score", () => {
		const moved = layout().moved("score.fit, or not-fit: 1", "time").resized("score.fit, or not-fit: 1", 61);
		expect(reopened(moved)).toEqual(["score.fit, or not-fit: 1", "time", "name", "score.tone", "latency"]);
		expect(layout(moved.toText()).columns[0]?.width).toBe(61);
	});

	test("moves columns by steps and to the end, as far as there is room", () => {
		expect(reopened(layout().stepped("time", -1))).toEqual(keys(layout()));
		expect(reopened(layout().stepped("time", 1)).slice(0, 2)).toEqual(["name", "time"]);
		expect(reopened(layout().stepped("score.tone", 1)).slice(2, 4)).toEqual(["score.fit, or not-fit: 1", "score.tone"]);
		expect(reopened(layout().stepped("score.fit, or not-fit: 1", 1)).at(-1)).toBe("score.fit, or not-fit: 1");
		expect(reopened(layout().moved("time", undefined)).at(-1)).toBe("time");
	});

	test("shows a column at its usual place, and takes it away again", () => {
		const shown = layout().toggled("cost", true);
		expect(reopened(shown).slice(-2)).toEqual(["latency", "cost"]);
		expect(reopened(shown.toggled("cost", false))).toEqual(keys(layout()));
	});

	test("keeps a hidden score hidden, and shows one that is new", () => {
		const hidden = layout().toggled("score.tone", false).toText();
		const all = [...ALL.slice(0, 4), score("new"), ...ALL.slice(4)];
		expect(keys(layout(hidden, all))).toEqual(["time", "name", "score.fit, or not-fit: 1", "score.new", "latency"]);
		expect(keys(layout(hidden, all).toggled("score.tone", true))).toContain("score.tone");
	});

	test("keeps the scores of another project", () => {
		const there = layout().moved("score.tone", "time");
		const here = layout(there.toText(), [column("time"), column("name"), column("latency")]).toggled("latency", false);
		expect(reopened(here)[0]).toBe("score.tone");
	});

	test("shows at most eight scores that nobody chose", () => {
		const many = [column("name"), ...Array.from({ length: 11 }, (_, index) => score(String(index)))];
		const shown = layout(undefined, many);
		expect(shown.columns).toHaveLength(9);
		expect(shown.toggled("score.9", true).columns).toHaveLength(10);
	});

	test("gives a column the chosen width instead of a share of the space, and takes none that is absurd", () => {
		const name = layout()
			.resized("name", 5_000)
			.columns.find(({ key }) => key === "name");
		expect(name).toMatchObject({ width: 1_600 });
		expect(name).not.toHaveProperty("grow");
		expect(layout().resized("name", 5_000).resized("name", undefined).columns[1]).toMatchObject({
			width: 100,
			grow: 1,
		});
	});
});
