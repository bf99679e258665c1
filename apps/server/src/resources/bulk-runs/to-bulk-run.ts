import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Rights } from "#http/rights.ts";
import { formatTime } from "#http/wire-times.ts";
import { ENTITY_ID_TYPES } from "../annotations/kinds.ts";
import { type BulkRunRow, parametersOf, parseFailures, StoredSelection } from "./bulk-runs.ts";
import type { BulkRun } from "./schemas.ts";

/** @param rights of the caller, who is not told where what goes to a project that they do not see */
export function toBulkRun(row: BulkRunRow, rights: Rights): z.output<typeof BulkRun> {
	const { destinationProjectId, datasetId, reviewQueueId, annotation } = parametersOf(row);
	return {
		id: encodeGlobalId("BulkRun", row.id),
		project_id: encodeGlobalId("Project", row.project_id),
		action: row.action,
		kind: row.kind,
		by_filter: "filters" in StoredSelection.parse(JSON.parse(row.selection)),
		destination_project_id:
			destinationProjectId === undefined || rights.roleAt(destinationProjectId) === undefined
				? null
				: encodeGlobalId("Project", destinationProjectId),
		dataset_id: datasetId === undefined ? null : encodeGlobalId("Dataset", datasetId),
		review_queue_id: reviewQueueId === undefined ? null : encodeGlobalId("ReviewQueue", reviewQueueId),
		annotation_name: annotation?.name ?? null,
		state: row.state,
		total_items: row.total_items,
		done_items: row.done_items,
		failed_items: row.failed_items,
		failures: parseFailures(row.failures).map(({ rowId, reason }) => ({
			id: encodeGlobalId(ENTITY_ID_TYPES[row.kind], rowId),
			reason,
		})),
		error: row.error,
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}
