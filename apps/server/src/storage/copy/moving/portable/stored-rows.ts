import { compress, packBlocks } from "#storage/traces/content/block.ts";
import type { CopyState } from "../side.ts";
import type { CopiedTable, Row } from "../tables.ts";
import { contentOfRow } from "./rows.ts";

/** Rows for one table, as SQLite and PostgreSQL store it. */
export interface StoredRows {
	readonly table: Pick<CopiedTable, "name" | "columns">;
	readonly rows: readonly Row[];
}

const BLOCKS: StoredRows["table"] = {
	name: "blocks",
	columns: ["id", "first_span", "last_span", "data", "first_start", "last_start"],
};
/** Spans whose content cannot be read refer to this block, which does not exist. */
const NO_BLOCK = 0;

/** Where the content of stored spans is; those that have none are left out. */
export function placesOf(
	spans: readonly Row[],
): { readonly id: number; readonly block_id: number; readonly start_micros: number }[] {
	const places = spans.map((row) => ({
		id: Number(row["id"]),
		block_id: Number(row["block_id"]),
		start_micros: Number(row["start_micros"]),
	}));
	return places.filter(({ block_id }) => block_id !== NO_BLOCK);
}

/**
 * Rows as SQLite and PostgreSQL store them, for one transaction; content goes into new blocks.
 * @param blockOf the contents of a block have the same
 */
export function toStoredRows(
	table: CopiedTable,
	rows: readonly Row[],
	state: CopyState,
	blockOf: (startMicros: number) => number,
): { readonly stored: readonly StoredRows[]; readonly state: CopyState } {
	const { stored } = table;
	if (stored === undefined) return { stored: [{ table, rows }], state };
	if (table.name === "spans") return packSpans(stored, rows, state, blockOf);
	const packed = rows.map((row) => {
		const own = withColumns(stored, row);
		return table.name === "log_records" ? { ...own, data: compress(row["data"] as Uint8Array) } : own;
	});
	return { stored: [{ table: stored, rows: packed }], state };
}

function withColumns({ columns }: CopiedTable, row: Row): Row {
	return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

function packSpans(
	table: CopiedTable,
	rows: readonly Row[],
	state: CopyState,
	blockOf: (startMicros: number) => number,
): ReturnType<typeof toStoredRows> {
	const contents = rows.flatMap((row) => {
		const content = contentOfRow(row);
		return content === undefined ? [] : [{ ...content, row }];
	});
	const places = new Map<Row, Row>();
	const blocks: Row[] = [];
	let { lastBlock } = state;
	for (const [part, members] of Map.groupBy(contents, ({ row }) => blockOf(Number(row["start_micros"]))))
		for (const { spans, data } of packBlocks(members, { first: ({ row }) => row["parent_span_id"] === null })) {
			lastBlock += 1;
			for (const [ordinal, { row }] of spans.entries()) places.set(row, { block_id: lastBlock, ordinal });
			const ids = spans.map(({ row }) => Number(row["id"]));
			const bounds = { first_span: Math.min(...ids), last_span: Math.max(...ids) };
			blocks.push({ id: lastBlock, ...bounds, data, first_start: part, last_start: part });
		}
	const nowhere: Row = { block_id: NO_BLOCK, ordinal: 0 };
	const spans = rows.map((row) => withColumns(table, { ...row, ...(places.get(row) ?? nowhere) }));
	return {
		stored: [
			{ table, rows: spans },
			{ table: BLOCKS, rows: blocks },
		],
		state: { ...state, lastBlock },
	};
}
