import type { Span } from "@spanward/client";
import { expect, test } from "vitest";
import { activityByTrace, foldTools, nextFailed } from "./turn-activity.ts";

function span(name: string, more: Partial<Span> = {}): Span {
	return {
		id: name,
		name,
		context: { trace_id: "a", span_id: name },
		span_kind: "TOOL",
		parent_id: null,
		start_time: "2026-01-01T00:00:00+00:00",
		end_time: "2026-01-01T00:00:01+00:00",
		status_code: "OK",
		status_message: "",
		attributes: {},
		events: [],
		state: "ended",
		latency_ms: 1_000,
		model: null,
		provider: null,
		token_count_prompt: null,
		token_count_completion: null,
		token_count_total: null,
		tokens_are_aggregate: false,
		total_cost: null,
		session_id: null,
		user_id: null,
		cumulative_error_count: 0,
		cumulative_token_count_prompt: 0,
		cumulative_token_count_completion: 0,
		cumulative_token_count_total: 0,
		cumulative_cost: 0,
		...more,
	};
}

test("tells tools from other spans that failed, by trace", () => {
	const [search, failed] = [span("search"), span("search", { status_code: "ERROR" })];
	const chat = span("chat", { span_kind: "LLM", status_code: "ERROR" });
	const other = span("other", { context: { trace_id: "b", span_id: "x" } });
	expect(activityByTrace([search, failed, chat, other])).toEqual(
		new Map([
			["a", { tools: [search, failed], errors: [chat] }],
			["b", { tools: [other], errors: [] }],
		]),
	);
});

test("folds calls in a row of one tool, but not those that failed or run", () => {
	const calls = [
		span("search"),
		span("search"),
		span("search", { status_code: "ERROR" }),
		span("search"),
		span("read"),
		span("read", { state: "running" }),
	];
	expect(foldTools(calls).map(({ first, count }) => [first.name, count])).toEqual([
		["search", 2],
		["search", 1],
		["search", 1],
		["read", 1],
		["read", 1],
	]);
});

test("finds the next and the previous turn that failed", () => {
	const turns = [0, 2, 0, 1].map((error_count) => ({ error_count }));
	expect([-1, 1, 3].map((shown) => nextFailed(turns, shown, 1))).toEqual([1, 3, -1]);
	expect([-1, 3, 1].map((shown) => nextFailed(turns, shown, -1))).toEqual([3, 1, -1]);
});
