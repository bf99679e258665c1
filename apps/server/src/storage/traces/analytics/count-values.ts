import type { Condition } from "@spanward/filter-language";
import type { Caller } from "../trace-store.ts";
import type { AnalyticsRows, GroupBy, GroupValue, Range } from "./analytics-query.ts";
import { lookAtRange, type RowsOfProject } from "./analyze-lists.ts";
import { compareGroups } from "./group-index.ts";
import { lacksFailures, type OccurrenceReader } from "./occurrence-reader.ts";
import { AnalyticsPlan } from "./plan.ts";
import { groupReaders, type RawRow } from "./row-columns.ts";
import { MOST_GROUPS, type RowGroup } from "./tally.ts";

/** Asks which values some fields have in the rows of a project, each field for itself. */
export interface ValuesQuery extends Range {
	readonly of: AnalyticsRows;
	readonly projectId: number;
	/** The server itself when absent. */
	readonly caller?: Caller;
	/** A condition on these rows; for errors, on their spans. */
	readonly condition?: Condition;
	/** Words, as the list of what the condition is about searches them. */
	readonly text?: string;
	readonly fields: readonly GroupBy[];
	/** Part of the values as text, in any case. Rows without a value have none. */
	readonly contains?: string;
	/** Values of each field. */
	readonly limit: number;
	readonly timeoutMs: number;
}

export interface ValueCount {
	readonly value: GroupValue;
	readonly rows: number;
}

export interface ValueCounts {
	/** The most frequent ones, which descend; null for rows without a value. */
	readonly values: readonly ValueCount[];
	/** How many different ones there are, null among them; of those that contain what was asked for. */
	readonly distinct: number;
	/**
	 * Whether time was up, there were more values than can be told apart, or some errors are not grouped yet: then all
	 * numbers are too low.
	 */
	readonly isPartial: boolean;
}

/** Counts the values of each field, newest rows first, until time is up. */
export async function countValues(
	query: ValuesQuery,
	rowsOf: RowsOfProject,
	occurrences: OccurrenceReader,
): Promise<readonly ValueCounts[]> {
	const { startMicros, endMicros, timeoutMs } = query;
	const deadline = performance.now() + timeoutMs;
	const plan = planOf(query);
	const counts = groupReaders(plan).map((read) => new ValueCounter(read));
	const addRaw = (row: RawRow) => {
		for (let place = 0; place < counts.length; place += 1) counts[place]?.addRaw(row[1 + place]);
	};
	const isBehind = await lacksFailures(plan.query, occurrences);
	let reached = startMicros;
	for await (const { rows, raw, reachedMicros } of lookAtRange(rowsOf, plan, { startMicros, endMicros })) {
		raw?.(addRaw);
		for (const { groups } of rows) for (const [place, counter] of counts.entries()) counter.add(groups[place] ?? null);
		reached = reachedMicros;
		if (reached > startMicros && performance.now() > deadline) break;
	}
	return counts.map((counter) => counter.result(query, isBehind || reached > startMicros));
}

/** A question that reads the fields of the rows and measures nothing. */
function planOf({ projectId, startMicros, endMicros, fields, contains: _contains, ...query }: ValuesQuery) {
	return new AnalyticsPlan({
		...query,
		projectIds: [projectId],
		edges: [startMicros, endMicros],
		groupBy: fields,
		measures: [],
		sort: { by: "group", descending: false },
	});
}

class ValueCounter {
	readonly #read: (raw: unknown) => GroupValue;
	readonly #rows = new Map<GroupValue, number>();
	/** As columns have them. */
	readonly #raw = new Map<unknown, number>();
	#hasTooMany = false;

	/** @param read makes a value of what a column has */
	constructor(read: (raw: unknown) => GroupValue) {
		this.#read = read;
	}

	addRaw(value: unknown): void {
		const rows = this.#raw.get(value);
		if (rows === undefined && this.#raw.size >= MOST_GROUPS) this.#hasTooMany = true;
		else this.#raw.set(value, (rows ?? 0) + 1);
	}

	add(group: RowGroup): void {
		if (typeof group !== "object" || group === null) this.#add(group, 1);
		else for (const value of group) this.#add(value, 1);
	}

	result({ contains, limit }: ValuesQuery, isPartial: boolean): ValueCounts {
		const part = contains?.toLowerCase();
		for (const [raw, rows] of this.#raw) this.#add(this.#read(raw), rows);
		this.#raw.clear();
		const found = Array.from(this.#rows, ([value, rows]) => ({ value, rows })).filter(
			({ value }) => part === undefined || (value !== null && String(value).toLowerCase().includes(part)),
		);
		found.sort((a, b) => b.rows - a.rows || compareGroups([a.value], [b.value]));
		return { values: found.slice(0, limit), distinct: found.length, isPartial: isPartial || this.#hasTooMany };
	}

	#add(value: GroupValue, more: number): void {
		const rows = this.#rows.get(value);
		if (rows === undefined && this.#rows.size >= MOST_GROUPS) this.#hasTooMany = true;
		else this.#rows.set(value, (rows ?? 0) + more);
	}
}
