import { createHash } from "node:crypto";
import { CopyRefused, type CopyState, keyOf, type Side, type Source, type Target } from "./side.ts";
import { type CopiedTable, copiedTables, type Row, type Value, withoutNul } from "./tables.ts";

/** Rows per step; fewer for tables whose rows may be long. */
const STEP_ROWS = 1_000;
const STEP_LONG_ROWS = 100;
const LONG: ReadonlySet<string> = new Set([
	...["blocks", "log_records", "dataset_example_revisions", "experiment_runs", "experiment_evaluations"],
	...["prompt_versions", "idempotency_keys", "annotations", "waiting_annotations", "sign_in_tries", "model_prices"],
]);

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
	readonly tables: Readonly<Record<string, { readonly rows: number; readonly sha256: string }>>;
	readonly repackedBlocks: number;
	/** Rows that an interrupted run had copied already. */
	readonly resumed: number;
}

/**
 * Copies every row with its number, then reads both databases again and compares them by counts and checksums; only
 * then can servers start on the target. Resumes an interrupted copy. Holds some hundred rows in memory.
 * @throws CopyRefused when the target was begun from another database, or when both differ in the end
 */
export async function copyDatabase(
	source: Source,
	target: Target,
	onProgress: (progress: CopyProgress) => void = () => undefined,
): Promise<CopyReport> {
	const tables = copiedTables();
	const numbers = await source.lastNumbers(tables);
	const total = await sumOf(tables, (table) => source.count(table));
	let state = target.state ?? start(source.identity, numbers.blocks);
	if (state.source !== source.identity)
		throw new CopyRefused("the target has an unfinished copy of another database: give an empty one");
	const resumed = target.state === undefined ? 0 : await sumOf(tables, (table) => target.count(table));
	await target.prepare(await source.months());
	let rows = 0;
	for (const table of tables) {
		if (state.done.includes(table.name)) continue;
		for (let after = state.after; ; ) {
			const batch = (await source.read(table, after, limitOf(table))).map(withoutNul);
			const last = batch.at(-1);
			after = last === undefined ? null : keyOf(table, last);
			const isDone = batch.length < limitOf(table);
			const done = isDone ? [...state.done, table.name] : state.done;
			state = await target.write(table, batch, { ...state, done, after: isDone ? null : after }, source);
			rows += batch.length;
			onProgress({ stage: "copying", table: table.name, rows: rows + resumed, total });
			if (isDone) break;
		}
	}
	const report = await compare(source, target, tables, state, (table, seen) =>
		onProgress({ stage: "verifying", table, rows: seen, total }),
	);
	await target.finish({ ...numbers, blocks: Math.max(numbers.blocks, state.lastBlock) }, state);
	return { tables: report, repackedBlocks: state.repacked.length, resumed };
}

function start(source: string, lastBlock: number): CopyState {
	return { source, done: [], after: null, repacked: [], lastBlock, newBlocks: 0 };
}

async function sumOf(tables: readonly CopiedTable[], count: (table: CopiedTable) => Promise<number>): Promise<number> {
	let sum = 0;
	for (const table of tables) sum += await count(table);
	return sum;
}

function limitOf({ name }: CopiedTable): number {
	return LONG.has(name) ? STEP_LONG_ROWS : STEP_ROWS;
}

async function compare(
	source: Side,
	target: Side,
	tables: readonly CopiedTable[],
	state: CopyState,
	onTable: (table: string, rows: number) => void,
): Promise<CopyReport["tables"]> {
	const equal: Record<string, { rows: number; sha256: string }> = {};
	const repacked = new Set(state.repacked);
	const lastOld = state.lastBlock - state.newBlocks;
	let seen = 0;
	for (const table of tables) {
		const tell = (rows: number) => onTable(table.name, seen + rows);
		const before = await checksum(source, table, (block) => repacked.has(block), tell);
		const after = await checksum(target, table, (block) => block > lastOld, tell);
		if (before.rows !== after.rows || before.sha256 !== after.sha256)
			throw new CopyRefused(
				`the table ${table.name} has ${before.rows} rows in the source and ${after.rows} in the target, or other ones: ` +
					"somebody changed one of them meanwhile. Stop what uses them and copy into an empty target",
			);
		seen += before.rows;
		if (before.rows > 0) equal[table.name] = before;
	}
	return equal;
}

/** Leaves out repacked blocks and the places of their spans, which differ between the two sides. */
async function checksum(
	side: Side,
	table: CopiedTable,
	isRepacked: (block: number) => boolean,
	onRows: (rows: number) => void,
): Promise<{ rows: number; sha256: string }> {
	const hash = createHash("sha256");
	let rows = 0;
	for (let after: readonly Value[] | null = null; ; ) {
		const batch: readonly Row[] = await side.read(table, after, limitOf(table));
		for (const row of batch) {
			if (table.name === "blocks" && isRepacked(Number(row["id"]))) continue;
			rows += 1;
			const clean = withoutNul(row);
			const moved = table.name === "spans" && isRepacked(Number(row["block_id"]));
			for (const column of table.columns) {
				if (column === "first_start" || column === "last_start") continue;
				if (moved && (column === "block_id" || column === "ordinal")) continue;
				addValue(hash, clean[column] ?? null);
			}
		}
		onRows(rows);
		const last = batch.at(-1);
		if (last === undefined || batch.length < limitOf(table)) break;
		after = keyOf(table, last);
	}
	return { rows, sha256: hash.digest("hex") };
}

function addValue(hash: ReturnType<typeof createHash>, value: Value): void {
	if (value === null) hash.update("n;");
	else if (typeof value === "number") hash.update(`d${Object.is(value, -0) ? 0 : value};`);
	else if (typeof value === "string") hash.update(`t${Buffer.byteLength(value)}:`).update(value);
	else hash.update(`b${value.length}:`).update(value);
}
