import type { DatabaseSync } from "node:sqlite";
import { eachRow, listRows } from "#storage/sqlite/rows.ts";
import { hasTracesInClickHouse } from "../clickhouse/metadata/sqlite-schema.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { toHex } from "../totals/span-node.ts";
import { rebuildTrace } from "./mutate/rebuild-traces.ts";
import { readSpendState } from "./mutate/recount-spend.ts";
import { WriteTransaction } from "./write/write-transaction.ts";

const STEP_TRACES = 500;

/** The tables that are compared, with all columns except the key. */
const COMPARED = ["traces", "sessions", "spans"] as const;

/**
 * Recomputes every total from the spans, with the code that writes them, and compares. Changes nothing, so the file may
 * be open for reading only: temporary views with the names of the tables record what would be written; hours are summed
 * in a temporary table.
 * @yields a sentence for each total that differs
 */
export function* recount(db: DatabaseSync): Generator<string> {
	for (const table of COMPARED) shadow(db, table);
	db.exec(`
		create temp table wrong (target text, row text);
		create temp table hours as select * from main.hours limit 0;
		create unique index temp.hours_key on hours (project_id, hour, kind, model);
		create temp table spend as select * from main.spend limit 0;
		create unique index temp.spend_key on spend (project_id, quarter, user_hash, api_key_id, slot);
		create temp table row_numbers as select * from main.row_numbers;
	`);
	const transaction = new WriteTransaction(db, readStoredTexts);
	const step = db.prepare(
		`select id from main.traces where id > ? and project_id > 0 order by id limit ${STEP_TRACES}`,
	);
	const found = db.prepare("select target, row from temp.wrong");
	const forget = db.prepare("delete from temp.wrong");
	const findings = function* () {
		for (const { target, row } of listRows<{ target: string; row: string }>(found)) yield differs(target, row);
		forget.run();
	};
	for (let after = 0; ; ) {
		const ids = listRows<{ id: number }>(step, after).map(({ id }) => id);
		const unreadable: string[] = [];
		transaction.within(() => {
			for (const id of ids) {
				const row = transaction.traces.traceById(id);
				// It has no spans, which is reported elsewhere.
				if (row === undefined || transaction.traces.nodesOfTrace(id).length === 0) continue;
				const root = { kind: row.root_kind, model: row.root_model };
				transaction.hours.addTrace(row.project_id, row.start_micros, root, 1);
				try {
					rebuildTrace(transaction, row, "keep");
				} catch (error) {
					if (!(error instanceof Error)) throw error;
					unreadable.push(`the totals of trace row ${id} cannot be computed: ${error.message}`);
				}
			}
			// The traces of a session may be in several steps; sessions are computed below.
			transaction.sessions.clear();
		});
		yield* unreadable;
		yield* findings();
		after = ids.at(-1) ?? Number.POSITIVE_INFINITY;
		if (ids.length < STEP_TRACES) break;
	}
	const sessions = db.prepare(
		"select id from main.sessions where exists (select 1 from main.traces where session_row_id = sessions.id)",
	);
	for (const { id } of eachRow<{ id: number }>(sessions)) {
		transaction.within(() => transaction.sessions.shrink(id, "keep"));
		yield* findings();
	}
	const hours = columnsOf(db, "hours");
	const hoursOf = (schema: string) =>
		`select ${hours.map((column) => `${comparedAs("hours")(column)} as ${column}`)} from ${schema}.hours`;
	for (const [one, other] of [
		["temp", "main"],
		["main", "temp"],
	] as const)
		for (const row of eachRow(db.prepare(`${hoursOf(one)} except ${hoursOf(other)}`)))
			yield differs(
				"hours",
				JSON.stringify(row, (_key, value) => (value instanceof Uint8Array ? toHex(value) : value)),
			);
	yield* wrongSpend(db);
}

/** Compares what the ledger has to have with what it has: slots are added up, and rows of nothing count as absent. */
function* wrongSpend(db: DatabaseSync): Generator<string> {
	const { isFilling, keptFrom } = readSpendState(db);
	// With spans elsewhere the ledger is checked with them.
	if (isFilling || hasTracesInClickHouse(db)) return;
	const sums = ["tokens", "cost_micro", "cost_pico"];
	const spentOf = (schema: string) =>
		`select project_id, quarter, user_id, api_key_id, ${sums.map((sum) => `${comparedAs("spend")(sum)} as ${sum}`)} from (
			select project_id, quarter, user_id, api_key_id, ${sums.map((sum) => `sum(${sum}) as ${sum}`)} from ${schema}.spend
			where quarter >= ? group by project_id, quarter, user_id, api_key_id
		) as spend where tokens <> 0 or cost_micro <> 0 or cost_pico <> 0`;
	const first = Math.max(keptFrom, Number.MIN_SAFE_INTEGER);
	for (const [one, other] of [
		["temp", "main"],
		["main", "temp"],
	] as const)
		for (const row of eachRow(db.prepare(`${spentOf(one)} except ${spentOf(other)}`), first, first))
			yield differs("spend", JSON.stringify(row));
}

function differs(table: string, row: string): string {
	return `${table} has other totals than its spans give: ${row}`;
}

function columnsOf(db: DatabaseSync, table: string): string[] {
	const rows = listRows<{ name: string }>(db.prepare(`select name from pragma_table_info('${table}', 'main')`));
	return rows.map(({ name }) => name);
}

/**
 * SQL to compare a column. The two columns of a cost are normalized to microdollars and less than a microdollar, since
 * equal costs may be split differently; inexact ones become 'too much'.
 */
function comparedAs(row: string): (column: string) => string {
	const pico = `cast(${row}.cost_pico as integer)`;
	const rest = `(${pico} % 1000000 + 1000000) % 1000000`;
	return (column) => {
		if (column === "cost_micro")
			return `case when abs(${row}.cost_micro) < 9007199254740992
				then cast(${row}.cost_micro as integer) + (${pico} - ${rest}) / 1000000 else 'too much' end`;
		return column === "cost_pico" ? rest : `${row}.${column}`;
	};
}

/** A view in place of `table`; updates of it compare instead of writing. */
function shadow(db: DatabaseSync, table: (typeof COMPARED)[number]): void {
	const columns = columnsOf(db, table);
	const of = (row: "new" | "old") => columns.map(comparedAs(row)).join(", ");
	db.exec(`
		create temp view ${table} as select * from main.${table};
		create temp trigger ${table}_update instead of update on ${table} when (${of("new")}) is not (${of("old")}) begin
			insert into wrong (target, row) values ('${table}', json_object(${columns
				.map(
					(column) =>
						`'${column}', case typeof(new.${column}) when 'blob' then hex(new.${column}) else new.${column} end`,
				)
				.join(", ")}));
		end;
		create temp trigger ${table}_insert instead of insert on ${table} begin
			insert into wrong (target, row) values ('${table}', 'a row is missing');
		end;
		create temp trigger ${table}_delete instead of delete on ${table} begin
			insert into wrong (target, row) values ('${table}', 'row ' || old.id || ' is too many');
		end;
	`);
}
