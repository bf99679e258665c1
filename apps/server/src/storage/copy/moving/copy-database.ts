import { randomUUID } from "node:crypto";
import { bringChanges, type Changes } from "./bring-changes.ts";
import { compareDatabases } from "./compare-databases.ts";
import { DailyChecksums } from "./portable/daily-checksums.ts";
import { LARGE_TABLES, portableTables } from "./portable/tables.ts";
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

/**
 * `only`: servers are stopped while everything is copied. `first`: they go on while large tables are copied; `last`: they
 * are stopped while what has changed since, and all the rest, is copied.
 */
export type Round = "only" | "first" | "last";

export interface CopyReport {
	/** Rows by table, those without rows left out; empty after a first round, which compares nothing. */
	readonly tables: Readonly<Record<string, Checksum>>;
	/** What a last round has changed in the large tables. */
	readonly changes: Readonly<Record<string, Changes>>;
	readonly repackedBlocks: number;
	/** Rows that an interrupted run had copied already. */
	readonly resumed: number;
	/** Experiment jobs of the target that had not ended. */
	readonly pausedJobs: number;
}

interface CopyOptions {
	readonly round?: Round;
	/** Whether experiment jobs go on that have not ended, which are paused otherwise. */
	readonly keepsRunning?: boolean;
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
	{ round = "only", keepsRunning = false }: CopyOptions = {},
): Promise<CopyReport> {
	const tables = tablesOf(source, target, round);
	const numbers = await source.lastNumbers(tables);
	const total = await sumOf(tables, (table) => source.count(table));
	let state = target.state ?? start(source.identity, numbers.blocks, { target, round });
	if (state.source !== source.identity)
		throw new CopyRefused("the target has an unfinished copy of another database: give an empty one");
	if ((state.installationId !== undefined) !== target.tracesInClickHouse)
		throw new CopyRefused("the target is an unfinished copy that has its traces elsewhere: give the same --traces-to");
	expectRound(round, target.state);
	if (round !== "first" && (source.tracesInClickHouse || target.tracesInClickHouse) && (await source.isDeleting()))
		throw new CopyRefused(
			"a large trace of the source is being deleted: start its server until that is done, a minute or so, and copy then",
		);
	const resumed = target.state === undefined ? 0 : await sumOf(tables, (table) => target.count(table));
	await target.prepare(await source.months(), state);
	const wasRead = new Map<string, DailyChecksums>();
	let rows = 0;
	let changes: CopyReport["changes"] = {};
	if (round === "last") {
		state = await startLastRound(target, tables, state);
		({ state, changes } = await bringChanges({ source, target, state }, tables, (table, more) => {
			rows += more;
			onProgress({ stage: "copying", table, rows: rows + resumed, total });
		}));
	}
	for (const table of tables) {
		if (state.done.includes(table.name) || (round === "first" && !isLarge(table))) continue;
		const isWhole = source.seesOneMoment && table.stored !== undefined && state.after === null;
		const checksums = isWhole ? new DailyChecksums(table) : undefined;
		state = await copyTable(table, { source, target, state, checksums }, (more) => {
			rows += more;
			onProgress({ stage: "copying", table: table.name, rows: rows + resumed, total });
		});
		if (checksums !== undefined) wasRead.set(table.name, checksums);
	}
	if (round === "first") return { tables: {}, changes, repackedBlocks: 0, resumed, pausedJobs: 0 };
	const equal = await compareDatabases({ source, target, state, wasRead }, tables, (table, seen) =>
		onProgress({ stage: "verifying", table, rows: seen, total }),
	);
	const lastNumbers = { ...numbers, blocks: Math.max(numbers.blocks, state.lastBlock) };
	const pausedJobs = await target.finish(lastNumbers, state, !keepsRunning);
	return { tables: equal, changes, repackedBlocks: state.repacked.length, resumed, pausedJobs };
}

function isLarge({ name }: CopiedTable): boolean {
	return LARGE_TABLES.some((large) => large === name);
}

/** @param state of the target; undefined where nothing has been copied */
function expectRound(round: Round, state: CopyState | undefined): void {
	const isFirstComplete = state?.lastRounds !== undefined && LARGE_TABLES.every((name) => state.done.includes(name));
	if (round === "last" && !isFirstComplete)
		throw new CopyRefused(
			state?.lastRounds === undefined
				? "the target has nothing that was copied with --servers-running, to which --since could add"
				: "the round with --servers-running is not complete: run it again, which goes on from where it was",
		);
	if (round === "first" && isFirstComplete)
		throw new CopyRefused(
			"the round with --servers-running is complete: stop the servers, and run the same with --since in its place",
		);
	if (round === "first" && state !== undefined && state.lastRounds === undefined)
		throw new CopyRefused("the target has an unfinished copy that was begun without --servers-running");
	if (round === "only" && state?.lastRounds !== undefined)
		throw new CopyRefused(
			"the target has been copied to while servers ran: run the same with --servers-running if that was interrupted, otherwise stop the servers and run it with --since",
		);
}

/** What an interrupted last round has copied may have changed, too; of large tables that is found. */
async function startLastRound(target: Target, tables: readonly CopiedTable[], before: CopyState): Promise<CopyState> {
	const state = { ...before, done: [...LARGE_TABLES], after: null, lastRounds: (before.lastRounds ?? 0) + 1 };
	await target.save(state);
	for (const table of tables.toReversed()) if (!isLarge(table)) await target.clear(table, state);
	return state;
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

/** Contents are packed anew where they come in two rounds, as blocks of contents are changed by servers. */
function tablesOf(source: Source, target: Target, round: Round): readonly CopiedTable[] {
	if (round !== "only" || source.tracesInClickHouse || target.tracesInClickHouse)
		return portableTables(target.tracesInClickHouse);
	return copiedTables();
}

function start(
	source: string,
	lastBlock: number,
	{ target, round }: { readonly target: Target; readonly round: Round },
): CopyState {
	return {
		...{ source, done: [], after: null, repacked: [], lastBlock, newBlocks: 0 },
		...(target.tracesInClickHouse ? { installationId: randomUUID() } : {}),
		...(round === "first" ? { lastRounds: 0 } : {}),
	};
}

async function sumOf(tables: readonly CopiedTable[], count: (table: CopiedTable) => Promise<number>): Promise<number> {
	let sum = 0;
	for (const table of tables) sum += await count(table);
	return sum;
}
