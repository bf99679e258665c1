import { expect, test } from "vitest";
import { completionsAt } from "./completions.ts";

function labels(target: "span" | "trace" | "session", typed: string): string[] {
	const caret = typed.includes("|") ? typed.indexOf("|") : typed.length;
	return completionsAt(target, typed.replace("|", ""), caret, ["quality", "it's"]).options.map(({ label }) => label);
}

test("the beginning of a name is completed by fields that begin with it, then by those with such a part", () => {
	expect(labels("span", "lat")).toEqual(["latency_ms"]);
	expect(labels("trace", "name == 'a' and tok").slice(0, 3)).toEqual([
		"token_count_prompt",
		"token_count_completion",
		"token_count_total",
	]);
	expect(labels("session", "trac")).toContain("num_traces");
	expect(labels("span", "latency_ms")).toEqual([]);
});

test("after a field, the comparisons of its type are offered; after a comparison, `and` and `or`", () => {
	expect(labels("span", "latency_ms ")).toContain(">=");
	expect(labels("span", "name ")).not.toContain(">=");
	expect(labels("span", "latency_ms > 5 ")).toEqual(["and", "or"]);
	expect(labels("span", "name is None a")).toEqual(["and"]);
});

test("the values of a field with a fixed set are offered, also in quotes and in lists", () => {
	expect(labels("span", "status_code == ").slice(0, 3)).toEqual(["UNSET", "OK", "ERROR"]);
	expect(labels("span", "status_code == 'e")).toEqual(["ERROR"]);
	expect(labels("span", "span_kind in ['LLM', 'to")).toEqual(["TOOL"]);
	expect(labels("span", "name == 'e")).toEqual([]);
});

test("names of annotations are offered in brackets, then the fields of an annotation", () => {
	expect(labels("span", "annotations['")).toEqual(["quality", "it's"]);
	expect(labels("span", 'annotations["q')).toEqual(["quality"]);
	expect(labels("span", "annotations['quality'].sc")).toEqual(["score"]);
	const { options } = completionsAt("session", "session_annotations['", 21, ["it's"]);
	expect(options[0]?.text).toBe('"it\'s"]');
});

test("a variable has the fields of the collection that it iterates over", () => {
	expect(labels("trace", "any(x.status| for x in spans)")).toEqual(["x.status_code", "x.status_message"]);
	expect(labels("session", "any(t.latency| for t in traces)")).toEqual(["t.latency_ms"]);
	expect(labels("trace", "any(c.tok| for c in span_cost_details)")).toEqual(["c.token_type", "c.tokens"]);
});

test("words are left alone", () => {
	expect(labels("span", "order tim")).toEqual([]);
	expect(labels("span", '"late')).toEqual([]);
});
