import type { CopiedTable, Row, Value } from "./tables.ts";

/** The last numbers in use, so that none is used again. */
export interface LastNumbers {
	readonly traces: number;
	readonly spans: number;
	readonly blocks: number;
	/** For each table with a number sequence of its own; tables that never had a row are missing. */
	readonly tables: ReadonlyMap<string, number>;
}

/** How far a copy has come. Kept in the target, and updated in the transaction that adds the rows. */
export interface CopyState {
	/** Identity of the source, so that an interrupted copy resumes only from the same database. */
	readonly source: string;
	/** Tables that are complete. */
	readonly done: readonly string[];
	/** Key of the last row copied of the table that is incomplete; bytes as `{"hex": …}`. */
	readonly after: readonly Value[] | null;
	/** Blocks of the source that were repacked because their spans are of several months. */
	readonly repacked: readonly number[];
	/** Number of the last block, and (`newBlocks`) how many blocks the target has beyond those of the source. */
	readonly lastBlock: number;
	readonly newBlocks: number;
}

/** One of the two databases. Rows are read in the order of their keys, and all reads see the same moment. */
export interface Side extends AsyncDisposable {
	/** At most `limit` rows after the key `after`, in key order; fewer only at the end of the table. */
	read(table: CopiedTable, after: readonly Value[] | null, limit: number): Promise<readonly Row[]>;
	count(table: CopiedTable): Promise<number>;
	lastNumbers(tables: readonly CopiedTable[]): Promise<LastNumbers>;
}

export interface Source extends Side {
	/** Stays the same for the lifetime of the installation. */
	readonly identity: string;
	/** Spans whose content is in this block. */
	spansOfBlock(
		block: Row,
	): Promise<readonly { readonly id: number; readonly ordinal: number; readonly start: number }[]>;
	/** For each month in which a span began, any time in it, in microseconds. */
	months(): Promise<readonly number[]>;
}

export interface Target extends Side {
	/** Undefined before the first `write`. */
	readonly state: CopyState | undefined;
	/** Prepares for spans of these months; may be called again. */
	prepare(months: readonly number[]): Promise<void>;
	/** Adds rows and saves the state of the copy, atomically. @returns the state saved */
	write(table: CopiedTable, rows: readonly Row[], state: CopyState, source: Source): Promise<CopyState>;
	/** Completes the target, so that servers can start on it. */
	finish(numbers: LastNumbers, state: CopyState): Promise<void>;
}

export function keyOf(table: CopiedTable, row: Row): readonly Value[] {
	return table.key.map((column) => row[column] ?? null);
}

export function encodeState(state: CopyState): string {
	const after = state.after?.map((value) =>
		value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value,
	);
	return JSON.stringify({ ...state, after: after ?? null });
}

export function decodeState(text: string): CopyState {
	const state = JSON.parse(text) as Omit<CopyState, "after"> & {
		readonly after: readonly (string | number | null | { readonly hex: string })[] | null;
	};
	const after = state.after?.map((value) =>
		typeof value === "object" && value !== null ? Buffer.from(value.hex, "hex") : value,
	);
	return { ...state, after: after ?? null };
}

/** The copy cannot be made; the message is a sentence for the operator, without its full stop. */
export class CopyRefused extends Error {
	override readonly name = "CopyRefused";
}
