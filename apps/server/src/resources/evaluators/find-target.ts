import type { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { ContextTooLarge, type TargetContext } from "#evaluation/contexts/context.ts";
import { sessionContext } from "#evaluation/contexts/session-context.ts";
import { spanContext } from "#evaluation/contexts/span-context.ts";
import { traceContext } from "#evaluation/contexts/trace-context.ts";
import type { TargetKind } from "#evaluation/mapping.ts";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import { findRunTarget, runTargetContext } from "../experiments/run-target.ts";
import { enterRun } from "../experiments/runs.ts";
import { getProject } from "../projects/queries.ts";
import { getSession } from "../sessions/queries.ts";
import { getSpan } from "../spans/queries.ts";
import { getTrace } from "../traces/queries.ts";
import type { EvaluateBody } from "./schemas.ts";

type Target = z.output<typeof EvaluateBody>["target"];

/** What is to be judged. */
export interface FoundTarget {
	readonly kind: TargetKind;
	readonly context: TargetContext;
	/** Where it lives: the evaluator's trace is kept beside it. */
	readonly home: Home;
	/** Row number of the span, trace, session or run. */
	readonly rowId: number;
	readonly datasetId?: number;
}

/**
 * The target among what the actor sees, who enters its home.
 * @throws UserError 404, 409 for an id that several have, 422 `too_large`
 */
export async function findTarget(
	{ db }: Pick<Context, "db">,
	actor: Actor,
	target: Exclude<Target, { values: unknown }>,
): Promise<FoundTarget> {
	try {
		if ("experiment_run_id" in target) return await findRun(db, actor, target.experiment_run_id);
		return await findInTraces(db, actor, target);
	} catch (error) {
		if (error instanceof ContextTooLarge) throw new UserError(422, "target_too_large", error.message);
		throw error;
	}
}

async function findRun(db: Context["db"], actor: Actor, globalId: string): Promise<FoundTarget> {
	const id = decodeGlobalId(globalId, "ExperimentRun");
	if (id === undefined || !(await enterRun(db.read, actor, id)))
		throw notFound("run_not_found", "Experiment run does not exist");
	const found = await findRunTarget(db.read, actor.traces, id);
	if (found === undefined) throw notFound("run_not_found", "Experiment run does not exist");
	const { datasetId, home } = found;
	return { kind: "run", context: runTargetContext(found), home: toHome(home), rowId: id, datasetId };
}

async function findInTraces(
	db: Context["db"],
	actor: Actor,
	target: Exclude<Target, { values: unknown } | { experiment_run_id: unknown }>,
): Promise<FoundTarget> {
	const { project } = target;
	const projectId = project === undefined ? undefined : (await getProject(db.read, actor, project)).id;
	const { traces } = actor;
	const within = { traces, db };
	if ("session_id" in target) {
		const session = await getSession(traces, target.session_id, projectId);
		actor.enter(session.projectId);
		return {
			kind: "session",
			context: await sessionContext(within, session),
			home: session.projectId,
			rowId: session.id,
		};
	}
	if ("span_id" in target) {
		const span = await getSpan(traces, target.span_id, projectId);
		const { id, projectId: home } = span.summary;
		actor.enter(home);
		return { kind: "span", context: await spanContext(within, span), home, rowId: id };
	}
	const trace = await getTrace(traces, target.trace_id, projectId);
	actor.enter(trace.projectId);
	const context = await traceContext(within, trace);
	if (context === undefined) throw notFound("trace_not_found", "The trace has no spans any more");
	return { kind: "trace", context, home: trace.projectId, rowId: trace.id };
}
