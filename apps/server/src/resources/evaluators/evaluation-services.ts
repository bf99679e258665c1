import type { Context } from "#context.ts";
import type { EvaluationServices } from "#evaluation/evaluate.ts";
import { storeEvaluatorSpan } from "#evaluation/evaluator-span.ts";
import type { CallUse } from "#models/call-model.ts";
import { findPromptContent } from "./prompt-content.ts";

type Parts = Pick<Context, "code" | "db" | "ingest" | "lessons" | "log" | "models" | "now">;

/** For whom and where something is evaluated. */
export interface EvaluationUse extends Pick<CallUse, "budgets" | "isAdmin" | "isInteractive" | "project"> {
	readonly signal: AbortSignal;
}

/** What evaluators need of the server. */
export function evaluationServices(parts: Parts, use: EvaluationUse): EvaluationServices {
	const { code, db, lessons, models, now } = parts;
	const { signal, ...ofCall } = use;
	return {
		ask: (connectionId, request, parent) =>
			models.call(connectionId, request, { ...ofCall, purpose: "evaluator", parent }, { signal }),
		lessons,
		code,
		resolveVariant: (variant) => findPromptContent(db.read, variant),
		recordSpan: (span) => storeEvaluatorSpan(parts, span, use.project),
		now,
	};
}
