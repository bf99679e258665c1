import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { nextRunOf, type Policy, type RunRow } from "./queries.ts";
import type { RetentionPolicy, RetentionRun } from "./schemas.ts";

/** The wire form of a policy. */
export function toRetentionPolicy(policy: Policy, now: number): z.output<typeof RetentionPolicy> {
	const next = nextRunOf(policy, now);
	const { created_at, updated_at, last_run_at } = policy;
	return {
		id: encodeGlobalId("ProjectTraceRetentionPolicy", policy.id),
		name: policy.name,
		cron: policy.cron,
		max_days: policy.max_days,
		max_traces: policy.max_traces,
		keep_annotated: policy.keep_annotated,
		project_count: policy.project_count,
		next_run_at: next === undefined ? null : formatTime(next),
		last_run_at: last_run_at === null ? null : formatTime(last_run_at),
		created_at: created_at === null ? null : formatTime(created_at),
		updated_at: created_at === null || updated_at === null ? null : formatTime(updated_at),
	};
}

export function toRetentionRun(row: RunRow): z.output<typeof RetentionRun> {
	return {
		id: encodeGlobalId("RetentionRun", row.id),
		policy_id: encodeGlobalId("ProjectTraceRetentionPolicy", row.policy_id),
		project_id: encodeGlobalId("Project", row.project_id),
		project_name: row.project_name,
		started_at: formatTime(row.started_at),
		ended_at: row.ended_at === null ? null : formatTime(row.ended_at),
		deleted_traces: row.deleted_traces,
		kept_traces: row.kept_traces,
		error: row.error,
	};
}
