import type { Database } from "#storage/database.ts";
import { type Family, gauge } from "./exposition.ts";

/** How far grouping failures is, and how many groups nobody has dealt with; empty when the database does not answer. */
export async function errorFamilies({ read }: Pick<Database, "read">): Promise<readonly Family[]> {
	const counted = await Promise.all([
		read
			.selectFrom("error_backlog")
			.select((row) => row.fn.countAll<number>().as("count"))
			.executeTakeFirstOrThrow(),
		read
			.selectFrom("error_groups")
			.select((row) => row.fn.countAll<number>().as("count"))
			.where("state", "=", "open")
			.executeTakeFirstOrThrow(),
	]).catch(() => undefined);
	if (counted === undefined) return [];
	const [waiting, open] = counted;
	return [
		gauge(
			"spanward_error_grouping_waiting_traces",
			"Traces with failures that are still to be grouped.",
			waiting.count,
		),
		gauge("spanward_error_groups_open", "Groups of errors that are open, of all projects.", open.count),
	];
}
