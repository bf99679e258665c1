import type { ClientBase } from "pg";
import { storableText } from "#storage/postgres/storable-text.ts";
import {
	SPEND_COLUMNS,
	SPEND_KEY,
	SPEND_SUMS,
	type SpendChanges,
	spendValues,
} from "#storage/traces/totals/spend-changes.ts";

const TYPES: Readonly<Record<(typeof SPEND_COLUMNS)[number], string>> = {
	project_id: "bigint",
	quarter: "bigint",
	user_hash: "bytea",
	api_key_id: "bigint",
	slot: "bigint",
	user_id: "text",
	tokens: "bigint",
	cost_micro: "double precision",
	cost_pico: "double precision",
	gone_tokens: "bigint",
	gone_micro: "double precision",
	gone_pico: "double precision",
};

const ADD = `insert into spend (${SPEND_COLUMNS.join(", ")})
	select * from unnest(${SPEND_COLUMNS.map((column, index) => `$${index + 1}::${TYPES[column]}[]`).join(", ")})
	on conflict (${SPEND_KEY.join(", ")}) do update
		set ${SPEND_SUMS.map((column) => `${column} = spend.${column} + excluded.${column}`).join(", ")}`;

/** Adds to the rows of `spend` in one slot, in the order of their keys, as others may add to them, too. */
export async function addSpend(client: ClientBase, changes: SpendChanges, slot: number): Promise<void> {
	// A statement cannot change a row twice.
	const stored = changes.storedAs(storableText);
	const rows = stored.list().map((change) => spendValues(change, slot, stored.isKept));
	if (rows.length === 0) return;
	rows.sort((a, b) => a[0] - b[0] || a[1] - b[1] || Buffer.compare(a[2], b[2]) || a[3] - b[3]);
	await client.query({
		name: "add spend",
		text: ADD,
		values: SPEND_COLUMNS.map((_, column) => rows.map((row) => row[column])),
	});
}
