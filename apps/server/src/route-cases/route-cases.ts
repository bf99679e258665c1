import type { Seed } from "./seed-project.ts";

/**
 * What a request is about, by which it is decided who sees it: a project, a dataset or prompt of the library, what everybody
 * who is signed in may read, the caller's own account, or the service as a whole.
 */
export type About = "project" | "library" | "catalogue" | "own" | "service";

/** A request to a route that is valid for what a seed has. */
export interface RouteCase {
	/** `METHOD /path` as it is mounted. */
	readonly route: string;
	readonly about: About;
	/** Path and query. */
	readonly url: (seed: Seed) => string;
	readonly body?: (seed: Seed) => unknown;
	/** What `Accept` has to list for the route to be there. */
	readonly accept?: string;
	/** The answer has no text of what it is about: counts, figures, nothing. */
	readonly isMute?: boolean;
	/** It makes something new, wherever one may, and is about nothing that is there. */
	readonly isNew?: boolean;
	/** It looks at what is of many, so that its answer tells of others. */
	readonly isOfAll?: boolean;
}

type Details = Partial<Omit<RouteCase, "route" | "about">> & { readonly query?: string };

const RANGE = "start_time=2026-01-01T00:00:00Z&end_time=2026-01-03T00:00:00Z";
const TIMES = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
const MUTE = { isMute: true } as const;
const OF_ALL = { isOfAll: true } as const;

/** What stands in a path for a parameter of this name. */
const IN_PATHS: Readonly<Record<string, (seed: Seed) => string>> = {
	project_identifier: ({ project }) => project,
	trace_id: ({ traceId }) => traceId,
	trace_identifier: ({ traceId }) => traceId,
	span_id: ({ spanId }) => spanId,
	span_identifier: ({ spanId }) => spanId,
	session_identifier: ({ sessionId }) => sessionId,
	annotation_id: ({ annotation }) => annotation,
	waiting_annotation_id: ({ waitingAnnotation }) => waitingAnnotation,
	config_identifier: ({ config }) => config,
	config_id: ({ config }) => config,
	id: ({ dataset }) => dataset,
	dataset_id: ({ dataset }) => dataset,
	dataset_identifier: ({ dataset }) => dataset,
	example_id: ({ example }) => example,
	split_id: ({ split }) => split,
	label_id: ({ label }) => label,
	experiment_id: ({ experiment }) => experiment,
	experiment_run_id: ({ run }) => run,
	tag_identifier: () => "kept",
	tag_name: () => "kept",
	prompt_identifier: ({ prompt }) => prompt,
	prompt_version_id: ({ promptVersion }) => promptVersion,
	policy_id: ({ policy }) => policy,
	recomputation_id: ({ recomputation }) => recomputation,
	run_id: ({ bulkRun }) => bulkRun,
	view_id: ({ view }) => view,
	price_id: ({ price }) => price,
	connection_id: ({ connection }) => connection,
	evaluator_identifier: ({ evaluator }) => evaluator,
	evaluator_version_id: ({ evaluatorVersion }) => evaluatorVersion,
	template_key: () => "correctness",
	error_group_id: ({ errorGroup }) => errorGroup,
	comment_id: ({ errorComment }) => errorComment,
	job_id: ({ job }) => job,
	user_id: ({ marker }) => `user ${marker}`,
	dashboard_id: ({ dashboard }) => dashboard,
	queue_id: ({ reviewQueue }) => reviewQueue,
	item_id: ({ reviewItem }) => reviewItem,
	gold_run_id: ({ goldRun }) => goldRun,
};

function route(name: string, about: About, details: Details = {}): RouteCase {
	const { query, ...rest } = details;
	const path = name.slice(name.indexOf(" ") + 1);
	const url = (seed: Seed) => {
		const filled = path.replace(/:([a-z_]+)/g, (_match, parameter: string) => {
			const of = IN_PATHS[parameter];
			if (of === undefined) throw new Error(`nothing stands for :${parameter} in ${path}`);
			return encodeURIComponent(of(seed));
		});
		return query === undefined ? filled : `${filled}?${query}`;
	};
	return { route: name, about, url, ...rest };
}

