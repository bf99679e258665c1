import type { ClientBase } from "pg";
import { present } from "#base/present.ts";

export type Value = number | string | Uint8Array | null;

/** Rows per statement. Each size is a prepared statement, and a batch of any size needs only few of them. */
const SIZES = [256, 64, 16, 4, 1] as const;

/** The fixed parts of an insert into a table. */
export interface Insert {
	/** Name of the prepared statement, unique. */
	readonly name: string;
	readonly table: string;
	readonly columns: readonly string[];
	/** SQL after the values. */
	readonly suffix?: string;
}

/** Inserts rows in order. @returns what the suffix returns, and the number of rows inserted or changed */
export async function insertRows(
	client: ClientBase,
	{ name, table, columns, suffix = "" }: Insert,
	rows: readonly (readonly Value[])[],
): Promise<{ count: number; rows: Record<string, unknown>[] }> {
	const returned: Record<string, unknown>[] = [];
	let count = 0;
	for (let at = 0; at < rows.length; ) {
		const size = SIZES.find((candidate) => candidate <= rows.length - at) ?? 1;
		const result = await client.query({
			name: `${name} ${size}`,
			text: `insert into ${table} (${columns.join(", ")}) values ${places(size, columns.length)} ${suffix}`,
			values: rows.slice(at, at + size).flat(),
		});
		count += present(result.rowCount, "the count of inserted rows");
		returned.push(...result.rows);
		at += size;
	}
	return { count, rows: returned };
}

/** As {@link Insert}, with the types of the columns. */
export interface ArrayInsert extends Omit<Insert, "columns"> {
	readonly columns: readonly (readonly [name: string, type: string])[];
}

/** As `insertRows`, for narrow rows: one statement for any number of them, with an array for each column. */
export async function insertArrays(
	client: ClientBase,
	{ name, table, columns, suffix = "" }: ArrayInsert,
	rows: readonly (readonly Value[])[],
): Promise<{ count: number; rows: Record<string, unknown>[] }> {
	if (rows.length === 0) return { count: 0, rows: [] };
	const result = await client.query<Record<string, unknown>>({
		name,
		text: `insert into ${table} (${columns.map(([column]) => column).join(", ")})
			select * from unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ")}) ${suffix}`,
		values: columns.map((_, column) => rows.map((row) => row[column])),
	});
	return { count: present(result.rowCount, "the count of inserted rows"), rows: result.rows };
}

const PLACES = new Map<string, string>();

function places(rows: number, columns: number): string {
	const key = `${rows} ${columns}`;
	let text = PLACES.get(key);
	if (text === undefined) {
		const row = (index: number) => Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`);
		text = Array.from({ length: rows }, (_, index) => `(${row(index).join(", ")})`).join(", ");
		PLACES.set(key, text);
	}
	return text;
}
