import type { Shard } from "#storage/clickhouse/shard.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { CONTENTS, SIGNATURES } from "../tables.ts";
import { NO_PROJECT, readProgress } from "./progress.ts";

/** Deletes the signatures of days on which a project has no content any more. @throws StorageUnavailable */
export async function forgetSignatures({ list }: TraceShards): Promise<void> {
	for (const [number, shard] of list.entries()) await forgetOnShard(shard, await readProgress(shard, number));
}

const COLUMNS = Object.keys(SIGNATURES.columns).join(", ");
const GONE = Object.keys(SIGNATURES.columns)
	.map((column) => ({ signature: "''", version: "version + 1", is_deleted: "1" })[column] ?? column)
	.join(", ");

/** @param until later ones may be of contents that came after the statement has looked for them */
async function forgetOnShard(shard: Shard, until: number): Promise<void> {
	await shard.execute(
		`insert into ${SIGNATURES.name} (${COLUMNS})
		select ${GONE} from ${SIGNATURES.name} final
		where project_id <> ${NO_PROJECT} and until <= {until:Int64} and (project_id, _partition_id) not in (
			select distinct project_id, _partition_id from ${CONTENTS.name} where is_deleted = 0
		)`,
		{ params: { until } },
	);
}
