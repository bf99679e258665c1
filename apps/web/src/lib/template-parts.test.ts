import { expect, test } from "vitest";
import { templateParts, variablesOf } from "./template-parts.ts";

test("splits a mustache template at its variables and sections", () => {
	expect(templateParts("Hi {{ name }}, {{#items}}x{{/items}}{{{raw}}}!", "MUSTACHE")).toEqual([
		{ text: "Hi " },
		{ text: "{{ name }}", variable: "name" },
		{ text: ", " },
		{ text: "{{#items}}", variable: "items" },
		{ text: "x" },
		{ text: "{{/items}}", variable: "items" },
		{ text: "{{{raw}}}", variable: "raw" },
		{ text: "!" },
	]);
});

test("leaves the doubled braces of an f-string alone", () => {
	expect(templateParts('{{"a": {value!r:>10}}}', "F_STRING")).toEqual([
		{ text: '{{"a": ' },
		{ text: "{value!r:>10}", variable: "value" },
		{ text: "}}" },
	]);
});

test("finds no variables where nothing is replaced", () => {
	expect(templateParts("{{name}} {name}", "NONE")).toEqual([{ text: "{{name}} {name}" }]);
});

test("names each variable once, in order", () => {
	expect(variablesOf(["{b} {a}", "{a} {c}"], "F_STRING")).toEqual(["b", "a", "c"]);
});

test("splits a long text of braces in linear time", () => {
	const text = "{{".repeat(50_000);
	expect(templateParts(text, "MUSTACHE")).toEqual([{ text }]);
});
