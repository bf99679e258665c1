import { DatabaseSync } from "node:sqlite";
import { storableText } from "#storage/postgres/storable-text.ts";
import { migrate } from "#storage/sqlite/migrations.ts";
import { listRows } from "#storage/sqlite/rows.ts";

/** What a column holds, in either database. */
export type Value = string | number | Uint8Array | null;

/** A row as both databases are compared: the columns of SQLite, plus those of `EXTRA`. */
export type Row = Readonly<Record<string, Value>>;

export interface CopiedTable {
	readonly name: string;
	readonly columns: readonly string[];
	/** The primary key, the same in both databases except for `hours`, whose slots are added up. */
	readonly key: readonly string[];
	/** Its row numbers are never used again. */
	readonly isNumbered: boolean;
	/** Rows that are read at a time, at most. */
	readonly step: number;
	/**
	 * Present on tables of traces in the form in which they go to ClickHouse and come from there
	 * (`portable/tables.ts`): the same table as SQLite and PostgreSQL store it.
	 */
	readonly stored?: CopiedTable;
}

/** Fewer for tables whose rows may be long. */
const STEP_ROWS = 1_000;
const STEP_LONG_ROWS = 100;
const LONG: ReadonlySet<string> = new Set([
	...["blocks", "log_records", "dataset_example_revisions", "experiment_runs", "experiment_evaluations"],
	"experiment_run_reviews",
	...["prompt_versions", "idempotency_keys", "annotations", "waiting_annotations", "sign_in_tries", "model_prices"],
	"dashboards",
]);

/** Tables that are derived from others, or that describe one of the databases itself. */
const DERIVED = /^(sqlite_|block_(text|merging)|span_(lookup|zones))|^(schema_version|row_numbers)$/;

/** Columns that only one of the databases has, or that say where a row is stored there. */
const EXTRA: Readonly<Record<string, readonly string[]>> = {
	spans: ["trace_id"],
	blocks: ["first_start", "last_start"],
};

/** Every table that is copied; a table comes after those that it refers to. */
export function copiedTables(): readonly CopiedTable[] {
	const db = new DatabaseSync(":memory:");
	try {
		migrate(db);
		const all = db.prepare("select name, sql from sqlite_schema where type = 'table'");
		const made = listRows<{ name: string; sql: string }>(all).filter(({ name }) => !DERIVED.test(name));
		const tables = made.map(({ name, sql }) => describe(db, name, sql));
		return inOrder(tables, new Map(made.map(({ name }) => [name, referencesOf(db, name)])));
	} finally {
		db.close();
	}
}

function describe(db: DatabaseSync, name: string, sql: string): CopiedTable {
	const info = db.prepare("select name, pk from pragma_table_info(?)");
	const columns = listRows<{ name: string; pk: number }>(info, name);
	const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
	return {
		name,
		columns: [...columns.map((column) => column.name), ...(EXTRA[name] ?? [])],
		key: key.map((column) => column.name),
		isNumbered: /autoincrement/i.test(sql),
		step: LONG.has(name) ? STEP_LONG_ROWS : STEP_ROWS,
	};
}

function referencesOf(db: DatabaseSync, name: string): readonly string[] {
	const keys = db.prepare('select distinct "table" as target from pragma_foreign_key_list(?)');
	const rows = listRows<{ target: string }>(keys, name);
	return rows.map(({ target }) => target).filter((target) => target !== name);
}

function inOrder(tables: readonly CopiedTable[], references: ReadonlyMap<string, readonly string[]>): CopiedTable[] {
	const ordered: CopiedTable[] = [];
	const left = new Set(tables);
	while (left.size > 0) {
		const waiting = new Set([...left].map(({ name }) => name));
		const free = [...left].filter(({ name }) => !references.get(name)?.some((target) => waiting.has(target)));
		if (free.length === 0) throw new Error("tables refer to each other in a circle");
		for (const table of free) left.delete(table);
		ordered.push(...free);
	}
	return ordered;
}

/** PostgreSQL cannot store NUL in a text. */
export function withoutNul(row: Row): Row {
	let cleaned: Record<string, Value> | undefined;
	for (const column of Object.keys(row)) {
		const value = row[column];
		if (typeof value !== "string" || !value.includes("\0")) continue;
		cleaned ??= { ...row };
		cleaned[column] = storableText(value);
	}
	return cleaned ?? row;
}
