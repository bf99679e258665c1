import { SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import type { CopiedTable, Row, Value } from "./tables.ts";

/** Numbers that were handed out last, so that none is handed out again. */
export interface LastNumbers {
	readonly traces: number;
	readonly spans: number;
	readonly blocks: number;
	/** Of tables that count for themselves; a table that never had a row is not there. */
	readonly tables: ReadonlyMap<string, number>;
}

/** How far a copy is, kept in the target and changed with what it says. */
export interface CopyState {
	/** Of the source, so that a copy goes on from the database it began with. */
	readonly source: string;
	/** Tables that are whole. */
	readonly done: readonly string[];
	/** The key of the last row of the table that is not; bytes as `{"hex": …}`. */
	readonly after: readonly Value[] | null;
	/** Blocks of the source that were packed anew, because their spans are of several months. */
	readonly repacked: readonly number[];
	/** The number of the last block, and how many there are that the source has not. */
	readonly lastBlock: number;
	readonly newBlocks: number;
}

/** One of the two databases, read in the order of keys. All reads see one moment. */
export interface Side extends AsyncDisposable {
	/** The rows after a key, in its order. Fewer than `limit` only at the end. */
	read(table: CopiedTable, after: readonly Value[] | null, limit: number): Promise<readonly Row[]>;
	count(table: CopiedTable): Promise<number>;
	lastNumbers(tables: readonly CopiedTable[]): Promise<LastNumbers>;
}

export interface Source extends Side {
	/** The same for as long as the installation lives. */
	readonly identity: string;
	/** Spans whose content is in a block. */
	spansOfBlock(
		block: Row,
	): Promise<readonly { readonly id: number; readonly ordinal: number; readonly start: number }[]>;
	/** Any microsecond of each month that a span began in. */
	months(): Promise<readonly number[]>;
}

export interface Target extends Side {
	/** Undefined before the first `write`. */
	readonly state: CopyState | undefined;
	/** Prepares for what is to come; may be called again. */
	prepare(months: readonly number[]): Promise<void>;
	/** Adds rows and notes how far the copy is, both or nothing. @returns what was noted */
	write(table: CopiedTable, rows: readonly Row[], state: CopyState, source: Source): Promise<CopyState>;
	/** Makes it a database that servers start on. */
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

/** A sentence without its end, for who asked. */
export class CopyRefused extends Error {
	override readonly name = "CopyRefused";
}

/** Why a source is refused whose schema version is not this one. @param has `<what> has version`, of a sentence */
export function otherVersion(has: string, version: number): string {
	return `${has} ${version} and this Spanward copies version ${SCHEMA_VERSION}: ${
		version > SCHEMA_VERSION
			? "use the newer Spanward that wrote it"
			: "start the server once, which upgrades it, or use the Spanward that wrote it"
	}`;
}
