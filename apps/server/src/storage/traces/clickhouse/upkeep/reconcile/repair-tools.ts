import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import type { TraceMetadata } from "#storage/traces/clickhouse/metadata/trace-metadata.ts";
import type { Turns } from "#storage/traces/clickhouse/metadata/turns.ts";

/** What a repair needs. */
export interface RepairTools {
	readonly shard: Shard;
	readonly db: Database;
	readonly metadata: Pick<TraceMetadata, "addProjects">;
	readonly turns: Turns;
	/** Told of hours, `project hour`, whose spans or traces a repair has changed. */
	readonly touch: (projectId: number, hour: number) => void;
}
