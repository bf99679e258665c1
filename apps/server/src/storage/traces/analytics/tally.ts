import { type Cells, type GroupValue, TooManyGroups } from "./analytics-query.ts";
import { Cell, MOST_DISTINCT } from "./cell.ts";
import { GroupIndex, placeAfter, sortGroups } from "./group-index.ts";
import type { AnalyticsPlan } from "./plan.ts";
import { NO_GROUP, OTHER, RawGroups } from "./raw-groups.ts";
import type { RawRow } from "./row-columns.ts";

/** Groups that are told apart while rows are read. */
export const MOST_GROUPS = 250_000;
/** Cells of all groups and buckets; beyond it, buckets are told apart for the groups that are shown, in a second look. */
const MOST_CELLS = 100_000;
/** Values that are told apart in all cells together. */
const MOST_IDENTITIES = 4 * MOST_DISTINCT;

/** The values of one `group_by` of a row: one, or each of several. */
export type RowGroup = GroupValue | readonly GroupValue[];

/** Adds up rows by group and bucket, in one look at them or in two. */
export class Tally {
	readonly #plan: AnalyticsPlan;
	readonly edges: readonly number[];
	/** In a second look the groups that are shown; rows of others are added up together. */
	readonly #shown: GroupIndex | undefined;
	readonly #index: GroupIndex;
	readonly #rawGroups: RawGroups;
	/** By group, then by bucket. */
	readonly #cells: (Cell | undefined)[][] = [];
	readonly #others: (Cell | undefined)[] = [];
	readonly #all: (Cell | undefined)[] = [];
	/** Whether cells of groups are those of all buckets together. */
	#isLean = false;
	#cellCount = 0;
	#identities = 0;
	#hasTooMany = false;
	#bucket = 0;

	/** @param shown groups of the first look */
	constructor(plan: AnalyticsPlan, edges: readonly number[], shown?: readonly (readonly GroupValue[])[]) {
		this.#plan = plan;
		this.edges = edges;
		this.#index = new GroupIndex();
		this.#rawGroups = new RawGroups(plan, this.#index);
		if (shown === undefined) return;
		for (const group of shown) this.#index.find(group, true);
		this.#shown = this.#index;
	}

