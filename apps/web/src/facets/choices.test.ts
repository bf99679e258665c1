import { parseFilter } from "@spanward/filter-language";
import { expect, test } from "vitest";
import type { RowFilters } from "../filtering/row-filters.ts";
import { type Choice, choiceOf, type FacetValue, intoFilter, toggled, withChoice } from "./choices.ts";
import { FACETS, type FacetField, pinnedField, TARGETS } from "./facet-fields.ts";

function facet(name: string, of: keyof typeof FACETS = "spans"): FacetField {
	const found = FACETS[of].find((each) => each.name === name);
	if (found === undefined) throw new Error(`no facet ${name}`);
	return found;
}

const MODEL = facet("model");

/** The filter after clicks on values, those in brackets with Alt. */
function clicked(filter: string | undefined, field: FacetField, ...values: (FacetValue | [FacetValue])[]) {
	return values.reduce<{ filter?: string }>(
		(search, value) => {
			const [of, isExcluded] = Array.isArray(value) ? [value[0], true] : [value, false];
			return withChoice("spans", search, field, toggled(choiceOf("spans", search, field), of, isExcluded));
		},
		filter === undefined ? {} : { filter },
	).filter;
}

test("a click adds a value, a second one makes a list, a third takes the value back", () => {
	expect(clicked(undefined, MODEL, "a")).toBe("model == 'a'");
	expect(clicked(undefined, MODEL, "a", "b")).toBe("model in ['a', 'b']");
	expect(clicked(undefined, MODEL, "a", "b", "a")).toBe("model == 'b'");
	expect(clicked("model == 'a'", MODEL, "a")).toBeUndefined();
	expect(clicked(undefined, MODEL, "it's", null)).toBe('(model == "it\'s" or model is None)');
});

test("Alt-click excludes a value and keeps rows without one", () => {
	expect(clicked(undefined, MODEL, ["a"])).toBe("(model != 'a' or model is None)");
	expect(clicked(undefined, MODEL, "a", ["a"], ["a"])).toBeUndefined();
	expect(clicked(undefined, facet("kind"), ["LLM"], ["TOOL"])).toBe("span_kind != 'LLM' and span_kind != 'TOOL'");
	expect(clicked(undefined, MODEL, [null])).toBe("model is not None");
	expect(clicked(undefined, facet("tag"), "vip", "new", ["old"])).toBe(
		"('vip' in tags or 'new' in tags) and 'old' not in tags",
	);
});

test("what else a filter says stays, and the field keeps its place in it", () => {
	expect(clicked("latency_ms > 5 and model == 'a' and name == 'x'", MODEL, "b")).toBe(
		"latency_ms > 5 and model in ['a', 'b'] and name == 'x'",
	);
	expect(clicked("latency_ms > 5 or cost > 1", MODEL, "a")).toBe("(latency_ms > 5 or cost > 1) and model == 'a'");
	expect(clicked("(model == 'a' and (latency_ms > 5))", MODEL, "a")).toBe("(latency_ms > 5)");
});

test.each<[string, FacetField, Choice]>([
	["model in ['a', 'b'] and model is not None", MODEL, { chosen: ["a", "b"], excluded: [null] }],
	["'a' == model", MODEL, { chosen: ["a"], excluded: [] }],
	["(model == 'a' or model is None)", MODEL, { chosen: ["a", null], excluded: [] }],
	["not (model == 'a')", MODEL, { chosen: [], excluded: ["a"] }],
	["(model != 'a' or model is None)", MODEL, { chosen: [], excluded: ["a"] }],
	["model == 'a' or name == 'b'", MODEL, { chosen: [], excluded: [] }],
	["parent_span.model == 'a'", MODEL, { chosen: [], excluded: [] }],
	["attributes['retries'] in [1, 2]", pinnedField("retries"), { chosen: [1, 2], excluded: [] }],
	["metadata['tenant'] == 't'", pinnedField("metadata.tenant"), { chosen: ["t"], excluded: [] }],
	["attributes['metadata.tenant'] == 't'", pinnedField("metadata.tenant"), { chosen: ["t"], excluded: [] }],
	["'vip' in tags and 'old' not in tags", facet("tag"), { chosen: ["vip"], excluded: ["old"] }],
	["user_id == 'ann'", facet("user"), { chosen: ["ann"], excluded: [] }],
])("%s", (filter, field, choice) => {
	expect(choiceOf("spans", { filter }, field)).toEqual(choice);
});

test("values of different types of an attribute are different, and none is lost", () => {
	const field = pinnedField("size");
	expect(clicked(undefined, field, 3, "3", true)).toBe(
		"(attributes['size'] == 3 or attributes['size'] == '3' or attributes['size'] == True)",
	);
	expect(choiceOf("spans", { filter: clicked(undefined, field, 3, "3", true) ?? "" }, field).chosen).toEqual([
		...[3, "3", true],
	]);
});

test("filters beside the expression are chosen values, and go into it with a click", () => {
	const search = { model: ["a"], error: "1", min: 5, filter: "name == 'x'" } as const;
	const asList = { ...search, model: [...search.model] };
	expect(choiceOf("spans", asList, MODEL)).toEqual({ chosen: ["a"], excluded: [] });
	expect(choiceOf("spans", asList, facet("status")).chosen).toEqual(["ERROR"]);
	const more = withChoice("spans", asList, MODEL, { chosen: ["a", "b"], excluded: [] });
	expect(more).toEqual({ error: "1", min: 5, filter: "name == 'x' and model in ['a', 'b']" });
	expect(intoFilter("spans", asList, FACETS.spans)).toEqual({
		...{ min: 5, filter: "name == 'x' and status_code == 'ERROR' and model == 'a'" },
	});
});

test("words in the place of an expression become words beside one", () => {
	expect(withChoice("spans", { filter: "time out" }, MODEL, { chosen: ["a"], excluded: [] })).toEqual({
		q: "time out",
		filter: "model == 'a'",
	});
});

test("every facet is written as a filter that its list takes", () => {
	for (const of of ["spans", "traces", "sessions"] as const)
		for (const field of FACETS[of]) {
			const nothing: RowFilters = {};
			const { filter } = withChoice(of, nothing, field, { chosen: ["A", "B"], excluded: ["C"] });
			expect(parseFilter(TARGETS[of], filter ?? "").condition, filter).toBeDefined();
			expect(choiceOf(of, { filter: filter ?? "" }, field), filter).toEqual({ chosen: ["A", "B"], excluded: ["C"] });
		}
});
