import { expect, test } from "vitest";
import { joinListFilters } from "./from-list.ts";

test("filters of a list become one expression, and words stay beside it", () => {
	const joined = joinListFilters({ of: "spans", error: "1", kind: ["LLM"], model: ["a", "b"], q: "timed out", min: 5 });
	expect(joined).toEqual({
		of: "spans",
		filter: "status_code == 'ERROR' and latency_ms >= 5 and span_kind == 'LLM' and model in ['a', 'b']",
		q: "timed out",
	});
});

test("words in the filter are no expression", () => {
	expect(joinListFilters({ of: "traces", filter: '"timed out"', user: ["ann"] })).toEqual({
		of: "traces",
		filter: "user.id == 'ann'",
		q: "timed out",
	});
});

test("of traces a model is that of any of their spans", () => {
	expect(joinListFilters({ of: "traces", model: ["a"] })).toEqual({
		of: "traces",
		filter: "any(x.model == 'a' for x in spans)",
	});
});
