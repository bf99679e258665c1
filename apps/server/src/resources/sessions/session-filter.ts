import type { z } from "zod";
import { joinTexts, type ParsedFilterParam } from "#http/filter-param.ts";
import type { SessionQuery } from "#storage/traces/trace-store.ts";
import type { sessionFilters } from "./schemas.ts";

type SessionFilter = Pick<SessionQuery, "startMicros" | "endMicros" | "userIds" | "error" | "text" | "condition">;

/** The filter in the query parameters of a list of sessions. */
export function toSessionFilter(
	query: z.output<z.ZodObject<typeof sessionFilters>>,
	{ condition, text: words }: ParsedFilterParam,
): SessionFilter {
	const text = joinTexts(query.q, words);
	return {
		...(query.start_time === undefined ? {} : { startMicros: query.start_time }),
		...(query.end_time === undefined ? {} : { endMicros: query.end_time }),
		...(query.user_id === undefined ? {} : { userIds: query.user_id }),
		...(query.error === undefined ? {} : { error: query.error }),
		...(text === undefined ? {} : { text }),
		...(condition === undefined ? {} : { condition }),
	};
}