const PROJECT = "/v1/projects/:project_identifier";
const annotated = { name: "again", annotator_kind: "CODE", result: { score: 1 } } as const;
const version = {
	...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "MUSTACHE" },
	template: { type: "chat", messages: [{ role: "user", content: "say it again" }] },
	invocation_parameters: { type: "openai", openai: {} },
};
const otlp = { resourceSpans: [] };
const reviewed = ({ config }: Seed) => ({ answers: [{ annotation_config_id: config, explanation: "seen" }] });

/** Requests that change nothing. */
const READS: readonly RouteCase[] = [
	route("GET /v1/projects", "project", OF_ALL),
	route("GET /v1/analytics", "project", { ...OF_ALL, query: `${RANGE}&group_by=project&group_by=user` }),
	route("GET /v1/analytics/schema", "catalogue", MUTE),
	route("GET /v1/dashboards", "project", OF_ALL),
	route("GET /v1/dashboards/:dashboard_id", "project"),
	route("GET /v1/dashboards/:dashboard_id/export", "project"),
	route("GET /v1/projects/:project_identifier/analytics", "project", { query: `${RANGE}&group_by=user` }),
	route("GET /v1/projects/:project_identifier/facets", "project", { query: `${RANGE}&field=user` }),
	route("GET /v1/projects/:project_identifier/attribute_keys", "project"),
	route("GET /v1/projects/:project_identifier/end_users", "project", { query: RANGE }),
	route("GET /v1/projects/:project_identifier/end_users/:user_id", "project", { query: RANGE }),
	route(`GET ${PROJECT}`, "project"),
	route("GET /v1/playground/sources", "project", {
		url: ({ project, spanId }) => `/v1/playground/sources?${new URLSearchParams({ span_id: spanId, project })}`,
	}),
	route(`GET ${PROJECT}/error_assignees`, "project", MUTE),
	route(`GET ${PROJECT}/error_groups`, "project", { query: `include=sparkline&${RANGE}` }),
	route(`GET ${PROJECT}/error_settings`, "project", MUTE),
	route(`GET ${PROJECT}/traces/:trace_id/errors`, "project"),
	route(`GET ${PROJECT}/traces/:trace_id/review_items`, "project", MUTE),
	route("GET /v1/error_groups/:error_group_id", "project", { query: RANGE }),
	route("GET /v1/error_groups/:error_group_id/activity", "project", MUTE),
	route("GET /v1/error_groups/:error_group_id/comments", "project"),
	route("GET /v1/error_groups/:error_group_id/occurrences", "project"),
	route("GET /v1/error_groups/:error_group_id/similar", "project", MUTE),
	route(`GET ${PROJECT}/annotation_configs`, "project"),
	route(`GET ${PROJECT}/annotation_names`, "project"),
	route(`GET ${PROJECT}/cost_recomputations`, "project", MUTE),
	route(`GET ${PROJECT}/metrics`, "project", { ...MUTE, query: `bucket=hour&${RANGE}` }),
	route(`GET ${PROJECT}/retention`, "project"),
	route(`GET ${PROJECT}/retention/preview`, "project", { ...MUTE, query: "max_days=1" }),
	route(`GET ${PROJECT}/sampled_values`, "project"),
	route(`GET ${PROJECT}/selection`, "project", { ...MUTE, query: "kind=span" }),
	route(`GET ${PROJECT}/selection/download`, "project", { query: "kind=span&format=ndjson" }),
	route(`GET ${PROJECT}/sessions`, "project"),
	...["document", "session", "span", "trace"].map((kind) =>
		route(`GET ${PROJECT}/${kind}_annotations`, "project", {
			url: ({ project, spanId, traceId, sessionId }) => {
				const ids = new URLSearchParams(
					kind === "trace"
						? { trace_ids: traceId }
						: kind === "session"
							? { session_ids: sessionId }
							: { span_ids: spanId },
				);
				return `/v1/projects/${project}/${kind}_annotations?${ids}`;
			},
			// The document is of another span.
			...(kind === "document" ? MUTE : {}),
		}),
	),
	...["span", "trace"].map((kind) =>
		route(`GET ${PROJECT}/${kind}_metrics`, "project", {
			...MUTE,
			url: ({ project, spanId, traceId }) =>
				`/v1/projects/${project}/${kind}_metrics?${kind}_ids=${kind === "span" ? spanId : traceId}`,
		}),
	),
	route(`GET ${PROJECT}/spans`, "project"),
	route(`GET ${PROJECT}/spans.arrow`, "project"),
	route(`GET ${PROJECT}/spans.ndjson`, "project"),
	route(`GET ${PROJECT}/spans/otlpv1`, "project"),
	route(`GET ${PROJECT}/traces`, "project"),
	route(`GET ${PROJECT}/traces/:trace_id`, "project"),
	route(`GET ${PROJECT}/traces/:trace_id/outline`, "project"),
	route("GET /p/:project_identifier/traces/:trace_id", "project", { accept: "text/plain" }),
	route(`GET ${PROJECT}/traces/:trace_id/spans/:span_id`, "project"),
	route("GET /v1/annotations/:annotation_id", "project"),
	route("GET /v1/bulk_runs", "project", OF_ALL),
	route("GET /v1/bulk_runs/:run_id", "project"),
	route("GET /v1/views", "project", OF_ALL),
	route("GET /v1/views/:view_id", "project"),
	route(`GET ${PROJECT}/default_views`, "project", MUTE),
	route("GET /v1/cost_recomputations/:recomputation_id", "project", MUTE),
	route("GET /v1/retention_runs", "project", { ...OF_ALL, ...MUTE }),
	route("GET /v1/sessions/:session_identifier", "project"),
	...["GET", "POST"].map((method) =>
		route(`${method} /v1/spans`, "project", {
			body: ({ projectName }) => ({ queries: [{}], project_name: projectName }),
		}),
	),
	route("GET /v1/waiting_annotations", "project", OF_ALL),
	route("GET /v1/texts/:tool", "project", {
		url: ({ project, traceId }) => `/v1/texts/get_trace?project=${project}&trace_id=${traceId}`,
	}),

	route("GET /v1/datasets", "library", OF_ALL),
	route("GET /v1/datasets/:id", "library"),
	route("GET /v1/datasets/:id/csv", "library"),
	route("GET /v1/datasets/:id/examples", "library"),
	route("GET /v1/datasets/:id/examples/:example_id", "library"),
	route("GET /v1/datasets/:id/examples/:example_id/revisions", "library"),
	route("GET /v1/datasets/:id/jsonl", "library"),
	route("GET /v1/datasets/:id/jsonl/openai_evals", "library"),
	route("GET /v1/datasets/:id/jsonl/openai_ft", "library"),
	route("GET /v1/datasets/:id/versions", "library", MUTE),
	route("GET /v1/datasets/:dataset_identifier/labels", "library"),
	route("GET /v1/datasets/:dataset_identifier/splits", "library"),
	route("GET /v1/datasets/:dataset_id/experiments", "library"),
	route("GET /v1/datasets/:dataset_id/experiments/compare", "library", {
		url: ({ dataset, experiment }) => `/v1/datasets/${dataset}/experiments/compare?experiment_id=${experiment}`,
	}),
	route("GET /v1/experiments", "library", OF_ALL),
	route("GET /v1/experiments/:experiment_id", "library"),
	route("GET /v1/datasets/:dataset_id/evaluators", "library"),
	route("GET /v1/experiment_jobs", "library", OF_ALL),
	route("GET /v1/experiment_jobs/:job_id", "library"),
	route("GET /v1/experiments/:experiment_id/csv", "library"),
	route("GET /v1/experiments/:experiment_id/gate", "library", { query: "require=errors%20%3D%3D%200" }),
	route("GET /v1/experiments/:experiment_id/incomplete-evaluations", "library", {
		...MUTE,
		query: "evaluation_name=none",
	}),
	route("GET /v1/experiments/:experiment_id/incomplete-runs", "library"),
	route("GET /v1/experiments/:experiment_id/json", "library"),
	route("GET /v1/experiments/:experiment_id/runs", "library"),
	route("GET /v1/experiments/:experiment_id/tags", "library"),
	route("GET /v1/experiment_runs/:experiment_run_id", "library"),
	route("GET /v1/prompts", "library", OF_ALL),
	route("GET /v1/prompts/:prompt_identifier", "library"),
	route("GET /v1/prompts/:prompt_identifier/latest", "library"),
	route("GET /v1/prompts/:prompt_identifier/tags/:tag_name", "library"),
	route("GET /v1/prompts/:prompt_identifier/versions", "library"),
	route("GET /v1/prompt_versions/:prompt_version_id", "library"),
	route("GET /v1/prompt_versions/:prompt_version_id/diff", "library", {
		url: ({ promptVersion, otherPromptVersion }) =>
			`/v1/prompt_versions/${promptVersion}/diff?against=${otherPromptVersion}`,
	}),
	// Its cursor tells how many spans of all projects were looked through.
	route("GET /v1/prompt_versions/:prompt_version_id/spans", "library", { ...MUTE, ...OF_ALL }),
	route("GET /v1/prompt_versions/:prompt_version_id/tags", "library"),
	route("GET /v1/dataset_labels", "catalogue", OF_ALL),
	route("GET /v1/dataset_labels/:label_id", "catalogue"),
	route("GET /v1/review_queues", "catalogue", OF_ALL),
	route("GET /v1/review_queues/:queue_id", "catalogue"),
	route("GET /v1/review_queues/:queue_id/items", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/items/:item_id", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/own_reviews", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/upcoming", "catalogue", MUTE),
	route("GET /v1/open_reviews", "catalogue", { ...MUTE, ...OF_ALL }),
	route("GET /v1/review_queues/:queue_id/agreement", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/progress", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/annotation_names", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/calibration", "catalogue", { ...MUTE, query: "annotation_name=judge" }),
	route("GET /v1/review_queues/:queue_id/export", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/rule", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/items/:item_id/example", "catalogue"),
	route("GET /v1/review_queues/:queue_id/gold_runs", "catalogue", MUTE),
	route("GET /v1/review_queues/:queue_id/gold_runs/:gold_run_id", "catalogue", MUTE),
	route("GET /v1/annotation_configs", "catalogue", OF_ALL),
	route("GET /v1/annotation_configs/:config_identifier", "catalogue"),
	route("GET /v1/evaluators", "catalogue", OF_ALL),
	route("GET /v1/evaluators/:evaluator_identifier", "catalogue"),
	route("GET /v1/evaluators/:evaluator_identifier/usage", "catalogue"),
	route("GET /v1/evaluators/:evaluator_identifier/versions", "catalogue"),
	route("GET /v1/evaluator_versions/:evaluator_version_id", "catalogue"),
	route("GET /v1/evaluator_versions/:evaluator_version_id/diff", "catalogue", {
		...MUTE,
		url: ({ evaluatorVersion: id }) => `/v1/evaluator_versions/${id}/diff?against=${id}`,
	}),
	route("GET /v1/evaluator_templates", "catalogue", MUTE),
	route("GET /v1/evaluator_templates/:template_key", "catalogue", MUTE),
	route("GET /v1/builtin_evaluators", "catalogue", MUTE),
	route("GET /v1/model_connections", "catalogue", OF_ALL),
	route("GET /v1/model_connections/:connection_id", "catalogue"),
	route("GET /v1/model_connections/:connection_id/models", "catalogue", MUTE),
	route("GET /v1/model_connections/:connection_id/usage", "catalogue", MUTE),
	route("GET /v1/model_connection_presets", "catalogue", MUTE),
	route("GET /v1/custom_model_providers", "catalogue", OF_ALL),
	route("GET /v1/model_providers", "catalogue", { ...MUTE, ...OF_ALL }),
	route("GET /v1/model_prices", "catalogue", OF_ALL),
	route("GET /v1/model_prices/:price_id", "catalogue"),
	route("GET /v1/retention_policies", "catalogue", OF_ALL),
	route("GET /v1/retention_policies/:policy_id", "catalogue"),
];

/** Requests that change what they are about, each valid for a seed of which nothing was deleted or moved. */
const WRITES: readonly RouteCase[] = [
	route(`DELETE ${PROJECT}`, "project"),
	route(`PUT ${PROJECT}`, "project", { body: () => ({ description: "another" }) }),
	route("POST /v1/dashboards", "project", { body: ({ project }) => ({ name: "another", project_id: project }) }),
	route("PUT /v1/dashboards/:dashboard_id", "project", { body: () => ({ name: "renamed" }) }),
	route("POST /v1/dashboards/import", "project", {
		url: ({ project }) => `/v1/dashboards/import?project=${project}`,
		body: () => ({ spanward_dashboard: 1, name: "another" }),
	}),
	route("DELETE /v1/dashboards/:dashboard_id", "project"),
	route(`PUT ${PROJECT}/annotation_configs`, "project", {
		body: ({ config }) => ({ annotation_config_ids: [config] }),
	}),
	route(`PUT ${PROJECT}/annotation_configs/:config_identifier`, "project"),
	route(`DELETE ${PROJECT}/annotation_configs/:config_identifier`, "project"),
	...["document", "session", "span", "trace"].map((kind) =>
		route(`DELETE ${PROJECT}/${kind}_annotations`, "project", { query: "delete_all=true" }),
	),
	route(`POST ${PROJECT}/bulk_runs`, "project", {
		body: ({ spanId }) => ({ action: "delete", kind: "span", selection: { ids: [spanId] } }),
	}),
	route("DELETE /v1/bulk_runs/:run_id", "project"),
	route("POST /v1/views", "project", {
		body: ({ project }) => ({ name: "another", page: "traces", project, state: { q: "words" } }),
	}),
	route("PATCH /v1/views/:view_id", "project", { body: () => ({ name: "renamed" }) }),
	route(`PUT ${PROJECT}/default_views`, "project", { body: ({ view }) => ({ spans: view }) }),
	route("DELETE /v1/views/:view_id", "project"),
	route(`POST ${PROJECT}/cost_recomputations`, "project", { body: () => ({}) }),
	route("DELETE /v1/cost_recomputations/:recomputation_id", "project"),
	route(`PATCH ${PROJECT}/retention`, "project", { body: ({ policy }) => ({ policy_id: policy }) }),
	route(`POST ${PROJECT}/spans`, "project", {
		body: ({ traceId }) => ({
			data: [
				{
					...{ name: "another", context: { trace_id: traceId, span_id: "00000000000000aa" } },
					...{ span_kind: "CHAIN", status_code: "OK", ...TIMES },
				},
			],
		}),
	}),
	route("PATCH /v1/error_groups/:error_group_id", "project", { body: () => ({ state: "resolved" }) }),
	route("POST /v1/error_groups/batch", "project", {
		body: ({ errorGroup }) => ({ ids: [errorGroup], change: { state: "ignored" } }),
	}),
	route("POST /v1/error_groups/:error_group_id/merge", "project", {
		body: ({ otherErrorGroup }) => ({ ids: [otherErrorGroup] }),
	}),
	route("POST /v1/error_groups/:error_group_id/unmerge", "project", {
		body: ({ errorFingerprint }) => ({ fingerprints: [errorFingerprint] }),
	}),
	route("POST /v1/error_groups/:error_group_id/comments", "project", { body: () => ({ text: "seen" }) }),
	route("PATCH /v1/error_comments/:comment_id", "project", { body: () => ({ text: "seen again" }) }),
	route("DELETE /v1/error_comments/:comment_id", "project"),
	route(`PUT ${PROJECT}/error_settings`, "project", {
		body: () => ({ release_key: "build", own_code: [], kinds: null }),
	}),
	route(`DELETE ${PROJECT}/traces`, "project", { query: RANGE }),
	route("DELETE /v1/traces/:trace_identifier", "project"),
	route("POST /v1/traces/transfer", "project", {
		body: ({ traceId }) => ({
			trace_identifiers: [traceId],
			destination_project_identifier: "default",
			allow_wider_access: true,
		}),
	}),
	route("DELETE /v1/spans/:span_identifier", "project"),
	route("DELETE /v1/sessions/:session_identifier", "project"),
	route("POST /v1/sessions/delete", "project", { body: ({ sessionId }) => ({ session_identifiers: [sessionId] }) }),
	route("POST /v1/span_annotations", "project", {
		body: ({ spanId }) => ({ data: [{ ...annotated, span_id: spanId }] }),
	}),
	route("POST /v1/trace_annotations", "project", {
		body: ({ traceId }) => ({ data: [{ ...annotated, trace_id: traceId }] }),
	}),
	route("POST /v1/session_annotations", "project", {
		body: ({ sessionId }) => ({ data: [{ ...annotated, session_id: sessionId }] }),
	}),
	route("POST /v1/document_annotations", "project", {
		body: ({ spanId }) => ({ data: [{ ...annotated, span_id: spanId, document_position: 0 }] }),
	}),
	route("POST /v1/span_notes", "project", { body: ({ spanId }) => ({ data: { span_id: spanId, note: "seen" } }) }),
	route("POST /v1/trace_notes", "project", { body: ({ traceId }) => ({ data: { trace_id: traceId, note: "seen" } }) }),
	route("POST /v1/session_notes", "project", {
		body: ({ sessionId }) => ({ data: { session_id: sessionId, note: "seen" } }),
	}),
	route("PATCH /v1/annotations/:annotation_id", "project", { body: () => ({ result: { score: 0 } }) }),
	route("DELETE /v1/annotations/:annotation_id", "project"),
	route("DELETE /v1/waiting_annotations/:waiting_annotation_id", "project"),

	route("POST /v1/datasets/upload", "library", {
		isNew: true,
		query: "sync=true",
		body: ({ marker }) => ({ name: `another of ${marker}`, inputs: [{ q: 1 }] }),
	}),
	route("PATCH /v1/datasets/:id", "library", { body: () => ({ description: "another" }) }),
	route("DELETE /v1/datasets/:id", "library"),
	route("PATCH /v1/datasets/:id/examples/:example_id", "library", { body: () => ({ input: { q: 2 } }) }),
	route("DELETE /v1/datasets/:id/examples/:example_id", "library"),
	route("POST /v1/datasets/:id/examples/from_spans", "library", { body: ({ spanId }) => ({ span_ids: [spanId] }) }),
	route("POST /v1/datasets/:dataset_identifier/splits", "library", { body: () => ({ name: "another" }) }),
	route("PATCH /v1/datasets/:dataset_identifier/splits/:split_id", "library", { body: () => ({ name: "renamed" }) }),
	route("DELETE /v1/datasets/:dataset_identifier/splits/:split_id", "library"),
	route("PUT /v1/datasets/:dataset_identifier/labels", "library", {
		body: ({ label }) => ({ dataset_label_ids: [label] }),
	}),
	route("PUT /v1/datasets/:dataset_identifier/labels/:label_id", "library"),
	route("DELETE /v1/datasets/:dataset_identifier/labels/:label_id", "library"),
	route("POST /v1/datasets/:dataset_id/experiments", "library", { body: () => ({}) }),
	route("PUT /v1/datasets/:dataset_id/evaluators/:evaluator_identifier", "library", { body: () => ({}) }),
	route("DELETE /v1/datasets/:dataset_id/evaluators/:evaluator_identifier", "library"),
	route("POST /v1/experiment_jobs", "library", {
		body: ({ experiment, evaluator }) => ({
			...{ kind: "evaluate", experiment_id: experiment, evaluators: [{ evaluator_id: evaluator }] },
		}),
	}),
	route("POST /v1/experiment_jobs/estimate", "library", {
		...MUTE,
		body: ({ experiment, evaluator }) => ({
			...{ kind: "evaluate", experiment_id: experiment, evaluators: [{ evaluator_id: evaluator }] },
		}),
	}),
	route("PATCH /v1/experiment_jobs/:job_id", "library", { body: () => ({ state: "paused" }) }),
	route("POST /v1/experiment_jobs/:job_id/retry", "library"),
	route("DELETE /v1/experiment_jobs/:job_id", "library"),
	route("POST /v1/evaluations", "library", {
		body: ({ evaluator, run }) => ({ evaluator, target: { experiment_run_id: run } }),
	}),
	route("PATCH /v1/experiments/:experiment_id", "library", { body: () => ({ description: "another" }) }),
	route("DELETE /v1/experiments/:experiment_id", "library"),
	route("POST /v1/experiments/:experiment_id/runs", "library", {
		body: ({ example }) => ({ dataset_example_id: example, output: 1, repetition_number: 1, ...TIMES }),
	}),
	route("POST /v1/experiment_evaluations", "library", {
		body: ({ run }) => ({ experiment_run_id: run, ...annotated, ...TIMES }),
	}),
	route("POST /v1/experiments/:experiment_id/tags", "library", { body: () => ({ name: "another" }) }),
	route("DELETE /v1/experiments/:experiment_id/tags/:tag_identifier", "library"),
	route("POST /v1/playground/runs", "project", {
		body: ({ project, connection }) => ({
			source: project,
			variants: [{ connection_id: connection, model: "m", messages: [{ role: "user", content: "say it again" }] }],
		}),
	}),
	route("POST /v1/prompts", "library", {
		isNew: true,
		body: ({ marker }) => ({ prompt: { name: `another-of-${marker}` }, version }),
	}),
	route("PATCH /v1/prompts/:prompt_identifier", "library", { body: () => ({ description: "another" }) }),
	route("DELETE /v1/prompts/:prompt_identifier", "library"),
	route("POST /v1/prompts/:prompt_identifier/versions", "library", { body: () => ({ version }) }),
	route("POST /v1/prompt_versions/:prompt_version_id/tags", "library", { body: () => ({ name: "another" }) }),
	route("DELETE /v1/prompt_versions/:prompt_version_id/tags/:tag_name", "library"),

	route("POST /v1/projects", "catalogue", { body: ({ marker }) => ({ name: `another of ${marker}` }) }),
	route("POST /v1/review_queues", "catalogue", {
		body: ({ marker, config }) => ({
			...{ name: `another queue of ${marker}`, target: "span", questions: [{ annotation_config_id: config }] },
		}),
	}),
	route("PATCH /v1/review_queues/:queue_id", "catalogue", { body: () => ({ description: "another" }) }),
	route("POST /v1/review_queues/:queue_id/items", "catalogue", {
		body: ({ spanId, project }) => ({ targets: [{ span_id: spanId, project }] }),
	}),
	route("PUT /v1/review_queues/:queue_id/rule", "catalogue", {
		body: ({ project }) => ({ project, filter: "", enabled: false }),
	}),
	route("DELETE /v1/review_queues/:queue_id/rule", "catalogue"),
	route("POST /v1/review_queues/:queue_id/gold_runs", "catalogue", {
		body: ({ marker }) => ({ dataset_name: `more gold of ${marker}` }),
	}),
	route("DELETE /v1/review_queues/:queue_id/gold_runs/:gold_run_id", "catalogue"),
	route("PUT /v1/review_queues/:queue_id/items/:item_id/draft", "catalogue", { body: () => ({ answers: [] }) }),
	route("POST /v1/review_queues/:queue_id/items/:item_id/release", "catalogue"),
	route("POST /v1/review_queues/:queue_id/next", "catalogue"),
	route("POST /v1/review_queues/:queue_id/items/:item_id/review", "catalogue", { body: reviewed }),
	route("POST /v1/review_queues/:queue_id/items/:item_id/adjudication", "catalogue", { body: reviewed }),
	route("DELETE /v1/review_queues/:queue_id/items/:item_id", "catalogue"),
	route("POST /v1/review_queues/:queue_id/items/:item_id/skip", "catalogue", { body: () => ({ reason: "broken" }) }),
	route("DELETE /v1/review_queues/:queue_id", "catalogue"),
	route("POST /v1/annotation_configs", "catalogue", {
		body: ({ marker }) => ({ name: `another-of-${marker}`, type: "FREEFORM" }),
	}),
	route("PUT /v1/annotation_configs/:config_id", "catalogue", {
		body: ({ marker }) => ({ name: `renamed-${marker}`, type: "FREEFORM" }),
	}),
	route("DELETE /v1/annotation_configs/:config_id", "catalogue"),
	route("POST /v1/dataset_labels", "catalogue", {
		body: ({ marker }) => ({ name: `another-of-${marker}`, color: "#123456" }),
	}),
	route("PATCH /v1/dataset_labels/:label_id", "catalogue", { body: () => ({ color: "#654321" }) }),
	route("DELETE /v1/dataset_labels/:label_id", "catalogue"),
	route("POST /v1/evaluators", "catalogue", {
		isNew: true,
		body: () => ({
			name: "another",
			version: { kind: "BUILT_IN", builtin: { key: "valid_json", parameters: {} } },
		}),
	}),
	route("PATCH /v1/evaluators/:evaluator_identifier", "catalogue", { body: () => ({ description: "another" }) }),
	route("POST /v1/evaluators/:evaluator_identifier/versions", "catalogue", {
		body: () => ({ version: { kind: "BUILT_IN", builtin: { key: "valid_json", parameters: {} } } }),
	}),
	route("DELETE /v1/evaluators/:evaluator_identifier", "catalogue", {
		url: ({ unusedEvaluator }) => `/v1/evaluators/${unusedEvaluator}`,
	}),
	route("POST /v1/model_connections", "catalogue", {
		body: ({ marker }) => ({
			...{ name: `another of ${marker}`, kind: "openai_compatible", base_url: "https://models.example.com/v1" },
		}),
	}),
	route("PATCH /v1/model_connections/:connection_id", "catalogue", { body: () => ({ max_concurrency: 2 }) }),
	route("POST /v1/model_connections/:connection_id/confirm", "catalogue"),
	route("POST /v1/model_connections/:connection_id/test", "catalogue", { body: () => ({}) }),
	route("POST /v1/model_connections/test", "catalogue", {
		body: () => ({ kind: "openai_compatible", base_url: "http://169.254.169.254/v1" }),
	}),
	route("DELETE /v1/model_connections/:connection_id", "catalogue"),
	route("POST /v1/model_prices", "catalogue", {
		body: ({ marker }) => ({ pattern: `another of ${marker}`, prices: { input: 1 } }),
	}),
	route("PATCH /v1/model_prices/:price_id", "catalogue", { body: () => ({ prices: { input: 2 } }) }),
	route("DELETE /v1/model_prices/:price_id", "catalogue"),
	route("POST /v1/retention_policies", "catalogue", {
		body: ({ marker }) => ({ name: `another of ${marker}`, max_days: 36_500 }),
	}),
	route("PATCH /v1/retention_policies/:policy_id", "catalogue", { body: () => ({ max_days: 36_499 }) }),
	route("POST /v1/retention_policies/:policy_id/run", "catalogue"),
	route("DELETE /v1/retention_policies/:policy_id", "catalogue"),
	...["/v1/traces", "/v1/logs", "/api/public/otel/v1/traces"].map((path) =>
		route(`POST ${path}`, "project", { body: () => otlp }),
	),
];

/** A live view does not end, and a chat needs a model that answers, so they are asked elsewhere. */
export const LIVE_ROUTES: ReadonlySet<string> = new Set([
	`GET ${PROJECT}/stream`,
	"GET /v1/experiment_jobs/:job_id/stream",
	"POST /v1/chat/completions",
]);

/** Routes that are about nobody's traces, datasets or prompts: the caller's account, the service, what it refuses. */
const OF_NO_HOME =
	/^(?:\/(?:auth|oauth2|docs|mcp|auth\.md|llms\.txt|\.well-known)\b|\/v1\/(?:user|users|oauth2_grants|oauth2_clients|system|secrets|sign_in|audit_events|agent_calls|storage|ingest|metrics)\b|\/(?:healthz|readyz|metrics|version|arize_phoenix_version|graphql|openapi\.json|favicon\.ico)?$|\/\*$)/;

/** Routes about who sees what, most of which need a manager or an admin: they are tested where they are. */
const OF_ACCESS =
	/^\/v1\/(?:access|access_[a-z]+|review_people|teams|library|projects\/:project_identifier\/(?:access|api_keys))(?:\/|$)/;

export function isOfNoHome(path: string): boolean {
	return OF_NO_HOME.test(path) || OF_ACCESS.test(path);
}

export const ROUTE_CASES = { reads: READS, writes: WRITES } as const;
