import { parseFilter } from "@spanward/filter-language";
import { expect, test } from "vitest";
import { withAttribute } from "./attribute-filter.ts";

test("an attribute becomes a condition on spans, and on any span of traces", () => {
	const tenant = { key: "metadata.tenant", value: "o'hara", isExcluded: false };
	expect(withAttribute(undefined, "span", tenant)).toBe(`attributes['metadata.tenant'] == "o'hara"`);
	expect(withAttribute("error_count > 0", "trace", tenant)).toBe(
		`error_count > 0 and any(x.attributes['metadata.tenant'] == "o'hara" for x in spans)`,
	);
});

test("excluding replaces asking for the same value, and includes spans without the attribute", () => {
	const tries = { key: "tries", value: 2, isExcluded: false };
	const only = withAttribute("name == 'a'", "span", tries);
	const without = withAttribute(only, "span", { ...tries, isExcluded: true });
	expect(without).toBe("name == 'a' and (attributes['tries'] != 2 or attributes['tries'] is None)");
	expect(withAttribute(without, "span", tries)).toBe(only);
});

test("what cannot be compared with asks for the attribute's presence, and everything can be read", () => {
	const values = [[1], null, Number.NaN, "x".repeat(501), true, 2n ** 60n, -1.5, "", "a\nb\\"];
	const written = values.map((value) => withAttribute(undefined, "span", { key: 'a"b', value, isExcluded: false }));
	expect(written.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => `attributes['a"b'] is not None`));
	for (const [index, value] of values.entries()) {
		for (const isExcluded of [false, true]) {
			for (const target of ["span", "trace"] as const) {
				const filter = withAttribute(undefined, target, { key: `k${index}'`, value, isExcluded });
				expect(parseFilter(target, filter).condition).toBeDefined();
			}
		}
	}
});
