import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";

/** What became of the exports of one minute on one server, as far as one reason goes. */
export type IngestMinute = Tables["ingest_minutes"];

/** Rows of one statement. */
const ROWS = 500;

/** Adds to what is stored of these minutes. */
export async function addIngestMinutes(transaction: Transaction<Tables>, rows: readonly IngestMinute[]): Promise<void> {
	for (let first = 0; first < rows.length; first += ROWS)
		await transaction
			.insertInto("ingest_minutes")
			.values(rows.slice(first, first + ROWS))
			.onConflict((conflict) =>
				conflict.columns(["minute", "server", "reason"]).doUpdateSet({
					accepted_spans: sql`ingest_minutes.accepted_spans + excluded.accepted_spans`,
					duplicate_spans: sql`ingest_minutes.duplicate_spans + excluded.duplicate_spans`,
					rejected_spans: sql`ingest_minutes.rejected_spans + excluded.rejected_spans`,
					refused_requests: sql`ingest_minutes.refused_requests + excluded.refused_requests`,
				}),
			)
			.execute();
}

/** The rows of the minutes from one to another, which is exclusive. */
export async function listIngestMinutes(
	db: Kysely<Tables>,
	{ from, to }: { readonly from: number; readonly to: number },
): Promise<IngestMinute[]> {
	return await db
		.selectFrom("ingest_minutes")
		.selectAll()
		.where("minute", ">=", from)
		.where("minute", "<", to)
		.execute();
}

/** The first minute of which there is something; undefined when there is nothing. */
export async function firstIngestMinute(db: Kysely<Tables>): Promise<number | undefined> {
	const first = await db.selectFrom("ingest_minutes").select("minute").orderBy("minute").limit(1).executeTakeFirst();
	return first?.minute;
}

/** Deletes what is older than a minute. */
export async function deleteIngestMinutes(transaction: Transaction<Tables>, before: number): Promise<void> {
	await transaction.deleteFrom("ingest_minutes").where("minute", "<", before).execute();
}
