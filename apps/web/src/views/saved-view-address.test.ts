import { expect, test } from "vitest";
import { parseSearch, present, stringifySearch } from "../lib/search-params.ts";
import { parseTracesSearch } from "../pages/traces/search.ts";
import { toAddress, withSavedView } from "./saved-view-address.ts";

const read = (text: string) => present(withSavedView(parseTracesSearch)(parseSearch(text)));

test("an address holds the id of a saved view and what it shows", () => {
	const search = { saved: "VmlldzoxMg==", view: "spans", filter: "latency_ms > 1000", model: ["a", "b"] };
	const text = stringifySearch(toAddress(search));
	expect(text).toMatch(/^\?view=VmlldzoxMg%3D%3D&rows=spans&filter=/);
	expect(read(text)).toEqual(search);
	expect(read("?view=VmlldzoxMg==")).toEqual({ saved: "VmlldzoxMg==" });
	expect(read("?view=VmlldzoxMg==&rows=all")).toEqual({ saved: "VmlldzoxMg==" });
});

test("a view that is no saved one is about the rows, and rows alone say nothing", () => {
	expect(read("?view=spans&q=a")).toEqual({ view: "spans", q: "a" });
	expect(read("?saved=a&view=UHJvamVjdDox&rows=spans")).toEqual({});
	expect(stringifySearch(toAddress({ view: "spans", q: "a" }))).toBe("?view=spans&q=a");
});

test("a search that was read stays the same when it is read again, as the router does", () => {
	const once = withSavedView(parseTracesSearch)(parseSearch("?view=VmlldzoxMg==&rows=spans&kind=LLM"));
	expect(present(once)).toEqual({ saved: "VmlldzoxMg==", view: "spans", kind: ["LLM"] });
	expect(withSavedView(parseTracesSearch)({ ...once })).toEqual(once);
});
