import type { WidgetDraft } from "./widget-draft.ts";

const MODEL_CALLS = { of: "spans", filter: "span_kind == 'LLM'" };
const TOOLS = { of: "spans", filter: "span_kind == 'TOOL'" };
const AGENTS = { of: "spans", filter: "span_kind == 'AGENT'" };
const FAILED = { of: "spans", filter: "status_code == 'ERROR'" };

type Query = Readonly<Record<string, unknown>>;

function draft(
	title: string,
	kind: WidgetDraft["kind"],
	query: Query,
	display: WidgetDraft["display"] = {},
	[w, h]: readonly [number, number] = [6, 5],
): WidgetDraft {
	return { title, kind, query: { ...query }, text: null, display, w, h };
}

const number = (title: string, query: Query) =>
	draft(title, "number", { ...query, compare: "previous_period" }, {}, [3, 3]);
const line = (title: string, query: Query) => draft(title, "time_series", query);
const bars = (title: string, query: Query) => draft(title, "time_series", query, { style: "bars", stacked: true });
const bar = (title: string, query: Query) => draft(title, "bar", query);
const table = (title: string, query: Query) => draft(title, "table", query, {}, [12, 6]);

/** What people mostly want to see. */
export const PRESETS: readonly WidgetDraft[] = [
	number("Traces", { of: "traces", measure: ["count"] }),
	number("Error rate of traces", { of: "traces", measure: ["error_rate"] }),
	number("Cost", { of: "spans", measure: ["cost_total"] }),
	number("Tokens", { of: "spans", measure: ["tokens_total"] }),
	number("Latency of traces, p95", { of: "traces", measure: ["latency_p95"] }),
	number("Users", { of: "traces", measure: ["unique_users"] }),
	number("Mean score", { of: "annotations", measure: ["score_avg"] }),
	bars("Traces by status", { of: "traces", measure: ["count"], group_by: ["status"] }),
	line("Latency of traces", { of: "traces", measure: ["latency_p50", "latency_p95", "latency_p99"] }),
	line("Error rate of model calls", { ...MODEL_CALLS, measure: ["error_rate"], group_by: ["model"], limit: 8 }),
	bars("Cost by model", { of: "spans", measure: ["cost_total"], group_by: ["model"], limit: 10 }),
	bars("Cost by user", { of: "spans", measure: ["cost_total"], group_by: ["user"], limit: 10 }),
	bars("Tokens by model", { of: "spans", measure: ["tokens_total"], group_by: ["model"], limit: 10 }),
	line("Tokens by type", { of: "spans", measure: ["tokens_prompt", "tokens_completion", "tokens_cache_read"] }),
	line("Latency of model calls, p95", { ...MODEL_CALLS, measure: ["latency_p95"], group_by: ["model"], limit: 8 }),
	line("Active users and sessions", { of: "traces", measure: ["unique_users", "unique_sessions"] }),
	bar("Most used models", { ...MODEL_CALLS, measure: ["count"], group_by: ["model"], limit: 10 }),
	bar("Most used tools", { ...TOOLS, measure: ["count"], group_by: ["name"], limit: 10 }),
	bar("Spans with an error by name", { ...FAILED, measure: ["count"], group_by: ["name"], limit: 10 }),
	bars("Errors by group", { of: "errors", measure: ["count"], group_by: ["error_group"], limit: 10 }),
	table("Tools: calls, errors and latency", {
		...{ ...TOOLS, measure: ["count", "error_rate", "latency_p95"], group_by: ["name"] },
	}),
	table("Agents: runs, errors and latency", {
		...{ ...AGENTS, measure: ["count", "error_rate", "latency_p95"], group_by: ["name"] },
	}),
	table("Users by cost", {
		...{ of: "traces", measure: ["cost_total", "count", "error_count", "latency_p95"], group_by: ["user"] },
	}),
	line("Mean score by name", { of: "annotations", measure: ["score_avg"], group_by: ["annotation_name"], limit: 10 }),
	bars("Annotations by label", { of: "annotations", measure: ["count"], group_by: ["label"], limit: 10 }),
	draft("How latency is spread", "histogram", { of: "traces", distribution: "latency_ms" }),
	draft("Latency over time", "heatmap", { of: "traces", distribution: "latency_ms", bucket: "auto" }),
];
