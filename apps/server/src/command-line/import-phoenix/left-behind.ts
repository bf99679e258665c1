import { countRows, type PhoenixSource, readTable, textOf } from "./source.ts";
import type { ImportReport } from "./target.ts";

/** What Spanward has no place for, or cannot read: table, condition, and what to say. */
const LEFT: readonly (readonly [table: string, where: string, sentence: string])[] = [
	["secrets", "true", "secrets, which are encrypted: set them again"],
	["generative_model_custom_providers", "true", "model providers of your own, whose credentials are encrypted"],
	[
		"generative_models",
		"not is_built_in and deleted_at is null",
		"model prices of your own: enter them in Settings → Prices, and costs can be computed anew",
	],
	["project_trace_retention_policies", "id > 0", "retention policies: make them anew, see docs/retention.md"],
	["evaluators", "kind <> 'BUILTIN'", "evaluators"],
	["dataset_evaluators", "true", "evaluators of datasets"],
	["prompts_prompt_labels", "true", "labels of prompts"],
	["agent_sessions", "true", "conversations with the assistant"],
	["oauth2_clients", "not is_first_party", "OAuth2 clients"],
];

/** Says what is not carried. Costs are not counted: they are computed from tokens by the prices here. */
export async function noteLeftBehind(source: PhoenixSource, report: ImportReport): Promise<void> {
	for (const [table, where, sentence] of LEFT) report.leave(sentence, await countRows(source, table, where));
	const names: string[] = [];
	for await (const rows of readTable(source, "api_keys", ["name"], {
		joins: "join users on users.id = user_id",
		more: "users.username as owner",
	}))
		for (const row of rows) names.push(`${textOf(row["name"])} (of ${textOf(row["owner"])})`);
	if (names.length > 0)
		report.leave(`API keys, which cannot be read; make new ones for: ${names.sort().join(", ")}`, names.length);
}

/** What a dry run says that would be carried. */
export async function countAll(source: PhoenixSource, report: ImportReport): Promise<void> {
	const tables = {
		users: "users",
		projects: "projects",
		spans: "spans",
		"span annotations": "span_annotations",
		"document annotations": "document_annotations",
		"trace annotations": "trace_annotations",
		"session annotations": "project_session_annotations",
		"annotation configs": "annotation_configs",
		datasets: "datasets",
		"dataset versions": "dataset_versions",
		"dataset examples": "dataset_examples",
		experiments: "experiments",
		"experiment runs": "experiment_runs",
		"experiment evaluations": "experiment_run_annotations",
		prompts: "prompts",
		"prompt versions": "prompt_versions",
	};
	for (const [kind, table] of Object.entries(tables)) {
		const builtIn = table === "users" ? "email not in ('system@localhost', 'admin@localhost')" : "true";
		report.count(kind, await countRows(source, table, builtIn), 0);
	}
}
