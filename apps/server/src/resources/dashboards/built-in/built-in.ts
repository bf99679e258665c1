import type { WidgetBody } from "../schemas.ts";
import { arrange, bar, bars, HALF, number, series, type Tile, table } from "./arrange.ts";

/** Dashboards that every project has, and the whole installation. */

export interface BuiltInDashboard {
	/** Behind `builtin:`. */
	readonly key: string;
	readonly name: string;
	readonly description: string;
	readonly controls: readonly string[];
	readonly widgets: readonly WidgetBody[];
}

const MODEL_CALLS = { of: "spans", filter: "span_kind == 'LLM'" };
const TOOLS = { of: "spans", filter: "span_kind == 'TOOL'" };
const AGENTS = { of: "spans", filter: "span_kind == 'AGENT'" };
const ERRORS = { of: "errors" };
const TRACES = { of: "traces" };
const SPANS = { of: "spans" };
const ANNOTATIONS = { of: "annotations" };
const EXPORTS = { of: "ingest" };
const WITH_USER = { of: "traces", filter: "user_id is not None" };

const WIDE = { w: 12, h: 5 };
const THIRD = { w: 4, h: 5 };

/** @param isAcross projects: then some are told apart by project */
type Rows = (isAcross: boolean) => readonly (readonly Tile[])[];

const overview: Rows = (isAcross) => [
	[
		number("traces", "Traces", { ...TRACES, measure: ["count"] }),
		number("error_rate", "Error rate", { ...TRACES, measure: ["error_rate"] }),
		number("latency", "Latency p95", { ...TRACES, measure: ["latency_p95"] }),
		number("cost", "Cost", { ...TRACES, measure: ["cost_total"] }),
	],
	[
		bars("traffic", "Traces by status", { ...TRACES, measure: ["count"], group_by: ["status"] }),
		series("latencies", "Latency of traces", { ...TRACES, measure: ["latency_p50", "latency_p95", "latency_p99"] }),
	],
	[
		bars("cost_by_model", "Cost by model", { ...SPANS, measure: ["cost_total"], group_by: ["model"], limit: 8 }),
		bars("tokens", "Tokens by model", { ...SPANS, measure: ["tokens_total"], group_by: ["model"], limit: 8 }),
	],
	[
		bar("models", "Model calls", { ...MODEL_CALLS, measure: ["count"], group_by: ["model"], limit: 10 }, THIRD),
		bar("tools", "Tool calls", { ...TOOLS, measure: ["count"], group_by: ["name"], limit: 10 }, THIRD),
		isAcross
			? bar("projects", "Traces by project", { ...TRACES, measure: ["count"], group_by: ["project"], limit: 10 }, THIRD)
			: bar("roots", "Traces by name", { ...TRACES, measure: ["count"], group_by: ["name"], limit: 10 }, THIRD),
	],
];

const cost: Rows = (isAcross) => [
	[
		number("cost", "Cost", { ...SPANS, measure: ["cost_total"] }),
		number("tokens", "Tokens", { ...SPANS, measure: ["tokens_total"] }),
		number("cached", "Tokens read from caches", { ...SPANS, measure: ["tokens_cache_read"] }),
		number("unpriced", "Spans without a known price", { ...SPANS, measure: ["unpriced_count"] }),
	],
	[bars("cost_by_model", "Cost by model", { ...SPANS, measure: ["cost_total"], group_by: ["model"], limit: 12 }, WIDE)],
	[
		series(
			"tokens_by_type",
			"Tokens by type",
			{ ...SPANS, measure: ["tokens_prompt", "tokens_completion", "tokens_cache_read", "tokens_reasoning"] },
			{ style: "area" },
		),
		bars("cost_by_provider", "Cost by provider", { ...SPANS, measure: ["cost_total"], group_by: ["provider"] }),
	],
	[
		table(
			"models",
			"Models",
			{
				...SPANS,
				measure: ["cost_total", "tokens_prompt", "tokens_completion", "count", "unpriced_count"],
				group_by: ["model"],
			},
			{ w: 8, h: 6 },
		),
		isAcross
			? bar("projects", "Cost by project", { ...SPANS, measure: ["cost_total"], group_by: ["project"] }, { w: 4, h: 6 })
			: bar("users", "Cost by user", { ...SPANS, measure: ["cost_total"], group_by: ["user"] }, { w: 4, h: 6 }),
	],
];

