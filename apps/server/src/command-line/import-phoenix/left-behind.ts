import { countRows, type PhoenixSource, readTable, type SourceRow } from "./source.ts";
import type { ImportReport } from "./target.ts";
import { textOf } from "./values.ts";

/** Characters of a name in the report. */
const MAX_NAME = 100;

/** What is not imported: table, condition, and the sentence for the report. */
const LEFT: readonly (readonly [table: string, where: string, sentence: string])[] = [
	["secrets", "true", "secrets, which are encrypted: set them again"],
	["generative_model_custom_providers", "true", "model providers of your own, whose credentials are encrypted"],
	["evaluators", "kind <> 'BUILTIN'", "evaluators"],
	["dataset_evaluators", "true", "evaluators of datasets"],
	["agent_sessions", "true", "conversations with the assistant"],
	["oauth2_clients", "not is_first_party", "OAuth2 clients"],
];

/** Reports what is not imported. Costs are not mentioned: Spanward computes them from tokens by its own prices. */
export async function noteLeftBehind(source: PhoenixSource, report: ImportReport): Promise<void> {
	for (const [table, where, sentence] of LEFT) report.leave(sentence, await countRows(source, table, where));
	await noteLabels(source, report);
	const names: string[] = [];
	for await (const rows of readTable(source, "api_keys", ["name"], {
		joins: "join users on users.id = user_id",
		more: "users.username as owner",
	}))
		for (const row of rows) names.push(`${shortNameOf(row["name"])} (of ${shortNameOf(row["owner"])})`);
	if (names.length > 0)
		report.leave(`API keys, which cannot be read; create new ones for: ${names.sort().join(", ")}`, names.length);
}

/** Spanward's prompts have tags, but no labels. */
async function noteLabels(source: PhoenixSource, report: ImportReport): Promise<void> {
	const joins = `join prompt_labels on prompt_labels.id = prompt_label_id join prompts on prompts.id = prompt_id`;
	const more = "prompt_labels.name as label, prompts.name as prompt";
	for await (const rows of readTable(source, "prompts_prompt_labels", ["prompt_id"], { joins, more }))
		for (const row of rows)
			report.leave(`label ${shortNameOf(row["label"])} of the prompt ${shortNameOf(row["prompt"])}`);
}

function shortNameOf(value: SourceRow[string] | undefined): string {
	return (textOf(value) ?? "").slice(0, MAX_NAME);
}
