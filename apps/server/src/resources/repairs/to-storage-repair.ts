import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { RepairRow } from "./repair-runs.ts";
import type { StorageRepair } from "./schemas.ts";

export function toStorageRepair(row: RepairRow): z.output<typeof StorageRepair> {
	const time = (micros: number | null) => (micros === null ? null : formatTime(micros));
	return {
		id: encodeGlobalId("StorageRepair", row.id),
		kind: row.kind,
		project_id: row.project_id === null ? null : encodeGlobalId("Project", row.project_id),
		start_time: time(row.start_micros),
		end_time: time(row.end_micros),
		dry_run: row.dry_run === 1,
		status: row.status,
		looked_at: row.looked_at,
		found: row.found,
		repaired: row.repaired,
		created_by: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
		finished_at: time(row.finished_at),
		error: row.error,
	};
}
