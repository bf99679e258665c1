import type { Evaluation, OutputResult } from "#evaluation/evaluation-result.ts";

/** What annotations and evaluations keep of one output. */
export function toEvaluationRow({ label, score, explanation, error }: OutputResult) {
	return { label, score, explanation, error: error === null ? null : `${error.code}: ${error.message}` };
}

/** The member `spanward` of the metadata of what an evaluator wrote. @param versionId global id */
export function originOf(evaluation: Evaluation, versionId: string) {
	const { model, costUsd, isTruncated, warnings, traceId } = evaluation;
	return {
		...{ evaluator_version_id: versionId, trace_id: traceId, model, cost_usd: costUsd },
		...(isTruncated ? { truncated: true } : {}),
		...(warnings.length === 0 ? {} : { warnings }),
	};
}
