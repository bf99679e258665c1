import type { RetentionRule } from "#storage/traces/trace-store.ts";
import type { RetentionLimits } from "./queries.ts";

const DAY_MICROS = 86_400_000_000;

/** What the limits of a policy mean in a project now. A trace's age counts from its start, whatever it still receives. */
export function ruleOf(projectId: number, limits: RetentionLimits, now: number): RetentionRule {
	const { max_days: days, max_traces: traces, keep_annotated: keepAnnotated } = limits;
	return {
		projectId,
		...(days === null ? {} : { beforeMicros: Math.floor(now - days * DAY_MICROS) }),
		...(traces === null ? {} : { keepNewest: traces }),
		keepAnnotated,
	};
}
