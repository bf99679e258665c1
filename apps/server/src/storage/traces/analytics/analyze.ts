import type { AnalyticsAnswer, AnalyticsQuery, Cells, ComparedCells, GroupValue } from "./analytics-query.ts";
import type { AskedRow } from "./analyze-lists.ts";
import type { Cell } from "./cell.ts";
import { AnalyticsPlan } from "./plan.ts";
import type { RawRows } from "./row-columns.ts";
import { Tally } from "./tally.ts";

/** Rows of one group that were added up before. */
export interface SummedRows {
	readonly micros: number;
	readonly group: readonly GroupValue[];
	readonly addTo: (cell: Cell) => void;
}

/** What a look reads: rows, and sums of rows. */
export interface Looked {
	readonly rows: readonly AskedRow[];
	readonly raw?: RawRows;
	readonly sums?: readonly SummedRows[];
	/** From this time on everything has been read. Of the last look it is later than the start where nothing before is known. */
	readonly reachedMicros: number;
}

/** How a store reads what a question asks of the time between the first and the last edge, the newest first. */
export type Look = (plan: AnalyticsPlan, edges: readonly number[]) => AsyncIterable<Looked>;

/** Of the time that a question has, for the first look where a second one may follow. */
const FIRST_LOOK = 0.6;

/**
 * Answers a question from what `look` reads, once or twice for each time that is asked about.
 * @throws TooManyGroups
 */
export async function analyze(query: AnalyticsQuery, look: Look): Promise<Omit<AnalyticsAnswer, "source">> {
	const begun = performance.now();
	const share = query.previousEdges === undefined ? 1 : 0.5;
	const until = (part: number) => begun + query.timeoutMs * part;
	const plan = new AnalyticsPlan(query);
	const { edges, groupBy, previousEdges } = query;
	const mayLookTwice = groupBy.length > 0 && (edges.length > 2 || plan.isOverlapping);
	const first = await lookAll(look, plan, new Tally(plan, edges), until(mayLookTwice ? share * FIRST_LOOK : share));
	const shown = first.tally.firstGroups();
	const { tally, covered } = first.tally.needsSecondLook
		? await lookAll(look, plan, new Tally(plan, edges, shown), until(share))
		: first;
	const before = previousEdges && (await lookAll(look, plan, new Tally(plan, previousEdges, shown), until(1)));
	const compared = (of: (tally: Tally, covered: number | undefined) => Cells): ComparedCells => ({
		...of(tally, covered),
		...(before === undefined ? {} : { previous: of(before.tally, before.covered) }),
	});
	const all = compared((from, until) => from.all(until));
	const hasOthers = first.tally.groupCount > shown.length;
	return {
		groups: shown.map((group) => ({ group, ...compared((from, until) => from.cellsOf(group, until)) })),
		others: hasOthers ? compared((from, until) => from.othersOf(shown, until)) : undefined,
		all,
		groupCount: first.tally.groupCount,
		isOverlapping: plan.isOverlapping,
		coveredMicros: covered ?? before?.covered,
		tooManyDistinct: plan.distinctMeasures.filter((number) => all.totals[number] === null),
	};
}

interface Tallied {
	readonly tally: Tally;
	/** The start of what was read, when that is not all. */
	readonly covered: number | undefined;
}

/** @param deadline as of `performance.now()` */
async function lookAll(look: Look, plan: AnalyticsPlan, tally: Tally, deadline: number): Promise<Tallied> {
	const [start = 0] = tally.edges;
	const addRaw = tally.addRaw.bind(tally);
	let reached = start;
	for await (const { rows, raw, sums = [], reachedMicros } of look(plan, tally.edges)) {
		raw?.(addRaw);
		for (const { micros, groups, quantities, identities } of rows) tally.add(micros, groups, quantities, identities);
		for (const { micros, group, addTo } of sums) tally.addSums(micros, group, addTo);
		reached = reachedMicros;
		if (reached > start && performance.now() > deadline) break;
	}
	return { tally, covered: reached > start ? reached : undefined };
}
