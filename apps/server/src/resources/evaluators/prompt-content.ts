import type { Kysely } from "kysely";
import type { EvaluationError } from "#evaluation/evaluation-result.ts";
import type { JudgeVariant } from "#evaluation/evaluator-version.ts";
import type { ResolvedVariant } from "#evaluation/judge/judge.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import { fromDefinitionText } from "../prompts/definition.ts";

/**
 * The messages and the model of a judge's variant, as they are now: a connection's default model may have changed since the
 * version was made, and a prompt may be gone.
 */
export async function findPromptContent(
	db: Kysely<Tables>,
	variant: JudgeVariant,
): Promise<ResolvedVariant | EvaluationError> {
	const connectionId = decodeGlobalId(variant.connection_id, "ModelConnection");
	const connection =
		connectionId === undefined
			? undefined
			: await db
					.selectFrom("model_connections")
					.select(["id", "default_model"])
					.where("id", "=", connectionId)
					.executeTakeFirst();
	if (connection === undefined)
		return {
			code: "connection_off",
			message: "The judge's model connection is gone: make a version with another one.",
		};
	const prompt = variant.prompt_version_id === undefined ? undefined : await findVersion(db, variant.prompt_version_id);
	if (variant.prompt_version_id !== undefined && prompt === undefined)
		return {
			code: "evaluator_failed",
			message: "The judge's prompt version is gone: make a version with another one.",
		};
	const model = variant.model ?? prompt?.model ?? connection.default_model;
	if (model === null)
		return { code: "model_not_found", message: "The judge names no model, and its connection has no default model." };
	const invocationParameters = prompt?.invocation_parameters ?? variant.invocation_parameters;
	return {
		...{ connectionId: connection.id, model },
		messages: prompt?.messages ?? variant.messages ?? [],
		format: prompt?.format ?? variant.template_format ?? "MUSTACHE",
		...(invocationParameters === undefined ? {} : { invocationParameters }),
	};
}

async function findVersion(db: Kysely<Tables>, globalId: string) {
	const id = decodeGlobalId(globalId, "PromptVersion");
	if (id === undefined) return undefined;
	const row = await db
		.selectFrom("prompt_versions")
		.select(["definition", "model_name"])
		.where("id", "=", id)
		.executeTakeFirst();
	if (row === undefined) return undefined;
	const { template, template_format, invocation_parameters } = fromDefinitionText(row.definition);
	return {
		...{ model: row.model_name, messages: template.messages, invocation_parameters },
		format: template_format === "NONE" ? ("MUSTACHE" as const) : template_format,
	};
}
