import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { evaluate } from "#evaluation/evaluate.ts";
import { type Evaluation, toEvaluationResult } from "#evaluation/evaluation-result.ts";
import type { EvaluatorVersion } from "#evaluation/evaluator-version.ts";
import { mappingProblems, mergeMappings } from "#evaluation/mapping.ts";
import type { Actor } from "#http/actor.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { toJsonText } from "#http/json-values.ts";
import { annotate } from "../annotations/annotate.ts";
import { ENTITY_ID_TYPES, kindOf } from "../annotations/kinds.ts";
import { findEvaluations, upsertEvaluation } from "../experiments/evaluations.ts";
import { assertRunnable } from "./assert-runnable.ts";
import { evaluationServices } from "./evaluation-services.ts";
import { evaluatorsProjectOf } from "./evaluators-project.ts";
import { type FoundTarget, findTarget } from "./find-target.ts";
import { getEvaluator, getVersion } from "./queries.ts";
import { originOf, toEvaluationRow } from "./results.ts";
import type { EvaluateBody } from "./schemas.ts";
import { parseVersion } from "./to-evaluator.ts";

type Body = z.output<typeof EvaluateBody>;

/** What is used on a target. */
interface Used {
	readonly name: string;
	readonly version: EvaluatorVersion;
	/** Global ids. */
	readonly stored?: { readonly evaluatorId: string; readonly versionId: string };
}

/** @throws UserError for what is not there, or does not fit */
export async function evaluateNow(
	context: Context,
	actor: Actor,
	body: Body,
	{ isAdmin, signal }: { readonly isAdmin: boolean; readonly signal: AbortSignal | undefined },
) {
	const { code, db } = context;
	if (body.version !== undefined) await assertRunnable(code, body.version);
	const target = "values" in body.target ? undefined : await findTarget(context, actor, body.target);
	const used = await findUsed(db, body);
	const project = await evaluatorsProjectOf(context, actor, target);
	await actor.assertStillAllowed();
	const services = evaluationServices(context, {
		...{ project, isAdmin, isInteractive: true, budgets: [], signal: signal ?? new AbortController().signal },
	});
	const { name, version, stored } = used;
	const evaluation = await evaluate(services, {
		...{ name, version, inputs: inputsOf(body, used, target) },
		...(stored === undefined ? {} : { versionId: stored.versionId }),
	});
	const notes =
		body.annotate && target !== undefined && stored !== undefined
			? await keep(context, actor, { evaluation, target, kind: version.kind, stored })
			: [];
	return toEvaluationResult({ ...evaluation, warnings: [...evaluation.warnings, ...notes] });
}

async function findUsed(
	db: Context["db"],
	{ evaluator, evaluator_version_id: versionId, version }: Body,
): Promise<Used> {
	if (version !== undefined) return { name: "draft", version };
	if (versionId !== undefined) {
		const row = await getVersion(db.read, versionId);
		const evaluatorId = encodeGlobalId("Evaluator", row.evaluator_id);
		const { name } = await getEvaluator(db.read, evaluatorId);
		return { name, version: parseVersion(row.definition), stored: { evaluatorId, versionId } };
	}
	const row = await getEvaluator(db.read, evaluator ?? "");
	return {
		...{ name: row.name, version: parseVersion(row.definition) },
		stored: {
			evaluatorId: encodeGlobalId("Evaluator", row.id),
			versionId: encodeGlobalId("EvaluatorVersion", row.version_id),
		},
	};
}

/** @returns what was not written, in sentences */
async function keep(
	context: Context,
	actor: Actor,
	done: {
		readonly evaluation: Evaluation;
		readonly target: FoundTarget;
		readonly kind: EvaluatorVersion["kind"];
		readonly stored: NonNullable<Used["stored"]>;
	},
): Promise<readonly string[]> {
	const { now } = context;
	const { evaluation, target, stored } = done;
	const annotatorKind = done.kind === "LLM" ? ("LLM" as const) : ("CODE" as const);
	const metadata = toJsonText({ spanward: originOf(evaluation, stored.versionId) });
	const results = Object.entries(evaluation.outputs);
	if (target.kind === "run") {
		const times = { start_micros: now() - Math.round(evaluation.latencyMs * 1_000), end_micros: now() };
		return await actor.change(async (transaction) => {
			const present = (await findEvaluations(transaction, [target.rowId])).get(target.rowId) ?? [];
			const ofPeople = new Set(present.flatMap((each) => (each.annotator_kind === "HUMAN" ? [each.name] : [])));
			for (const [name, result] of results) {
				if (ofPeople.has(name)) continue;
				await upsertEvaluation(transaction, {
					...{ run_id: target.rowId, name, ...toEvaluationRow(result), ...times },
					...{ annotator_kind: annotatorKind, metadata, trace_id: evaluation.traceId },
				});
			}
			const kept = results.map(([name]) => name).filter((name) => ofPeople.has(name));
			return kept.map((name) => `What a person wrote as ${name} was kept.`);
		});
	}
	const kind = target.kind;
	const items = results.flatMap(([name, { label, score, explanation, error }]) =>
		error !== null
			? []
			: [
					{
						targetId: encodeGlobalId(ENTITY_ID_TYPES[kind], target.rowId),
						...{ documentPosition: -1, name, identifier: `evaluator:${stored.evaluatorId}`, annotatorKind },
						...{ label, score, explanation, metadata },
					},
				],
	);
	if (items.length > 0) await annotate(context, { kind: kindOf(kind), projectId: undefined, items, actor });
	return [];
}

/** @throws UserError 422 for a mapping that does not fit */
function inputsOf({ mapping: given, target: asked }: Body, { version }: Used, target: FoundTarget | undefined) {
	if ("values" in asked || target === undefined) return { values: "values" in asked ? asked.values : {} };
	const mapping = mergeMappings(version.mapping?.[target.kind], given);
	const [problem] = mappingProblems(version.inputs, mapping);
	if (problem !== undefined) throw new UserError(422, "mapping_does_not_fit", problem.message);
	return { mapping, context: target.context };
}
