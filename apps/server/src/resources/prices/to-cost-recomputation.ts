import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { RecomputationRow } from "./recomputations.ts";
import type { CostRecomputation } from "./schemas.ts";

export function toCostRecomputation(row: RecomputationRow): z.output<typeof CostRecomputation> {
	const share = row.total_spans === 0 ? 1 : row.seen_spans / row.total_spans;
	return {
		id: encodeGlobalId("CostRecomputation", row.id),
		project_id: encodeGlobalId("Project", row.project_id),
		start_time: row.start_micros === null ? null : formatTime(row.start_micros),
		end_time: row.end_micros === null ? null : formatTime(row.end_micros),
		state: row.state,
		total_spans: row.total_spans,
		seen_spans: row.seen_spans,
		changed_spans: row.changed_spans,
		// Spans may have been deleted, or moved here, since they were counted.
		progress: row.state === "done" ? 1 : Math.min(share, 1),
		error: row.error,
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}
