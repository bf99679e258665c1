import { existsSync } from "node:fs";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { present } from "#base/present.ts";
import { connectionConfig, makeClient, UNLIMITED } from "#storage/postgres/connection.ts";

export type SourceRow = Readonly<Record<string, string | number | boolean | Uint8Array | null>>;

/** A consistent snapshot of a Phoenix database, which is only read. */
export interface PhoenixSource extends AsyncDisposable {
	/** Columns by table. */
	readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
	/** @param sql with `?` for each parameter; JSON and times come as texts */
	query(sql: string, parameters?: readonly (string | number)[]): Promise<readonly SourceRow[]>;
}

/** @throws Error when the file is not a Phoenix database */
export function openSqliteSource(path: string): PhoenixSource {
	if (!existsSync(path)) throw new Error(`there is no file ${path}`);
	const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
	try {
		db.exec("pragma trusted_schema = off; begin");
		const view = db.prepare("select name from sqlite_schema where type = 'view' limit 1").get();
		// Reading a hostile view may never end.
		if (view !== undefined) throw new Error(`it has the view ${String(view["name"])}, and Phoenix has none`);
		const rows = db
			.prepare(
				`select tables.name as "table", columns.name as "column"
				from sqlite_schema as tables, pragma_table_info(tables.name) as columns where tables.type = 'table'`,
			)
			.all();
		return {
			columns: toColumns(rows),
			async query(sql, parameters = []) {
				const statement = db.prepare(sql);
				// As numbers, integers beyond 2^53 would throw.
				statement.setReadBigInts(true);
				return statement.all(...parameters).map(toSourceRow);
			},
			async [Symbol.asyncDispose]() {
				db.close();
			},
		};
	} catch (error) {
		db.close();
		throw error;
	}
}

function toSourceRow(row: Readonly<Record<string, SQLOutputValue>>): SourceRow {
	const values = Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]);
	return Object.fromEntries(values);
}

/** https://www.postgresql.org/docs/current/catalog-pg-type.html: json, jsonb, timestamp, timestamptz; int8, numeric. */
const AS_TEXT: ReadonlySet<number> = new Set([114, 3_802, 1_114, 1_184]);
const AS_NUMBER: ReadonlySet<number> = new Set([20, 1_700]);

export async function openPostgresSource(settings: PostgresSettings): Promise<PhoenixSource> {
	const types: pg.CustomTypesConfig = {
		getTypeParser: (oid, format) => {
			if (AS_TEXT.has(oid)) return String;
			return AS_NUMBER.has(oid) ? Number : pg.types.getTypeParser(oid as never, format as never);
		},
	};
	const client = makeClient({
		...connectionConfig(settings, settings.primary, { name: "import", ...UNLIMITED }),
		types,
	});
	await client.connect();
	try {
		await client.query("set timezone = 'UTC'");
		await client.query("begin isolation level repeatable read read only");
		const { rows } = await client.query(
			`select table_name as "table", column_name as "column" from information_schema.columns where table_schema = $1`,
			[settings.schema],
		);
		return {
			columns: toColumns(rows),
			async query(sql, parameters = []) {
				let position = 0;
				const numbered = sql.replaceAll("?", () => `$${++position}`);
				return (await client.query(numbered, [...parameters])).rows;
			},
			[Symbol.asyncDispose]: () => client.end(),
		};
	} catch (error) {
		await client.end();
		throw error;
	}
}

function toColumns(rows: readonly Record<string, unknown>[]): Map<string, ReadonlySet<string>> {
	const columns = new Map<string, Set<string>>();
	for (const { table, column } of rows) {
		const known = columns.get(String(table)) ?? new Set();
		columns.set(String(table), known.add(String(column)));
	}
	if (!columns.has("spans") || !columns.has("projects") || !columns.has("alembic_version"))
		throw new Error("it is not a Phoenix database: the tables projects, spans and alembic_version are missing");
	return columns;
}

const STEP_ROWS = 500;
/** Rows of the first step; later steps have as many rows as make up about `STEP_LENGTH` of text. */
const FIRST_ROWS = 16;
const STEP_LENGTH = 8 * 1_048_576;

/**
 * All rows of a table, ordered by id, in steps that have fewer rows where these are long. Missing columns are null.
 */
export async function* readTable(
	source: PhoenixSource,
	table: string,
	columns: readonly string[],
	options: {
		readonly joins?: string;
		readonly more?: string;
		readonly where?: string;
		readonly parameters?: readonly number[];
		readonly step?: number;
	} = {},
): AsyncGenerator<readonly SourceRow[]> {
	const { joins = "", more = "", where = "true", parameters = [], step = STEP_ROWS } = options;
	const present = source.columns.get(table);
	if (present === undefined) return;
	const selected = columns.map((name) => (present.has(name) ? `${table}.${name}` : `null as ${name}`)).join(", ");
	let limit = Math.min(step, FIRST_ROWS);
	for (let after = -1; ; ) {
		const rows = await source.query(
			`select ${table}.id, ${selected}${more === "" ? "" : `, ${more}`} from ${table} ${joins}
			where ${table}.id > ? and ${where} order by ${table}.id limit ${limit}`,
			[after, ...parameters],
		);
		if (rows.length > 0) yield rows;
		if (rows.length < limit) return;
		const last = Number(rows.at(-1)?.["id"]);
		if (!(last > after)) throw new Error(`the table ${table} has ids that are not numbers`);
		after = last;
		const length = rows.reduce((sum, row) => sum + lengthOf(row), 0);
		limit = Math.max(1, Math.min(step, limit * 4, Math.floor((STEP_LENGTH / (length + 1)) * rows.length)));
	}
}

function lengthOf(row: SourceRow): number {
	return Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
}

export async function countRows(source: PhoenixSource, table: string, where = "true"): Promise<number> {
	if (!source.columns.has(table)) return 0;
	const [row] = await source.query(`select count(*) as count from ${table} where ${where}`);
	return Number(present(row, "the count of rows")["count"]);
}
