import type { Kysely } from "kysely";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Tables } from "#storage/schema.ts";
import type { Finding } from "#storage/traces/finding.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { wrongAcrossShards } from "./check-across.ts";
import { wrongHours } from "./check-hours.ts";
import { wrongProjects } from "./check-projects.ts";
import { wrongReferences } from "./check-references.ts";
import { misplacedRows } from "./check-rows.ts";
import { wrongSignatures } from "./check-signatures.ts";
import { wrongSpend } from "./check-spend.ts";
import { wrongTraces } from "./check-traces.ts";
import type { Looked } from "./damage.ts";
import { OpenBatches } from "./open-batches.ts";

export interface Checked {
	readonly shards: TraceShards;
	/** The metadata tables, not in a snapshot. */
	readonly db: Kysely<Tables>;
	/** Told of each trace or hour that changed each time it was looked at, and was not compared. */
	readonly leaveOut?: () => void;
}

/**
 * Checks traces in ClickHouse and what refers to them from the metadata database: every content can be read, every
 * reference has its target, no row number is there twice, searches find every text that the text index has, and every total equals the one recomputed from the spans.
 * Changes nothing, and needs limited memory for any number of spans and defects. Servers may go on: what is wrong only
 * while something is being written is not reported.
 * @throws ClickHouseFailure
 */
export async function* findDamage({ shards, db, leaveOut = () => undefined }: Checked): AsyncGenerator<Finding, void> {
	const batches = new OpenBatches(db);
	yield { stage: "rows" };
	for (const batch of await batches.listLeftBehind())
		yield { wrong: `export ${batch} was begun and not completed: a running server completes or withdraws it` };
	yield* sentences(wrongProjects({ shards, db, batches }));
	for (const shard of shards.list) yield* sentences(misplacedRows(shard, shards, batches));
	yield* sentences(wrongAcrossShards(shards, batches));
	yield* sentences(wrongReferences({ shards, db, batches }));
	yield { stage: "contents" };
	for (const shard of shards.list) yield* sentences(wrongTraces({ shard, shards, batches, leaveOut }));
	yield* sentences(wrongSignatures(shards));
	yield { stage: "totals" };
	for (const shard of shards.list) yield* sentences(wrongHours({ shard, shards, batches, leaveOut }));
	yield* sentences(wrongSpend({ shards, db, batches, leaveOut }));
}

async function* sentences(found: AsyncIterable<Looked>): AsyncGenerator<Finding, void> {
	for await (const damage of found) if (damage.kind !== "looked") yield { wrong: damage.says };
}

/** Traces, spans and sessions. @throws ClickHouseFailure */
export async function countRows(shards: TraceShards): Promise<Record<"traces" | "spans" | "sessions", number>> {
	const count = async (table: string) => {
		const rows = await selectFinal(shards, `select count() as count from ${table}`, { count: types.Count });
		return rows.reduce((sum, row) => sum + row.count, 0);
	};
	return { traces: await count("traces"), spans: await count("spans"), sessions: await count("sessions") };
}