const latency: Rows = (isAcross) => [
	[
		number("traces", "Traces, p95", { ...TRACES, measure: ["latency_p95"] }),
		number("calls", "Model calls, p95", { ...MODEL_CALLS, measure: ["latency_p95"] }),
		number("tools", "Tool calls, p95", { ...TOOLS, measure: ["latency_p95"] }),
		number("longest", "Longest trace", { ...TRACES, measure: ["latency_max"] }),
	],
	[
		series(
			"traces_over_time",
			"Latency of traces",
			{ ...TRACES, measure: ["latency_p50", "latency_p90", "latency_p95", "latency_p99"] },
			{},
			WIDE,
		),
	],
	[
		{
			...{ key: "spread", title: "How the latency of traces is spread", kind: "histogram", display: {}, ...HALF },
			query: { ...TRACES, distribution: "latency_ms" },
		},
		{
			...{ key: "spread_over_time", title: "Latency of traces over time", kind: "heatmap", display: {}, ...HALF },
			query: { ...TRACES, distribution: "latency_ms", bucket: "auto" },
		},
	],
	[
		series("by_model", "Model calls by model, p95", {
			...{ ...MODEL_CALLS, measure: ["latency_p95"], group_by: ["model"], limit: 8, sort: "-latency_p95" },
		}),
		series("by_kind", "Spans by kind, p95", { ...SPANS, measure: ["latency_p95"], group_by: ["kind"] }),
	],
	[
		table(
			"slowest",
			isAcross ? "Slowest kinds of trace" : "Slowest traces by name",
			{
				...TRACES,
				measure: ["latency_p95", "latency_p50", "latency_max", "count"],
				group_by: isAcross ? ["project", "name"] : ["name"],
			},
			{ w: 6, h: 6 },
		),
		table(
			"slowest_spans",
			"Slowest spans by name",
			{ ...SPANS, measure: ["latency_p95", "latency_p50", "latency_max", "count"], group_by: ["name"] },
			{ w: 6, h: 6 },
		),
	],
];

const errors: Rows = (isAcross) => [
	[
		number("traces", "Traces with an error", { ...TRACES, measure: ["error_count"] }),
		number("rate", "Error rate of traces", { ...TRACES, measure: ["error_rate"] }),
		number("failures", "Failures, each counted once", { ...ERRORS, measure: ["count"] }),
		number("users", "Users who met one", { ...ERRORS, measure: ["unique_users"] }),
	],
	[
		bars(
			"by_group",
			"Failures by group",
			{ ...ERRORS, measure: ["count"], group_by: ["error_group"], limit: 10 },
			WIDE,
		),
	],
	[
		bars("by_kind", "Failures by kind of error", { ...ERRORS, measure: ["count"], group_by: ["error_kind"] }),
		series("rate_by_model", "Error rate of model calls", {
			...{ ...MODEL_CALLS, measure: ["error_rate"], group_by: ["model"], limit: 8, sort: "-error_rate" },
		}),
	],
	[
		table(
			"groups",
			"Groups of failures",
			{
				...ERRORS,
				measure: ["count", "unique_users", "unique_traces"],
				group_by: isAcross ? ["project", "error_group"] : ["error_group"],
			},
			{ w: 8, h: 6 },
		),
		bar("releases", "Failures by release", { ...ERRORS, measure: ["count"], group_by: ["release"] }, { w: 4, h: 6 }),
	],
	[
		table(
			"names",
			"Where it fails",
			{
				...SPANS,
				measure: ["error_count", "error_rate", "count"],
				group_by: isAcross ? ["project", "name"] : ["name", "kind"],
			},
			{ w: 8, h: 6 },
		),
		bar("tools", "Failures by tool", { ...ERRORS, measure: ["count"], group_by: ["tool"] }, { w: 4, h: 6 }),
	],
];

