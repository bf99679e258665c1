import { LARGE_TABLES, withoutContent } from "./portable/tables.ts";
import type { CopyState, Page, Side, Source, Target } from "./side.ts";
import { type CopiedTable, type Row, type Value, withoutNul } from "./tables.ts";

/** Rows that are removed from the target at a time, and log records that are added. */
const STEP = 500;
/** Changed rows that are this near to each other are read together. */
const NEAR = 64;

/** Rows of a table that the last round has added or removed; a changed row counts as both. */
export interface Changes {
	readonly added: number;
	readonly removed: number;
}

interface Bringing {
	readonly source: Source;
	readonly target: Target;
	readonly state: CopyState;
}

/**
 * Makes the large tables of the target those of the source, which servers have changed since they were copied. Both are
 * read in the order of their keys, without the content of spans; what differs is removed, and then copied.
 * @param tables as they were copied
 * @returns the state at the end, and what was changed, by table
 */
export async function bringChanges(
	{ source, target, state: begun }: Bringing,
	tables: readonly CopiedTable[],
	onRows: (table: string, more: number) => void,
): Promise<{ readonly state: CopyState; readonly changes: Readonly<Record<string, Changes>> }> {
	const changes: Record<string, Changes> = {};
	const touched = new Touched();
	let state = begun;
	for (const name of LARGE_TABLES) {
		const table = tables.find((one) => one.name === name);
		if (table === undefined) continue;
		const tell = (more: number) => onRows(name, more);
		const one = new TableChanges({ source, target, state }, table, touched, tell);
		state = await one.bring();
		changes[name] = one.changes;
	}
	return { state, changes };
}

/**
 * Rows that have to be written anew as something else has changed from which ClickHouse has something in them: spans by
 * their log records, and traces by their spans.
 */
class Touched {
	readonly #spans = new Set<string>();
	readonly #traces = new Set<Value>();

	noteChanged({ name }: CopiedTable, row: Row): void {
		if (name === "log_records") this.#spans.add(spanKey(row));
		if (name === "spans") this.#traces.add(row["trace_row_id"] ?? null);
	}

	has({ name }: CopiedTable, row: Row): boolean {
		if (name === "spans") return this.#spans.size > 0 && this.#spans.has(spanKey(row));
		return name === "traces" && this.#traces.has(row["id"] ?? null);
	}
}

function spanKey(row: Row): string {
	return [row["trace_id"], row["span_id"]].map((id) => Buffer.from(id as Uint8Array).toString("hex")).join(" ");
}

class TableChanges {
	readonly #source: Source;
	readonly #target: Target;
	readonly #table: CopiedTable;
	readonly #touched: Touched;
	readonly #onRows: (more: number) => void;
	#state: CopyState;
	#gone: Row[] = [];
	/** Log records themselves, whose keys are no numbers. */
	#logs: Row[] = [];
	readonly #runs = new Runs();
	changes: Changes = { added: 0, removed: 0 };

	constructor(
		{ source, target, state }: Bringing,
		table: CopiedTable,
		touched: Touched,
		onRows: (more: number) => void,
	) {
		this.#source = source;
		this.#target = target;
		this.#state = state;
		this.#table = table;
		this.#touched = touched;
		this.#onRows = onRows;
	}

