import { createHash } from "node:crypto";
import { DailyChecksums } from "./portable/daily-checksums.ts";
import { type Checksum, CopyRefused, type CopyState, pagesOf, type Side } from "./side.ts";
import { type CopiedTable, type Value, withoutNul } from "./tables.ts";

/** Told after each step how many rows of the table were read. */
type OnRows = (rows: number) => void;

export interface Compared {
	readonly source: Side;
	readonly target: Side;
	readonly state: CopyState;
	/** By table, checksums of what was read of the source while it was copied; others are read again. */
	readonly wasRead: ReadonlyMap<string, DailyChecksums>;
}

/**
 * Reads both databases and compares them, table by table, by counts and SHA-256; traces that come from ClickHouse, or
 * went there, by project and day, too.
 * @returns counts and checksums of the tables that have rows
 * @throws CopyRefused when they differ
 */
export async function compareDatabases(
	compared: Compared,
	tables: readonly CopiedTable[],
	onTable: (table: string, rows: number) => void,
): Promise<Readonly<Record<string, Checksum>>> {
	const equal: Record<string, Checksum> = {};
	let seen = 0;
	for (const table of tables) {
		const tell = (rows: number) => onTable(table.name, seen + rows);
		const compare = table.stored === undefined ? compareTable : compareDays;
		const both = await compare(compared, table, tell);
		seen += both.rows;
		if (both.rows > 0) equal[table.name] = both;
	}
	return equal;
}

async function compareTable(
	{ source, target, state }: Compared,
	table: CopiedTable,
	onRows: OnRows,
): Promise<Checksum> {
	const repacked = new Set(state.repacked);
	const lastOld = state.lastBlock - state.newBlocks;
	const [before, after] = await Promise.all([
		checksum(source, table, (block) => repacked.has(block), onRows),
		checksum(target, table, (block) => block > lastOld),
	]);
	if (before.rows !== after.rows || before.sha256 !== after.sha256) throw differ(table.name, before.rows, after.rows);
	return before;
}

async function compareDays({ source, target, wasRead }: Compared, table: CopiedTable, onRows: OnRows) {
	const [before, after] = await Promise.all([
		wasRead.get(table.name) ?? dailyChecksums(source, table),
		dailyChecksums(target, table, onRows),
	]);
	const different = before.findDifference(after);
	if (different === undefined) return before.sum;
	throw differ(`${table.name} (${different.day})`, different.rows, different.otherRows);
}

function differ(table: string, before: number, after: number): CopyRefused {
	return new CopyRefused(
		`the table ${table} has ${before} rows in the source and ${after} in the target, or other ones: ` +
			"somebody changed one of them meanwhile. Stop what uses them and copy into an empty target, or after a first round run --since again",
	);
}

/** Leaves out repacked blocks and the places of their spans, which differ between the two sides. */
async function checksum(
	side: Side,
	table: CopiedTable,
	isRepacked: (block: number) => boolean,
	onRows?: OnRows,
): Promise<Checksum> {
	const hash = createHash("sha256");
	let rows = 0;
	for await (const page of pagesOf(side, table)) {
		for (const row of page) {
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
		onRows?.(rows);
	}
	return { rows, sha256: hash.digest("hex") };
}

async function dailyChecksums(side: Side, table: CopiedTable, onRows?: OnRows): Promise<DailyChecksums> {
	const checksums = new DailyChecksums(table);
	let rows = 0;
	for await (const page of pagesOf(side, table)) {
		checksums.addAll(page);
		rows += page.length;
		onRows?.(rows);
	}
	return checksums;
}

function addValue(hash: ReturnType<typeof createHash>, value: Value): void {
	if (value === null) hash.update("n;");
	else if (typeof value === "number") hash.update(`d${Object.is(value, -0) ? 0 : value};`);
	else if (typeof value === "string") hash.update(`t${Buffer.byteLength(value)}:`).update(value);
	else hash.update(`b${value.length}:`).update(value);
}
