import { sql } from "kysely";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Database } from "#storage/database.ts";
import type { HourOfProject, SpendLedger } from "#storage/spend-ledger.ts";
import { HOURS_OF_LEDGER } from "#storage/traces/mutate/hours-of-ledger.ts";
import type { Turns } from "../metadata/turns.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { isSpendRight, recountQuarters } from "./recount-spend.ts";

interface Stores {
	readonly shards: TraceShards;
	readonly db: Database;
	/** Not disposed of here. */
	readonly turns: Turns;
}

/** The ledger in the metadata database of spans in ClickHouse. */
export class ClickHouseSpend implements SpendLedger {
	readonly #stores: Stores;

	constructor(stores: Stores) {
		this.#stores = stores;
	}

	/** With those in which the ledger says that something is stored: those spans may be deleted, or their shard lost. */
	async listHours(): Promise<readonly HourOfProject[]> {
		const { shards, db } = this.#stores;
		const stored = await shards.select("select distinct project_id, hour from hours", {
			project_id: types.Integer,
			hour: types.Integer,
		});
		const { rows: known } = await sql<{ project_id: number; hour: number }>`${HOURS_OF_LEDGER}`.execute(db.read);
		const hours = new Map(
			[...stored, ...known].map(
				({ project_id: projectId, hour }) => [`${projectId} ${hour}`, { projectId, hour }] as const,
			),
		);
		return [...hours.values()].toSorted((a, b) => b.hour - a.hour || a.projectId - b.projectId);
	}

	/** Nobody else has a turn meanwhile, unless there is nothing to correct. */
	async recount(projectId: number, quarter: number): Promise<void> {
		if (await isSpendRight(this.#stores, projectId, [quarter])) return;
		const { turns } = this.#stores;
		await turns.takeAlone(() => recountQuarters(this.#stores, projectId, [quarter]));
	}
}
