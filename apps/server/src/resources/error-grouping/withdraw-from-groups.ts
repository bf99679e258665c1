import { sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";

interface Withdrawn {
	readonly project_id: number;
	readonly group_id: number;
	readonly fingerprint: string;
}

/**
 * Takes occurrences out of the totals of their groups that turned out to be none, as a span below them has failed that came
 * later. Their rows are deleted already.
 */
export async function withdrawFromGroups(
	transaction: Transaction<Tables>,
	withdrawn: readonly Withdrawn[],
): Promise<void> {
	const byFingerprint = Map.groupBy(withdrawn, (one) => `${one.project_id} ${one.fingerprint}`);
	for (const [first, ...more] of byFingerprint.values()) {
		if (first === undefined) continue;
		const { project_id, group_id, fingerprint } = first;
		const count = 1 + more.length;
		const ofFingerprint = sql`group_id = ${group_id} and fingerprint = ${fingerprint}`;
		await sql`update error_group_fingerprints set ${without(count, ofFingerprint)}
			where project_id = ${project_id} and fingerprint = ${fingerprint}`.execute(transaction);
		await sql`update error_groups set ${without(count, sql`group_id = ${group_id}`)}
			where id = ${group_id}`.execute(transaction);
	}
}

/** Where some were deleted, nobody knows any more when the first and the last of the others were. */
function without(count: number, where: ReturnType<typeof sql>) {
	const stored = sql`from error_occurrences where ${where}`;
	const isComplete = sql`total_count - ${count} = (select count(*) ${stored})`;
	return sql`
		first_seen = case when ${isComplete} then coalesce((select min(start_micros) ${stored}), first_seen) else first_seen end,
		last_seen = case when ${isComplete} then coalesce((select max(start_micros) ${stored}), last_seen) else last_seen end,
		total_count = total_count - ${count}`;
}