	/**
	 * Adds a row that starts within the edges.
	 * @param groups values of each `group_by`
	 * @throws TooManyGroups
	 */
	add(
		micros: number,
		groups: readonly RowGroup[],
		quantities: readonly (number | null)[],
		identities: readonly (string | number | null)[],
	): void {
		const bucket = this.#bucketOf(micros);
		if (bucket === undefined) return;
		const addTo = (cell: Cell) => {
			this.#identities += cell.add(quantities, 0, identities, 0);
		};
		this.#each(bucket, groups, addTo);
		if (this.#identities > MOST_IDENTITIES) this.#forgetIdentities();
	}

	/** Adds a row as its table has it. @throws TooManyGroups */
	addRaw(row: RawRow): void {
		const bucket = this.#bucketOf(row[0] as number);
		if (bucket === undefined) return;
		if (this.#countsAllApart) this.#addRawTo(this.#cell(this.#all, bucket), row);
		if (this.#rawGroups.width > 0) {
			const number = this.#rawGroups.find(row, this.#shown === undefined);
			if (number === OTHER) this.#addRawTo(this.#cell(this.#others, bucket), row);
			else if (number !== NO_GROUP) this.#addRawTo(this.#cellOfGroup(number, bucket), row);
		}
		if (this.#identities > MOST_IDENTITIES) this.#forgetIdentities();
	}

	#addRawTo(cell: Cell, row: RawRow): void {
		const quantities = 1 + this.#rawGroups.width;
		this.#identities += cell.add(row, quantities, row, quantities + this.#plan.parts.quantities.length);
	}

	/** Adds what is known of several rows of one group, as `Cell.addSums` does. */
	addSums(micros: number, group: readonly GroupValue[], add: (cell: Cell) => void): void {
		const bucket = this.#bucketOf(micros);
		if (bucket !== undefined) this.#each(bucket, group, add);
	}

	/** Whether the rows have to be read once more, for a tally with the {@link firstGroups} of this one. */
	get needsSecondLook(): boolean {
		if (this.#shown !== undefined) return false;
		const { limit } = this.#plan.query;
		return this.#isLean || (this.#plan.isOverlapping && this.#index.groups.length > limit);
	}

	get groupCount(): number {
		return this.#index.groups.length;
	}

	/** The groups that are shown, in their order. */
	firstGroups(): (readonly GroupValue[])[] {
		const { sort, limit, after } = this.#plan.query;
		const groups = this.#index.groups.map((group, number) => ({ group, value: this.#sortValue(number, sort.by) }));
		sortGroups(groups, sort);
		const from = after === undefined ? 0 : placeAfter(groups, after, sort.descending);
		return groups.slice(from, from + limit).map(({ group }) => group);
	}

	/** @param coveredMicros where reading ended, as it went back; buckets that begin before it are null */
	cellsOf(group: readonly GroupValue[], coveredMicros: number | undefined): Cells {
		const number = this.#index.find(group, false);
		return this.#toCells(number === undefined ? [] : (this.#cells[number] ?? []), coveredMicros);
	}

	othersOf(shown: readonly (readonly GroupValue[])[], coveredMicros: number | undefined): Cells {
		if (this.#shown !== undefined) return this.#toCells(this.#others, coveredMicros);
		const numbers = new Set(shown.map((group) => this.#index.find(group, false)));
		const left = this.#cells.filter((_cells, number) => !numbers.has(number));
		return this.#toCells(this.#merged(left), coveredMicros);
	}

	all(coveredMicros: number | undefined): Cells {
		return this.#toCells(this.#countsAllApart ? this.#all : this.#merged(this.#cells), coveredMicros);
	}

	get #countsAllApart(): boolean {
		return (
			this.#shown !== undefined ||
			this.#plan.isOverlapping ||
			this.#isLean ||
			this.#plan.query.groupBy.length === 0 ||
			this.#plan.query.leavesOutNull === true
		);
	}

	#each(bucket: number, groups: readonly RowGroup[], add: (cell: Cell) => void): void {
		if (this.#countsAllApart) add(this.#cell(this.#all, bucket));
		if (groups.length === 0) return;
		if (this.#plan.query.leavesOutNull === true && groups.includes(null)) return;
		let isOther = false;
		for (const group of groups.some(Array.isArray) ? combinations(groups) : [groups as readonly GroupValue[]]) {
			const number = this.#index.find(group, this.#shown === undefined);
			if (number === undefined) isOther = true;
			else add(this.#cellOfGroup(number, bucket));
		}
		if (isOther) add(this.#cell(this.#others, bucket));
	}

	#cellOfGroup(number: number, bucket: number): Cell {
		if (number >= MOST_GROUPS) throw new TooManyGroups(`more than ${MOST_GROUPS} groups`);
		let cells = this.#cells[number];
		if (cells === undefined) {
			cells = [];
			this.#cells[number] = cells;
		}
		const before = this.#cellCount;
		const cell = this.#cell(cells, this.#isLean ? 0 : bucket);
		const isTooMany = this.#cellCount > before && this.#cellCount > MOST_CELLS;
		if (!isTooMany || this.#isLean || this.#shown !== undefined || this.edges.length <= 2) return cell;
		this.#leaveOutBuckets();
		return this.#cell(this.#cells[number] ?? [], 0);
	}

	#cell(cells: (Cell | undefined)[], bucket: number): Cell {
		const known = cells[bucket];
		if (known !== undefined) return known;
		const made = new Cell(this.#plan.parts);
		cells[bucket] = made;
		this.#cellCount += 1;
		return made;
	}

	#leaveOutBuckets(): void {
		if (!this.#countsAllApart)
			for (const [bucket, cell] of this.#merged(this.#cells).entries()) this.#all[bucket] = cell;
		for (const [number, cells] of this.#cells.entries()) this.#cells[number] = [this.#sum(cells)];
		this.#isLean = true;
	}

	#forgetIdentities(): void {
		this.#hasTooMany = true;
		this.#identities = Number.NEGATIVE_INFINITY;
		for (const cells of [...this.#cells, this.#all, this.#others]) for (const cell of cells) cell?.forgetIdentities();
	}

	#bucketOf(micros: number): number | undefined {
		const edges = this.edges;
		const isIn = (bucket: number) => micros >= (edges[bucket] ?? Infinity) && micros < (edges[bucket + 1] ?? -Infinity);
		// Neighbours mostly follow each other.
		if (isIn(this.#bucket)) return this.#bucket;
		let [low, high] = [0, edges.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((edges[middle] ?? 0) <= micros) low = middle;
			else high = middle - 1;
		}
		if (!isIn(low)) return undefined;
		this.#bucket = low;
		return low;
	}

	#sortValue(number: number, by: number | "group"): number | null {
		if (by === "group") return null;
		return this.#plan.totals(this.#sum(this.#cells[number] ?? []), this.#hasTooMany)[by] ?? null;
	}

	#toCells(cells: readonly (Cell | undefined)[], coveredMicros: number | undefined): Cells {
		const plan = this.#plan;
		const byBucket = this.edges.slice(0, -1).map((start, bucket) => {
			const isWhole = coveredMicros === undefined || start >= coveredMicros;
			return isWhole ? plan.totals(cells[bucket], this.#hasTooMany) : undefined;
		});
		return {
			totals: plan.totals(this.#sum(cells), this.#hasTooMany),
			values: plan.query.measures.map((_measure, number) => byBucket.map((totals) => totals?.[number] ?? null)),
		};
	}

	/** A cell of its own. */
	#sum(cells: readonly (Cell | undefined)[]): Cell {
		const sum = new Cell(this.#plan.parts);
		for (const cell of cells) if (cell !== undefined) sum.addCell(cell);
		return sum;
	}

	#merged(groups: readonly (readonly (Cell | undefined)[])[]): Cell[] {
		return this.edges.slice(0, -1).map((_start, bucket) => this.#sum(groups.map((cells) => cells[bucket])));
	}
}

function* combinations(groups: readonly RowGroup[]): Generator<readonly GroupValue[]> {
	const [first = null, second] = groups;
	const all = (group: RowGroup): readonly GroupValue[] => (Array.isArray(group) ? group : [group as GroupValue]);
	for (const a of all(first)) {
		if (groups.length === 1) yield [a];
		else for (const b of all(second ?? null)) yield [a, b];
	}
}
