import { randomUUID } from "node:crypto";
import { compareDatabases } from "./compare-databases.ts";
import { DailyChecksums } from "./portable/daily-checksums.ts";
import { portableTables } from "./portable/tables.ts";
import { type Checksum, CopyRefused, type CopyState, type Source, type Target } from "./side.ts";
import { type CopiedTable, copiedTables, withoutNul } from "./tables.ts";

export interface CopyProgress {
	readonly stage: "copying" | "verifying";
	readonly table: string;
	/** Rows of all tables that this run has copied so far. */
	readonly rows: number;
	/** Rows of all tables. */
	readonly total: number;
}

export interface CopyReport {
	/** Rows by table, those without rows left out. */
	readonly tables: Readonly<Record<string, Checksum>>;
	readonly repackedBlocks: number;
	/** Rows that an interrupted run had copied already. */
	readonly resumed: number;
}

/**
 * Copies every row with its number, then reads the target, and the source where it may have changed, and compares both by
 * counts and checksums; only then can servers start on the target. Resumes an interrupted copy. Holds some hundred rows in
 * memory, and of spans some thousand.
 * @throws CopyRefused when the target was begun from another database, or when both differ in the end
 */
export async function copyDatabase(
	source: Source,
	target: Target,
	onProgress: (progress: CopyProgress) => void = () => undefined,
): Promise<CopyReport> {
	const tables = tablesOf(source, target);
	const numbers = await source.lastNumbers(tables);
	const total = await sumOf(tables, (table) => source.count(table));
	let state = target.state ?? start(source.identity, numbers.blocks, target.tracesInClickHouse);
	if (state.source !== source.identity)
		throw new CopyRefused("the target has an unfinished copy of another database: give an empty one");
	if ((state.installationId !== undefined) !== target.tracesInClickHouse)
		throw new CopyRefused("the target is an unfinished copy that has its traces elsewhere: give the same --traces-to");
	if ((source.tracesInClickHouse || target.tracesInClickHouse) && (await source.isDeleting()))
		throw new CopyRefused(
			"a large trace of the source is being deleted: start its server until that is done, a minute or so, and copy then",
		);
	const resumed = target.state === undefined ? 0 : await sumOf(tables, (table) => target.count(table));
	await target.prepare(await source.months(), state);
	const wasRead = new Map<string, DailyChecksums>();
	let rows = 0;
	for (const table of tables) {
		if (state.done.includes(table.name)) continue;
		const isWhole = source.seesOneMoment && table.stored !== undefined && state.after === null;
		const checksums = isWhole ? new DailyChecksums(table) : undefined;
		state = await copyTable(table, { source, target, state, checksums }, (more) => {
			rows += more;
			onProgress({ stage: "copying", table: table.name, rows: rows + resumed, total });
		});
		if (checksums !== undefined) wasRead.set(table.name, checksums);
	}
	const equal = await compareDatabases({ source, target, state, wasRead }, tables, (table, seen) =>
		onProgress({ stage: "verifying", table, rows: seen, total }),
	);
	await target.finish({ ...numbers, blocks: Math.max(numbers.blocks, state.lastBlock) }, state);
	return { tables: equal, repackedBlocks: state.repacked.length, resumed };
}

interface Copying {
	readonly source: Source;
	readonly target: Target;
	readonly state: CopyState;
	/** Of the rows that are read; absent where the source is read again to be compared. */
	readonly checksums: DailyChecksums | undefined;
}

/** Copies what is left of a table. @returns the state at its end */
async function copyTable(
	table: CopiedTable,
	{ source, target, state: begun, checksums }: Copying,
	onRows: (more: number) => void,
): Promise<CopyState> {
	let state = begun;
	for (let page = await source.read(table, state.after); ; ) {
		const { rows, next: after } = page;
		// Writing adds to the rows.
		checksums?.addAll(rows);
		const done = after === null ? [...state.done, table.name] : state.done;
		const storable = target.storesNul(table) ? rows : rows.map(withoutNul);
		const written = target.write(table, storable, { ...state, done, after }, source);
		// Read while the other database writes.
		const [reached, next] = await Promise.all([written, after === null ? undefined : source.read(table, after)]);
		state = reached;
		onRows(rows.length);
		if (next === undefined) return state;
		page = next;
	}
}

function tablesOf(source: Source, target: Target): readonly CopiedTable[] {
	if (source.tracesInClickHouse || target.tracesInClickHouse) return portableTables(target.tracesInClickHouse);
	return copiedTables();
}

function start(source: string, lastBlock: number, tracesInClickHouse: boolean): CopyState {
	const state = { source, done: [], after: null, repacked: [], lastBlock, newBlocks: 0 };
	return tracesInClickHouse ? { ...state, installationId: randomUUID() } : state;
}

async function sumOf(tables: readonly CopiedTable[], count: (table: CopiedTable) => Promise<number>): Promise<number> {
	let sum = 0;
	for (const table of tables) sum += await count(table);
	return sum;
}
