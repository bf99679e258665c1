import { expect, test } from "vitest";
import { choiceParam, listParam, numberParam, parseSearch, stringifySearch, textParam } from "./search-params.ts";

test("values stay the text they are: numbers, booleans, JSON, bars and signs", () => {
	const search = { q: "123", name: ["true", '{"a":1}', "a|b", "50% & more #1", "ü"], session: "null" };
	expect(parseSearch(stringifySearch(search))).toEqual(search);
});

test("no parameter is taken for another: a view may be anything", () => {
	const text = "?view=Vmlldzox&rows=spans&saved=a";
	expect(parseSearch(text)).toEqual({ view: "Vmlldzox", rows: "spans", saved: "a" });
	expect(stringifySearch(parseSearch(text))).toBe(text);
});

test("empty values are left out of the address", () => {
	expect(stringifySearch({ q: "", from: undefined, user: [] })).toBe("");
});

test("an invalid parameter is ignored", () => {
	expect(numberParam("-5")).toBeUndefined();
	expect(numberParam("many")).toBeUndefined();
	expect(choiceParam("sideways", ["asc", "desc"])).toBeUndefined();
	expect(textParam(["first", "last"])).toBe("last");
	expect(listParam(["a", "a", ""])).toEqual(["a"]);
	expect(listParam(undefined)).toBeUndefined();
});
