import type { RetentionRule } from "#storage/traces/trace-store.ts";
import type { RetentionLimits } from "./queries.ts";

const DAY_MICROS = 86_400_000_000;

/** The current rule for a project with these limits. A trace's age counts from its start, even if spans still arrive. */
export function ruleOf(projectId: number, limits: RetentionLimits, now: number): RetentionRule {
	const { max_days: days, max_traces: traces, keep_annotated: keepAnnotated } = limits;
	return {
		projectId,
		...(days === null ? {} : { beforeMicros: Math.floor(now - days * DAY_MICROS) }),
		...(traces === null ? {} : { keepNewest: traces }),
		keepAnnotated,
	};
}