const quality: Rows = (isAcross) => [
	[
		number("annotations", "Annotations", { ...ANNOTATIONS, measure: ["count"] }),
		number("score", "Mean score", { ...ANNOTATIONS, measure: ["score_avg"] }),
		number("targets", "Spans, traces and sessions judged", { ...ANNOTATIONS, measure: ["unique_targets"] }),
		number("failure_rate", "Traces that failed", { ...TRACES, measure: ["failure_rate"] }),
	],
	[
		series(
			"scores",
			"Mean score by name",
			{ ...ANNOTATIONS, measure: ["score_avg"], group_by: ["annotation_name"], limit: 10, sort: "group" },
			{},
			WIDE,
		),
	],
	[
		bars("labels", "Annotations by label", {
			...{ ...ANNOTATIONS, measure: ["count"], group_by: ["annotation_name", "label"], limit: 12 },
		}),
		series("models", "Mean score by model", {
			...{ ...ANNOTATIONS, measure: ["score_avg"], group_by: ["model"], limit: 8, sort: "group" },
		}),
	],
	[
		table(
			"names",
			"Scores by name and annotator",
			{
				...ANNOTATIONS,
				measure: ["count", "score_avg", "score_p10", "score_p50", "score_p90"],
				group_by: isAcross ? ["project", "annotation_name"] : ["annotation_name", "annotator_kind"],
			},
			{ w: 8, h: 6 },
		),
		{
			...{ key: "spread", title: "How scores are spread", kind: "histogram", display: {}, w: 4, h: 6 },
			query: { ...ANNOTATIONS, distribution: "score", bins: 20, scale: "linear" },
		},
	],
];

const tools: Rows = () => [
	[
		number("tool_calls", "Tool calls", { ...TOOLS, measure: ["count"] }),
		number("tool_errors", "Error rate of tools", { ...TOOLS, measure: ["error_rate"] }),
		number("agent_runs", "Agent runs", { ...AGENTS, measure: ["count"] }),
		number("agent_errors", "Error rate of agents", { ...AGENTS, measure: ["error_rate"] }),
	],
	[
		bars("calls_by_tool", "Calls by tool", { ...TOOLS, measure: ["count"], group_by: ["name"], limit: 12 }),
		series("tool_latency", "Latency of tools, p95", {
			...{ ...TOOLS, measure: ["latency_p95"], group_by: ["name"], limit: 8 },
		}),
	],
	[
		table(
			"tools",
			"Tools",
			{ ...TOOLS, measure: ["count", "error_count", "error_rate", "latency_p50", "latency_p95"], group_by: ["name"] },
			{ w: 6, h: 6 },
		),
		table(
			"agents",
			"Agents",
			{ ...AGENTS, measure: ["count", "error_count", "error_rate", "latency_p50", "latency_p95"], group_by: ["name"] },
			{ w: 6, h: 6 },
		),
	],
];

const users: Rows = (isAcross) => [
	[
		number("users", "Users", { ...TRACES, measure: ["unique_users"] }),
		number("sessions", "Sessions", { ...TRACES, measure: ["unique_sessions"] }),
		number("traces", "Traces with a user", { ...WITH_USER, measure: ["count"] }),
		number("cost", "Cost of users", { ...WITH_USER, measure: ["cost_total"] }),
	],
	[
		series("active", "Active users and sessions", { ...TRACES, measure: ["unique_users", "unique_sessions"] }),
		bars("cost_by_user", "Cost by user", { ...WITH_USER, measure: ["cost_total"], group_by: ["user"], limit: 12 }),
	],
	[
		table(
			"most",
			"Users by cost",
			{
				...WITH_USER,
				measure: ["cost_total", "count", "tokens_total", "error_count", "latency_p95"],
				group_by: isAcross ? ["project", "user"] : ["user"],
			},
			{ w: 8, h: 6 },
		),
		bar(
			"errors",
			"Users by traces with an error",
			{ ...WITH_USER, measure: ["error_count"], group_by: ["user"] },
			{ w: 4, h: 6 },
		),
	],
];

