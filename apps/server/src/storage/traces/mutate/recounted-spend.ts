import { sql } from "kysely";
import type { Database } from "#storage/database.ts";
import type { HourOfProject, SpendLedger } from "#storage/spend-ledger.ts";
import { HOURS_OF_LEDGER } from "./hours-of-ledger.ts";
import type { Recounts } from "./recounting-repairs.ts";

/** The ledger of a store that has it beside its spans. */
export class RecountedSpend implements SpendLedger {
	readonly #db: Database;
	readonly #recounts: Pick<Recounts, "recountSpend">;

	constructor(db: Database, recounts: Pick<Recounts, "recountSpend">) {
		this.#db = db;
		this.#recounts = recounts;
	}

	/** With those whose spans are all gone: what was taken for them from the ledger may not have been counted before. */
	async listHours(): Promise<readonly HourOfProject[]> {
		const { rows } = await sql<{ project_id: number; hour: number }>`
			select project_id, hour from hours union ${HOURS_OF_LEDGER} order by hour desc, project_id`.execute(
			this.#db.read,
		);
		return rows.map(({ project_id: projectId, hour }) => ({ projectId, hour }));
	}

	async recount(projectId: number, quarter: number): Promise<void> {
		await this.#recounts.recountSpend(projectId, quarter, false);
	}
}
