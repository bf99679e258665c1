import { expect, test } from "vitest";
import { isWords } from "../../filtering/list-condition.ts";
import { chosenOf, isNarrowed, narrowed, withChosen } from "./narrowing.ts";

const dashboard = { filter: "model == 'a'", controls: ["environment"] };
const plain = { filter: null, controls: ["environment"] };

test("the filter of the dashboard, of the widget and of the menus all hold", () => {
	const search = withChosen({}, "environment", "environment == 'live'");
	expect(narrowed("spans", { filter: "name == 'x' or name == 'y'" }, dashboard, search, isWords)).toEqual({
		filter: "(model == 'a') and (environment == 'live') and (name == 'x' or name == 'y')",
		q: undefined,
	});
});

test("the filter of the address is in the place of the saved one, and words are looked for besides", () => {
	const asked = { filter: "model == 'b'" };
	expect(narrowed("spans", {}, dashboard, asked, isWords).filter).toBe("model == 'b'");
	expect(narrowed("traces", { q: "timed out" }, dashboard, { q: "order" }, isWords)).toEqual({
		...{ filter: undefined, q: "order timed out" },
	});
	expect(narrowed("spans", { filter: "timed out" }, dashboard, asked, isWords)).toEqual({
		...{ filter: "model == 'b'", q: "timed out" },
	});
});

test("one filter is sent as it is, without what tells it from words", () => {
	expect(isNarrowed(plain, { q: "order" })).toBe(false);
	expect(isNarrowed(dashboard, {})).toBe(true);
	expect(narrowed("spans", { filter: "timed out", q: "order" }, plain, {}, () => false)).toEqual({
		...{ filter: "timed out", q: "order" },
	});
});

test("exports are not narrowed", () => {
	for (const of of ["ingest", "spend"])
		expect(narrowed(of, {}, dashboard, {}, isWords)).toEqual({ filter: undefined, q: undefined });
});

test("a menu has one chosen value, and none once all are wanted", () => {
	const one = withChosen({ control: ["model=model == 'a'"] }, "environment", "environment is None");
	expect(chosenOf(one, "environment")).toBe("environment is None");
	expect(withChosen(one, "environment", undefined)).toEqual({ control: ["model=model == 'a'"] });
	expect(withChosen({ control: ["model=model == 'a'"] }, "model", undefined)).toEqual({});
});