const ingest: Rows = (isAcross) => [
	isAcross
		? [
				number("accepted", "Accepted spans", { ...EXPORTS, measure: ["accepted_spans"] }),
				number("duplicate", "Stored already", { ...EXPORTS, measure: ["duplicate_spans"] }),
				number("rejected", "Rejected spans", { ...EXPORTS, measure: ["rejected_spans"] }),
				number("refused", "Refused requests", { ...EXPORTS, measure: ["refused_requests"] }),
			]
		: [
				number("spans", "Accepted spans", { ...SPANS, measure: ["count"] }),
				number("traces", "Traces", { ...SPANS, measure: ["unique_traces"] }),
				number("users", "Users", { ...SPANS, measure: ["unique_users"] }),
				number("sessions", "Sessions", { ...SPANS, measure: ["unique_sessions"] }),
			],
	[bars("over_time", "Spans by kind", { ...SPANS, measure: ["count"], group_by: ["kind"] }, WIDE)],
	...(isAcross ? [REFUSED] : []),
	[
		bars("by_release", "Spans by release", { ...SPANS, measure: ["count"], group_by: ["release"], limit: 8 }),
		isAcross
			? bars("by_project", "Spans by project", { ...SPANS, measure: ["count"], group_by: ["project"], limit: 12 })
			: bars("by_environment", "Spans by environment", { ...SPANS, measure: ["count"], group_by: ["environment"] }),
	],
];

/** What exports become is known of the installation, not of a project. */
const REFUSED: readonly Tile[] = [
	series("refusals", "Rejected spans and refused requests", {
		...{ ...EXPORTS, measure: ["rejected_spans", "refused_requests"] },
	}),
	table("reasons", "Why", { ...EXPORTS, measure: ["rejected_spans", "refused_requests"], group_by: ["reason"] }),
];

const KINDS: readonly (Omit<BuiltInDashboard, "widgets"> & { readonly rows: Rows })[] = [
	{
		key: "overview",
		name: "Overview",
		description: "Traffic, errors, latency and cost at a glance.",
		controls: ["environment", "release"],
		rows: overview,
	},
	{
		key: "cost",
		name: "Cost and tokens",
		description: "What models cost, and which tokens they read and wrote.",
		controls: ["model", "environment"],
		rows: cost,
	},
	{
		key: "latency",
		name: "Latency",
		description: "How long traces, model calls and tools take.",
		controls: ["environment", "release"],
		rows: latency,
	},
	{
		key: "errors",
		name: "Errors",
		description: "What fails, where and since when.",
		controls: ["environment", "release"],
		rows: errors,
	},
	{
		key: "quality",
		name: "Quality",
		description: "How well the application does what it is for.",
		controls: ["environment", "release"],
		rows: quality,
	},
	{
		key: "tools",
		name: "Tools and agents",
		description: "Which tools and agents run, how often they fail and how long they take.",
		controls: ["environment", "release"],
		rows: tools,
	},
	{
		key: "users",
		name: "Users",
		description: "Who uses the application, what it costs and where it fails them.",
		controls: ["environment", "release"],
		rows: users,
	},
	{
		key: "ingest",
		name: "Ingest",
		description: "What arrives, and from where.",
		controls: [],
		rows: ingest,
	},
];

/** In the order in which they are listed. @param isAcross projects, rather than of one */
export function builtInDashboards(isAcross: boolean): readonly BuiltInDashboard[] {
	// Menus of values are those of one project.
	return KINDS.map(({ rows, controls, ...kind }) => ({
		...kind,
		controls: isAcross ? [] : controls,
		widgets: arrange(rows(isAcross)),
	}));
}
