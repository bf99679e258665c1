import type { Trace } from "@spanward/client";
import { expect, test } from "vitest";
import { knownKeys, mergeFirst, type Pages, updateKnown } from "./merge-rows.ts";
import { fromTrace } from "./rows.ts";

/** A trace that started so many seconds into the day; its id is its letter. */
function row(letter: string, second: number, spanCount = 1) {
	const trace: Trace = {
		id: letter,
		trace_id: letter.repeat(32),
		project_id: "p",
		start_time: new Date(second * 1000).toISOString(),
		end_time: new Date(second * 1000 + 5).toISOString(),
		latency_ms: 5,
		token_count_prompt: 0,
		token_count_completion: 0,
		token_count_total: 0,
		total_cost: null,
		state: "ended",
		running_count: 0,
		span_count: spanCount,
		error_count: 0,
		root_name: letter,
		root_span_id: null,
		root_span_kind: "CHAIN",
		root_status_code: "OK",
		first_input: null,
		last_output: null,
		session_id: null,
		user_id: null,
		spans: null,
	};
	return fromTrace(trace);
}

const loaded: Pages = {
	pages: [
		{ rows: [row("d", 40), row("c", 30)], next: "1" },
		{ rows: [row("b", 20), row("a", 10)], next: null },
	],
	pageParams: [undefined, "1"],
};

function names(pages: Pages | undefined): string {
	return pages?.pages.map((page) => page.rows.map(({ name }) => name).join("")).join(" ") ?? "";
}

test("new rows are added above the loaded ones", () => {
	expect(names(mergeFirst(loaded, { rows: [row("f", 60), row("e", 50), row("d", 40)], next: "2" }))).toBe("fedc ba");
});

test("a row that arrives late is sorted in by its time", () => {
	expect(names(mergeFirst(loaded, { rows: [row("d", 40), row("x", 35), row("c", 30)], next: "2" }))).toBe("dxc ba");
});

test("when more rows arrived than fit on a page, the list is reset, so that none is missing", () => {
	const merged = mergeFirst(loaded, { rows: [row("h", 80), row("g", 70)], next: "2" });
	expect(names(merged)).toBe("hg");
	expect(merged.pages[0]?.next).toBe("2");
});

test("an empty list takes what arrives", () => {
	const empty: Pages = { pages: [{ rows: [], next: null }], pageParams: [undefined] };
	expect(names(mergeFirst(empty, { rows: [row("a", 10)], next: null }))).toBe("a");
});

test("a trace that grew is updated in place, and nothing is added", () => {
	const updated = updateKnown(loaded, { rows: [row("e", 50), row("c", 30, 7)], next: "2" });
	expect(names(updated)).toBe("dc ba");
	expect(updated?.pages[0]?.rows[1]?.spanCount).toBe(7);
	expect(knownKeys(loaded).size).toBe(4);
});
