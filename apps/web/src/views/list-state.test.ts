import { expect, test } from "vitest";
import { hasState, withoutState } from "./list-address.ts";
import { isAsSaved, toParameters, toState } from "./list-state.ts";

const ADDRESS = {
	...{ saved: "VmlldzoxMg==", view: "spans", filter: "latency_ms > 1000", q: "time out", error: "1", min: 5 },
	...{ model: ["a", "b"], kind: ["LLM"], sort: "latency_ms", order: "asc", cols: "name:240,-score.tone" },
	...{ from: "7d", trace: "abc" },
};

test("a state comes back from the address that it becomes", () => {
	const state = toState(ADDRESS);
	expect(state).toEqual({
		...{ filter: "latency_ms > 1000", q: "time out", error: true, min_latency_ms: 5, model: ["a", "b"] },
		...{ span_kind: ["LLM"], sort: "latency_ms", order: "asc", columns: ["name:240", "-score.tone"], range: "7d" },
	});
	const { saved: _saved, view: _view, trace: _trace, ...shown } = ADDRESS;
	expect(toParameters("spans", state)).toEqual(shown);
	expect(withoutState(ADDRESS)).toEqual({ saved: "VmlldzoxMg==", view: "spans", trace: "abc" });
	const errors = { state: "resolved", error_kind: "exception", assignee: "me", release: ["2.14"], from: "1d" };
	expect(toState(errors)).toMatchObject({ state: "resolved", error_kind: ["exception"], range: "1d" });
	expect(toParameters("errors", toState(errors))).toEqual(errors);
	const times = { from: "2026-01-01T00:00:00.000Z", to: "2026-01-02T00:00:00.000Z" };
	expect(toParameters("traces", toState(times))).toEqual(times);
	expect(toState({ from: "last_week" })).toEqual({ range: "last_week" });
});

test("an address shows what one does that says the list's usual range and order", () => {
	expect([toParameters("spans", {}), toParameters("users", {})]).toEqual([{ from: "all" }, { from: "30d" }]);
	expect(isAsSaved("spans", {}, {})).toBe(true);
	expect(isAsSaved("spans", { from: "all" }, { order: "desc", sort: "start_time" })).toBe(true);
	expect(isAsSaved("users", {}, { range: "30d", sort: "cost_total" })).toBe(true);
	expect(isAsSaved("users", { from: "all" }, {})).toBe(false);
	expect(isAsSaved("errors", { from: "all" }, { sort: "last_seen", state: "open" })).toBe(true);
	expect(isAsSaved("spans", { model: ["b", "a"], from: "all" }, { model: ["a", "b"] })).toBe(true);
	expect(isAsSaved("spans", { cols: "b,a" }, { columns: ["a", "b"] })).toBe(false);
	expect(isAsSaved("spans", { from: "1d" }, {})).toBe(false);
	expect([hasState({ trace: "a", saved: "b" }), hasState({ from: "all" })]).toEqual([false, true]);
});
