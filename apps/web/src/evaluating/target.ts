import type { TryBody } from "./queries.ts";

/** What is to be judged: something in a project, or the run of an experiment. */
export type Evaluated =
	| { readonly kind: "span"; readonly project: string; readonly traceId: string; readonly id: string }
	| { readonly kind: "trace" | "session"; readonly project: string; readonly id: string }
	| { readonly kind: "run"; readonly id: string };

export function targetOf(evaluated: Evaluated): TryBody["target"] {
	const { kind, id } = evaluated;
	if (kind === "run") return { experiment_run_id: id };
	const { project } = evaluated;
	if (kind === "span") return { span_id: id, trace_id: evaluated.traceId, project };
	return kind === "trace" ? { trace_id: id, project } : { session_id: id, project };
}