	/** @returns the state afterwards */
	async bring(): Promise<CopyState> {
		await this.#findDifferences();
		await this.#remove();
		await this.#write(this.#logs);
		for (const runs of this.#runs.near(NEAR)) for await (const rows of this.#read(runs)) await this.#write(rows);
		return this.#state;
	}

	async #findDifferences(): Promise<void> {
		const isLog = this.#table.name === "log_records";
		const narrow = withoutContent(this.#table, this.#source.tracesInClickHouse && this.#target.tracesInClickHouse);
		const own = new Cursor(this.#source, isLog ? this.#table : narrow);
		const theirs = new Cursor(this.#target, narrow);
		for (;;) {
			await own.load();
			await theirs.load();
			const [before, after] = [own.row, theirs.row];
			if (before === undefined && after === undefined) return;
			const order = before === undefined ? 1 : after === undefined ? -1 : compareKeys(narrow, before, after);
			const isSame = order === 0 && this.#isSame(narrow, before, after);
			if (isSame) this.#runs.end();
			if (!isSame && order <= 0 && before !== undefined) await this.#want(before);
			if (!isSame && order >= 0 && after !== undefined) await this.#drop(after);
			if (order <= 0) own.advance();
			if (order >= 0) theirs.advance();
		}
	}

	#isSame({ columns }: CopiedTable, before: Row | undefined, after: Row | undefined): boolean {
		if (before === undefined || after === undefined || this.#touched.has(this.#table, before)) return false;
		const stored = this.#storable(before);
		return columns.every((column) => isEqual(stored[column] ?? null, after[column] ?? null));
	}

	async #want(row: Row): Promise<void> {
		this.#touched.noteChanged(this.#table, row);
		if (this.#table.name !== "log_records") this.#runs.add(Number(row["id"]));
		else {
			this.#logs.push(row);
			if (this.#logs.length < STEP) return;
			await this.#write(this.#logs);
			this.#logs = [];
		}
	}

	async #drop(row: Row): Promise<void> {
		this.#touched.noteChanged(this.#table, row);
		this.#gone.push(row);
		if (this.#gone.length === STEP) await this.#remove();
	}

	async #remove(): Promise<void> {
		const rows = this.#gone;
		this.#gone = [];
		if (rows.length === 0) return;
		await this.#target.remove(this.#table, rows, this.#state);
		this.changes = { ...this.changes, removed: this.changes.removed + rows.length };
	}

	async #write(rows: readonly Row[]): Promise<void> {
		if (rows.length === 0) return;
		this.#state = await this.#target.write(this.#table, rows.map(this.#storable), this.#state, this.#source);
		this.changes = { ...this.changes, added: this.changes.added + rows.length };
		this.#onRows(rows.length);
	}

	readonly #storable = (row: Row): Row => (this.#target.storesNul(this.#table) ? row : withoutNul(row));

	/** The rows of these runs, with everything. */
	async *#read(runs: readonly Run[]): AsyncGenerator<readonly Row[]> {
		const [first, last] = [runs[0]?.from ?? 0, runs.at(-1)?.to ?? 0];
		let index = 0;
		const step = last - first < NEAR ? NEAR : this.#table.step;
		const { stored } = this.#table;
		const table = { ...this.#table, step, ...(stored === undefined ? {} : { stored: { ...stored, step } }) };
		for (let after: readonly Value[] | null = [first - 1]; after !== null; ) {
			const page: Page = await this.#source.read(table, after);
			yield page.rows.filter((row) => {
				const id = Number(row["id"]);
				while (index < runs.length && (runs[index]?.to ?? id) < id) index += 1;
				return id >= (runs[index]?.from ?? Number.POSITIVE_INFINITY);
			});
			after = Number(page.rows.at(-1)?.["id"] ?? last) >= last ? null : page.next;
		}
	}
}

/** The rows of a table, one after the other. */
class Cursor {
	readonly #side: Side;
	readonly #table: CopiedTable;
	#page: Page = { rows: [], next: [] };
	#after: readonly Value[] | null = null;
	#index = 0;

	constructor(side: Side, table: CopiedTable) {
		this.#side = side;
		this.#table = table;
	}

	/** Undefined at the end. */
	get row(): Row | undefined {
		return this.#page.rows[this.#index];
	}

	/** Reads further, if that is necessary for there to be a row. */
	async load(): Promise<void> {
		while (this.row === undefined && this.#page.next !== null) {
			this.#page = await this.#side.read(this.#table, this.#after);
			this.#after = this.#page.next;
			this.#index = 0;
		}
	}

	advance(): void {
		this.#index += 1;
	}
}

/** Row numbers, all of whose rows are wanted, from the first to the last. */
interface Run {
	readonly from: number;
	readonly to: number;
}

/** Row numbers in their order, in little memory where they follow each other. */
class Runs {
	readonly #list: { from: number; to: number }[] = [];
	#isOpen = false;

	add(id: number): void {
		const last = this.#list.at(-1);
		if (this.#isOpen && last !== undefined) last.to = id;
		else this.#list.push({ from: id, to: id });
		this.#isOpen = true;
	}

	/** The next row of the source is not wanted. */
	end(): void {
		this.#isOpen = false;
	}

	/** Groups of runs that are no further apart than so many numbers. */
	*near(distance: number): Generator<readonly Run[]> {
		let group: Run[] = [];
		for (const run of this.#list) {
			const last = group.at(-1);
			if (last !== undefined && run.from - last.to > distance) {
				yield group;
				group = [];
			}
			group.push(run);
		}
		if (group.length > 0) yield group;
	}
}

function compareKeys({ key }: CopiedTable, a: Row, b: Row): number {
	for (const column of key) {
		const [own, theirs] = [a[column], b[column]];
		const order =
			own instanceof Uint8Array && theirs instanceof Uint8Array
				? Buffer.compare(own, theirs)
				: Number(own) - Number(theirs);
		if (order !== 0) return order;
	}
	return 0;
}

function isEqual(a: Value, b: Value): boolean {
	if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
	return a === b || (typeof a === "number" && typeof b === "number" && Number.isNaN(a) && Number.isNaN(b));
}
