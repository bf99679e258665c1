import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
	SPEND_COLUMNS,
	SPEND_KEY,
	SPEND_SUMS,
	type SpendChanges,
	spendValues,
} from "#storage/traces/totals/spend-changes.ts";

/** One writer at a time has the file. */
const SLOT = 0;

/** The rows of `spend`. */
export class SpendRows {
	readonly #add: StatementSync;

	constructor(db: DatabaseSync) {
		this.#add = db.prepare(
			`insert into spend (${SPEND_COLUMNS.join(", ")}) values (${SPEND_COLUMNS.map(() => "?").join(", ")})
			on conflict (${SPEND_KEY.join(", ")}) do update
				set ${SPEND_SUMS.map((column) => `${column} = spend.${column} + excluded.${column}`).join(", ")}`,
		);
	}

	add(changes: SpendChanges): void {
		for (const change of changes.list()) this.#add.run(...spendValues(change, SLOT, changes.isKept));
	}
}
