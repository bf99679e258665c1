import type { CallUse } from "#models/call-model.ts";
import type { JobRow } from "./jobs.ts";

/** The scope of what a job spends. */
export function jobScope(jobId: number): string {
	return `job:${jobId}`;
}

/** What the calls of a job may cost together; without a limit it is only counted. */
export function jobBudget({ id, max_cost_nanos }: Pick<JobRow, "id" | "max_cost_nanos">): CallUse["budgets"][number] {
	return { scope: jobScope(id), limitNanos: max_cost_nanos ?? undefined, what: "this job" };
}
