import { sql } from "kysely";
import { present } from "#base/present.ts";
import type { Database } from "#storage/database.ts";
import type { Counters } from "./trace-metadata.ts";

type Read = Pick<Database, "read">;

/** As `TraceMetadata.counters`, of a metadata database that was used with ClickHouse. Changes nothing. */
export async function readCounters(db: Pick<Database, "read" | "isShared">): Promise<Counters> {
	return await (db.isShared ? readPostgresCounters(db) : readSqliteCounters(db));
}

export async function readPostgresCounters({ read }: Read): Promise<Counters> {
	const { rows } = await sql<Counters>`
		select case when spans.is_called then spans.last_value else 0 end as spans,
			case when traces.is_called then traces.last_value else 0 end as traces,
			least(
				case when versions.is_called then versions.last_value else 0 end,
				case when batches.is_called then batches.last_value else 0 end
			) as turns
		from span_numbers as spans, trace_numbers as traces,
			clickhouse_versions as versions, clickhouse_batch_numbers as batches`.execute(read);
	return present(rows[0], "the counters");
}

export async function readSqliteCounters({ read }: Read): Promise<Counters> {
	const { rows } = await sql<Counters>`
		select (select next - 1 from row_numbers where name = 'spans') as spans,
			(select next - 1 from row_numbers where name = 'traces') as traces,
			coalesce((select seq from sqlite_sequence where name = 'clickhouse_batches'), 0) as turns`.execute(read);
	return present(rows[0], "the counters");
}
