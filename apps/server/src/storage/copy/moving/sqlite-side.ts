import { chmodSync, closeSync, existsSync, lstatSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { present } from "#base/present.ts";
import { COPYING, openForReading, openForWriting } from "#storage/sqlite/connection.ts";
import { migrate, SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { findRow, getRow, hasRow, listRows } from "#storage/sqlite/rows.ts";
import { schemaDifferences } from "#storage/sqlite/schema-differences.ts";
import { INSTALLATION_ID } from "#storage/traces/clickhouse/metadata/common-metadata.ts";
import { createTurnTables, isForClickHouse, leaveTraces } from "#storage/traces/clickhouse/metadata/sqlite-schema.ts";
import { removeFromBlocks } from "#storage/traces/sqlite/mutate/blocks.ts";
import { schemaVersionOf } from "../backup.ts";
import { installationOfFile } from "../installation-of.ts";
import { otherVersion } from "../other-version.ts";
import { PAUSE_JOBS } from "../pause-jobs.ts";
import { syncToDisk } from "../put-in-place.ts";
import { PortableSqliteRows } from "./portable/sqlite-rows.ts";
import { placesOf, type StoredRows, toStoredRows } from "./portable/stored-rows.ts";
import {
	CopyRefused,
	type CopyState,
	decodeState,
	encodeState,
	isFirstOfTwo,
	type LastNumbers,
	type Page,
	pageOf,
	type Side,
	type Source,
	type Target,
} from "./side.ts";
import type { CopiedTable, Row, Value } from "./tables.ts";

const CACHE_MEBIBYTES = 32;

class SqliteSide implements Side {
	readonly tracesInClickHouse = false;
	readonly db: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();
	#portable: PortableSqliteRows | undefined;

	constructor(db: DatabaseSync) {
		this.db = db;
	}

	prepared(sql: string): StatementSync {
		const statement = this.#statements.get(sql) ?? this.db.prepare(sql);
		this.#statements.set(sql, statement);
		return statement;
	}

	async read(table: CopiedTable, after: readonly Value[] | null): Promise<Page> {
		if (table.stored === undefined) return this.#read(table, after);
		this.#portable ??= new PortableSqliteRows(this.db);
		return this.#portable.toPortable(table, this.#read(table.stored, after));
	}

	#read(table: CopiedTable, after: readonly Value[] | null): Page {
		const key = table.key.map((column) => `${table.name}.${column}`).join(", ");
		const where = after === null ? "" : `where (${key}) > (${table.key.map(() => "?").join(", ")})`;
		const sql = `${selectOf(table)} ${where} order by ${key} limit ${table.step}`;
		return pageOf(table, listRows<Row>(this.prepared(sql), ...(after ?? [])));
	}

	async count({ name }: CopiedTable): Promise<number> {
		return getRow<{ count: number }>(this.prepared(`select count(*) as count from ${name}`)).count;
	}

	async lastNumbers(tables: readonly CopiedTable[]): Promise<LastNumbers> {
		const next = this.prepared("select next from row_numbers where name = ?");
		const last = (kind: string) => getRow<{ next: number }>(next, kind).next - 1;
		const sequences = listRows<{ name: string; seq: number }>(this.prepared("select name, seq from sqlite_sequence"));
		const numbered = new Set(tables.filter(({ isNumbered }) => isNumbered).map(({ name }) => name));
		return {
			traces: last("traces"),
			spans: last("spans"),
			blocks: last("blocks"),
			tables: new Map(sequences.filter(({ name }) => numbered.has(name)).map(({ name, seq }) => [name, seq])),
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.db.close();
	}
}

/** With what PostgreSQL needs to place the row. */
function selectOf({ name, columns }: CopiedTable): string {
	const own = columns
		.filter((column) => column !== "trace_id" || name !== "spans")
		.map((column) => `${name}.${column}`);
	if (name === "spans")
		return `select ${own.join(", ")}, traces.trace_id as trace_id from spans left join traces on traces.id = spans.trace_row_id`;
	if (name !== "blocks") return `select ${own.join(", ")} from ${name}`;
	const start = (extreme: string) =>
		`(select ${extreme}(start_micros) from spans where spans.id between first_span and last_span and block_id = blocks.id)`;
	return `select id, first_span, last_span, data, ${start("min")} as first_start, ${start("max")} as last_start from blocks`;
}

/**
 * Opens a database file as the source of a copy. It is read as of one moment, whatever is written meanwhile.
 * @throws CopyRefused when its schema is not what the migrations of this Spanward make
 */
export function openSqliteSource(path: string): Source {
	const db = openForReading(path, CACHE_MEBIBYTES);
	try {
		// Begins before the schema is compared, so that the rows read are those of the schema compared.
		db.exec("begin");
		assertSchema(db, path);
		const applied = db.prepare("select version, applied_at from schema_version order by version");
		return new SqliteSource(db, JSON.stringify(listRows<Row>(applied).map(Object.values)));
	} catch (error) {
		db.close();
		throw error;
	}
}

/** Reading a foreign view or computed column would run SQL that somebody else wrote. */
function assertSchema(db: DatabaseSync, path: string): void {
	const version = versionOf(db, path);
	const [wrong] = version > SCHEMA_VERSION ? [] : schemaDifferences(db, version);
	if (wrong !== undefined) throw new CopyRefused(`${path} has another schema than Spanward makes: ${wrong}`);
	if (version !== SCHEMA_VERSION) throw new CopyRefused(otherVersion(`${path} has schema version`, version, "copies"));
}

function versionOf(db: DatabaseSync, path: string): number {
	try {
		return schemaVersionOf(db);
	} catch (error) {
		throw new CopyRefused(`${path} cannot be copied, ${error instanceof Error ? error.message : String(error)}`);
	}
}

class SqliteSource extends SqliteSide implements Source {
	readonly seesOneMoment = true;
	readonly identity: string;

	constructor(db: DatabaseSync, identity: string) {
		super(db);
		this.identity = identity;
	}

	async installationId(): Promise<string | undefined> {
		return installationOfFile(this.db);
	}

	async isDeleting(): Promise<boolean> {
		return hasRow(this.prepared("select 1 from traces where project_id < 0"));
	}

	async spansOfBlock({ id, first_span, last_span }: Row) {
		return listRows<{ id: number; ordinal: number; start: number }>(
			this.prepared(
				"select id, ordinal, start_micros as start from spans where id between ? and ? and block_id = ? order by ordinal",
			),
			present(first_span, "the first span of a block"),
			present(last_span, "the last span of a block"),
			present(id, "the number of a block"),
		);
	}

	async months(): Promise<readonly number[]> {
		const rows = listRows<{ start: number }>(
			this.prepared(
				"select min(start_micros) as start from spans group by strftime('%Y-%m', start_micros / 1000000, 'unixepoch')",
			),
		);
		return rows.map(({ start }) => start);
	}
}

/**
 * Opens a database file as the target of a copy, named `<path>.copying` until it is complete. The caller has locked the
 * folder.
 * @param tracesElsewhere whether the traces go to ClickHouse
 * @throws CopyRefused when there is a database at `path`
 */
export function openSqliteTarget(path: string, tracesElsewhere = false): Target {
	if (existsSync(path)) throw new CopyRefused(`${path} exists already: give a folder or file that has no database`);
	const copying = path + COPYING;
	assertOwn(copying);
	closeSync(openSync(copying, "a", 0o600));
	const db = openForWriting(copying, CACHE_MEBIBYTES);
	try {
		migrate(db);
		const begun = hasRow(db.prepare("select 1 from sqlite_schema where name = 'copy_state'"));
		if (!begun && tracesElsewhere) {
			createTurnTables(db);
			leaveTraces(db);
		}
		if (!begun)
			db.exec(
				"begin; create table copy_state (state text not null) strict; delete from annotation_configs; delete from sqlite_sequence; commit",
			);
		if (isForClickHouse(db) !== tracesElsewhere)
			throw new CopyRefused(
				`${copying} is an unfinished copy that has its traces elsewhere: give the same --traces-to`,
			);
		db.exec("pragma foreign_keys = off");
		const row = findRow<{ state: string }>(db.prepare("select state from copy_state"));
		return new SqliteTarget(db, path, row === undefined ? undefined : decodeState(row.state));
	} catch (error) {
		db.close();
		throw error;
	}
}

/** In a folder that others can write to, the file may be theirs: a link, or a file that they still have open. */
function assertOwn(copying: string): void {
	const found = lstatSync(copying, { throwIfNoEntry: false });
	if (found === undefined) return;
	if (!found.isFile() || found.nlink !== 1 || found.uid !== (process.getuid?.() ?? found.uid))
		throw new CopyRefused(`${copying} is not an unfinished copy of this user: move it away`);
	chmodSync(copying, 0o600);
}

class SqliteTarget extends SqliteSide implements Target {
	readonly state: CopyState | undefined;
	readonly #path: string;

	constructor(db: DatabaseSync, path: string, state: CopyState | undefined) {
		super(db);
		this.#path = path;
		this.state = state;
	}

	async prepare(): Promise<void> {}

	storesNul(): boolean {
		return true;
	}

	async save(state: CopyState): Promise<void> {
		this.#inTransaction(() => this.#save(state));
	}

	async write(table: CopiedTable, rows: readonly Row[], state: CopyState): Promise<CopyState> {
		const { stored, state: reached } = toStoredRows(table, rows, state, () => 0);
		this.#inTransaction(() => {
			const left = stored.flatMap((part) => this.#insert(part, isFirstOfTwo(state)));
			if (table.name === "spans") removeFromBlocks(this.db, placesOf(left));
			this.#save(reached);
		});
		return reached;
	}

	async remove(table: CopiedTable, rows: readonly Row[]): Promise<void> {
		const drop = this.prepared(
			`delete from ${table.name} where ${table.key.map((column) => `${column} = ?`).join(" and ")}`,
		);
		this.#inTransaction(() => {
			if (table.name === "spans") removeFromBlocks(this.db, placesOf(rows));
			for (const row of rows) drop.run(...table.key.map((column) => row[column] ?? null));
		});
	}

	async clear({ name }: CopiedTable): Promise<void> {
		this.#inTransaction(() => this.db.exec(`delete from ${name}`));
	}

	#inTransaction(work: () => void): void {
		this.db.exec("begin immediate");
		try {
			work();
			this.db.exec("commit");
		} finally {
			if (this.db.isTransaction) this.db.exec("rollback");
		}
	}

	#save(state: CopyState): void {
		this.db.exec("delete from copy_state");
		this.prepared("insert into copy_state (state) values (?)").run(encodeState(state));
	}

	/**
	 * @param leavesOthers whether rows stay away that do not fit those that are there
	 * @returns rows that stayed away
	 */
	#insert({ table, rows }: StoredRows, leavesOthers: boolean): readonly Row[] {
		const columns = table.columns.filter((column) => !isExtra(table, column));
		const marks = columns.map(() => "?").join(", ");
		const insert = this.prepared(
			`insert ${leavesOthers ? "or ignore" : ""} into ${table.name} (${columns.join(", ")}) values (${marks})`,
		);
		return rows.filter((row) => insert.run(...columns.map((column) => row[column] ?? null)).changes === 0);
	}

	async finish(numbers: LastNumbers, { installationId }: CopyState, pausesJobs: boolean): Promise<number> {
		if (hasRow(this.db.prepare("select 1 from pragma_foreign_key_check limit 1")))
			throw new CopyRefused("rows of the source refer to rows that are not there");
		this.db.exec("begin immediate");
		const setNext = this.prepared("update row_numbers set next = ? where name = ?");
		for (const kind of ["traces", "spans", "blocks"] as const) setNext.run(numbers[kind] + 1, kind);
		this.db.exec("insert into block_text_unsigned select min(id), max(id) from blocks having count(*) > 0");
		this.db.exec("delete from sqlite_sequence");
		const setLast = this.prepared("insert into sqlite_sequence (name, seq) values (?, ?)");
		for (const [table, last] of numbers.tables) setLast.run(table, last);
		if (installationId !== undefined)
			this.prepared("insert into clickhouse_facts (name, value) values (?, ?)").run(INSTALLATION_ID, installationId);
		const paused = pausesJobs ? Number(this.prepared(PAUSE_JOBS).run().changes) : 0;
		this.db.exec("drop table copy_state; commit; pragma optimize = 0x10002; pragma wal_checkpoint(truncate)");
		this.db.close();
		const copying = this.#path + COPYING;
		syncToDisk(copying);
		for (const ending of ["-wal", "-shm"]) rmSync(copying + ending, { force: true });
		renameSync(copying, this.#path);
		syncToDisk(dirname(this.#path));
		return paused;
	}

	override async [Symbol.asyncDispose](): Promise<void> {
		if (this.db.isOpen) this.db.close();
	}
}

function isExtra({ name }: StoredRows["table"], column: string): boolean {
	return column === "first_start" || column === "last_start" || (column === "trace_id" && name === "spans");
}
