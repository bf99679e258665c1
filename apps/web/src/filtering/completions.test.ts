import { expect, test } from "vitest";
import { completionsAt } from "./completions.ts";

const counted = (...values: string[]) => values.map((value) => ({ value }));
const KNOWN = {
	annotations: [
		{ name: "quality", labels: ["good", "bad"] },
		{ name: "it's", labels: [] },
	],
	sampled: {
		fields: {
			name: counted("answer", "plan a trip"),
			root_name: counted("chat"),
			user_id: counted("ada"),
			release: counted("2.14"),
			environment: counted("staging"),
		},
		attributes: [
			{ key: "llm.model_name", type: "text" as const, values: counted("gpt-4o", "small") },
			{ key: "app.tries", type: "number" as const, values: [] },
			{ key: "metadata.tenant", type: "text" as const, values: counted("t-1", "t-2", "o'hara") },
			{ key: "http.request-id", type: "text" as const, values: [] },
		],
	},
	resources: ["service.name"],
};

function labels(target: "span" | "trace" | "session", typed: string): string[] {
	const caret = typed.includes("|") ? typed.indexOf("|") : typed.length;
	return completionsAt(target, typed.replace("|", ""), caret, KNOWN).options.map(({ label }) => label);
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
	expect(labels("span", "provider == 'e")).toEqual([]);
});

test("names of annotations are offered in brackets, then the fields of an annotation", () => {
	expect(labels("span", "annotations['")).toEqual(["quality", "it's"]);
	expect(labels("span", 'annotations["q')).toEqual(["quality"]);
	expect(labels("span", "annotations['quality'].sc")).toEqual(["score"]);
	const { options } = completionsAt("session", "session_annotations['", 21, KNOWN);
	expect(options[1]?.text).toBe('"it\'s"]');
});

test("keys and values of the data are offered", () => {
	expect(labels("span", "metadata['")).toEqual(["tenant"]);
	expect(labels("span", "attributes['req")).toEqual(["http.request-id"]);
	expect(labels("span", "app")).toContain("app.tries");
	expect(labels("span", "app.tries ")).toContain(">=");
	expect(labels("span", "metadata['tenant'] == ").slice(0, 2)).toEqual(["t-1", "t-2"]);
	expect(labels("span", "metadata['tenant'] in ['t-1', 't")).toEqual(["t-1", "t-2"]);
	expect(labels("span", "llm.model_name == 'S")).toEqual(["small"]);
	expect(labels("span", "name == 'trip")).toEqual(["plan a trip"]);
	expect(labels("trace", "name == '")).toEqual(["chat"]);
	expect(labels("trace", "user.id == '")).toEqual(["ada"]);
	expect(labels("trace", "any(x.name == '|' for x in spans)")).toEqual(["answer", "plan a trip"]);
	const { options } = completionsAt("span", "metadata['tenant'] == ", 22, KNOWN);
	expect(options[2]?.text).toBe('"o\'hara"');
});

test("labels of an annotation are offered, and comparisons of its parts", () => {
	expect(labels("span", "annotations['quality'].label == 'b")).toEqual(["bad"]);
	expect(labels("span", "annotations['quality'].label == ").slice(0, 2)).toEqual(["good", "bad"]);
	expect(labels("span", "annotations['quality'].score ")).toContain(">=");
	expect(labels("span", "annotations['quality'].label == 'bad' ")).toEqual(["and", "or"]);
});

test("W21 releases, environments and attributes of what sends are offered", () => {
	for (const target of ["span", "trace"] as const) {
		expect(labels(target, "release == '")).toEqual(["2.14"]);
		expect(labels(target, "environment in ['")).toEqual(["staging"]);
	}
	expect(labels("span", "resource['")).toEqual(["service.name"]);
});

test("lists of traces and sessions offer fields of spans as a question about any span", () => {
	const { options } = completionsAt("trace", "span_k", 6, KNOWN);
	expect(options).toMatchObject([{ text: "any(x.span_kind  for x in spans)", caret: "any(x.span_kind ".length }]);
	expect(labels("session", "status_m")).toEqual(["any(x.status_message … for x in spans)"]);
	expect(labels("trace", "any(x.span_kind | for x in spans)")).toContain("==");
	expect(labels("span", "span_k")).toEqual(["span_kind"]);
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
