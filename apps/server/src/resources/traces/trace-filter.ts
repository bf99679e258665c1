import type { z } from "zod";
import { joinTexts, type ParsedFilterParam } from "#http/filter-param.ts";
import type { TraceFilter, TraceReader } from "#storage/traces/trace-store.ts";
import { findSessionRowIds } from "../sessions/queries.ts";
import type { traceFilters } from "./schemas.ts";

type TraceFilterParams = z.output<z.ZodObject<typeof traceFilters>>;

/**
 * The filter in the query parameters of a list of traces.
 * @returns undefined when the session filter names only unknown sessions, so that nothing can match
 */
export async function toTraceFilter(
	traces: TraceReader,
	projectId: number,
	query: TraceFilterParams,
	{ condition, text: words }: ParsedFilterParam,
): Promise<TraceFilter | undefined> {
	const text = joinTexts(query.q, words);
	const sessions = [...(query.session_identifier ?? []), ...(query.session_id ?? [])];
	const sessionRowIds = sessions.length === 0 ? undefined : await findSessionRowIds(traces, projectId, sessions);
	if (sessionRowIds?.length === 0) return undefined;
	return {
		...(sessionRowIds === undefined ? {} : { sessionRowIds }),
		...(query.start_time === undefined ? {} : { startMicros: query.start_time }),
		...(query.end_time === undefined ? {} : { endMicros: query.end_time }),
		...(query.error === undefined ? {} : { error: query.error }),
		...(query.min_latency_ms === undefined ? {} : { minLatencyMs: query.min_latency_ms }),
		...(query.max_latency_ms === undefined ? {} : { maxLatencyMs: query.max_latency_ms }),
		...(query.name === undefined ? {} : { names: query.name }),
		...(query.user_id === undefined ? {} : { userIds: query.user_id }),
		...(query.model === undefined ? {} : { models: query.model }),
		...(text === undefined ? {} : { text }),
		...(condition === undefined ? {} : { condition }),
	};
}
