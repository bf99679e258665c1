import type { CopiedTable, Row, Value } from "./tables.ts";

/** The last numbers in use, so that none is used again. */
export interface LastNumbers {
	readonly traces: number;
	readonly spans: number;
	readonly blocks: number;
	/** For each table with a number sequence of its own; tables that never had a row are missing. */
	readonly tables: ReadonlyMap<string, number>;
}

/** Counts and SHA-256 of rows. */
export interface Checksum {
	readonly rows: number;
	/** Hex. */
	readonly sha256: string;
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
	/** Of the installation that the target becomes; present where its traces go to ClickHouse. */
	readonly installationId?: string;
	/** How often a last round was begun; present where servers ran during the first one. */
	readonly lastRounds?: number;
}

/** Rows that follow each other in the order of their keys. */
export interface Page {
	readonly rows: readonly Row[];
	/** The key up to which the table was read; null at its end. */
	readonly next: readonly Value[] | null;
}

/** One of the two databases. Rows are read in the order of their keys. */
export interface Side extends AsyncDisposable {
	readonly tracesInClickHouse: boolean;
	/** The next rows after the key `after`. */
	read(table: CopiedTable, after: readonly Value[] | null): Promise<Page>;
	count(table: CopiedTable): Promise<number>;
	lastNumbers(tables: readonly CopiedTable[]): Promise<LastNumbers>;
}

export interface Source extends Side {
	/** Stays the same for the lifetime of the installation. */
	readonly identity: string;
	/** Whether all reads see the same moment. */
	readonly seesOneMoment: boolean;
	/** What the traces in ClickHouse have as well; undefined where traces are with everything else. */
	installationId(): Promise<string | undefined>;
	/** Whether a large trace is being deleted, of which some spans are left. */
	isDeleting(): Promise<boolean>;
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
	/** Whether texts in the table may have NUL. */
	storesNul(table: CopiedTable): boolean;
	/** Prepares for spans of these months, before the first `write`; may be called again. */
	prepare(months: readonly number[], state: CopyState): Promise<void>;
	/** Saves the state of the copy. */
	save(state: CopyState): Promise<void>;
	/** Adds rows and saves the state of the copy, atomically. @returns the state saved */
	write(table: CopiedTable, rows: readonly Row[], state: CopyState, source: Source): Promise<CopyState>;
	/** Removes rows that were read of the target, in a last round. */
	remove(table: CopiedTable, rows: readonly Row[], state: CopyState): Promise<void>;
	/** Removes all rows of a table, in a last round. */
	clear(table: CopiedTable, state: CopyState): Promise<void>;
	/**
	 * Completes the target, so that servers can start on it.
	 * @param pausesJobs whether experiment jobs that have not ended are paused
	 * @returns how many are
	 */
	finish(numbers: LastNumbers, state: CopyState, pausesJobs: boolean): Promise<number>;
}

/** Rows that a statement limited to `step` has found. */
export function pageOf(table: CopiedTable, rows: readonly Row[]): Page {
	const last = rows.at(-1);
	return { rows, next: last === undefined || rows.length < table.step ? null : keyOf(table, last) };
}

function keyOf(table: CopiedTable, row: Row): readonly Value[] {
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

/** All rows of a table, as they are read; the next ones are read while these are dealt with. */
export async function* pagesOf(side: Side, table: CopiedTable): AsyncGenerator<readonly Row[]> {
	for (let reading: Promise<Page> | undefined = side.read(table, null); reading !== undefined; ) {
		const page: Page = await reading;
		reading = page.next === null ? undefined : side.read(table, page.next);
		// Whoever takes no further rows does not hear that they could not be read.
		reading?.catch(() => undefined);
		yield page.rows;
	}
}

/** Whether rows are written that may have changed while they were read, so that some do not fit those already there. */
export function isFirstOfTwo({ lastRounds }: CopyState): boolean {
	return lastRounds === 0;
}

/** The copy cannot be made; the message is a sentence for the operator, without its full stop. */
export class CopyRefused extends Error {
	override readonly name = "CopyRefused";
}
