import type pg from "pg";
import type { TraceCursor } from "#storage/traces/expiry/expired-traces.ts";
import { SELECT_SPEND_STATE, spendStateOf } from "#storage/traces/totals/spend-state.ts";
import type { RetentionRule } from "#storage/traces/trace-store.ts";
import { dayPartitionName, parsePartition, partitionName, restPartitionName } from "../partitions.ts";
import { DAY_MICROS, dayOf, monthOf, monthsAfter, type Period } from "../periods.ts";
import { findExpiry } from "../read/expired-traces.ts";

/** A month or day whose partitions can probably be dropped: as far as is known, all that starts in it is expired. */
export interface ExpiredPeriod extends Period {
	/** Names of the partitions. */
	readonly spans: string;
	readonly blocks: string;
	/** The same for groups of signatures; this one may be missing. */
	readonly groups: string;
	/** For a day: where blocks are that may hold spans of it beside those of other days. */
	readonly restOfBlocks: string | undefined;
	/** Projects whose traces of the period are expired; for those in `keepingAnnotated` only unannotated ones. */
	readonly projectIds: readonly number[];
	readonly keepingAnnotated: readonly number[];
}

/**
 * Expired months and days, oldest first. The latest are left out, as their partitions would be created again. There are none
 * while what was spent before an upgrade is still to be counted: a drop would take what it has not seen.
 */
export async function findExpiredPeriods(
	pool: pg.Pool,
	rules: readonly RetentionRule[],
	nowMicros: number,
): Promise<ExpiredPeriod[]> {
	const { rows } = await pool.query<{ name: string; value: string }>(SELECT_SPEND_STATE);
	if (spendStateOf(rows).isFilling) return [];
	const expiries: { readonly rule: RetentionRule; readonly before: TraceCursor }[] = [];
	for (const rule of rules) {
		const before = await findExpiry(pool, rule);
		if (before !== undefined) expiries.push({ rule, before });
	}
	const expired: ExpiredPeriod[] = [];
	for (const { period, length } of await listPartitions(pool)) {
		const { from, to } = period;
		const covering = expiries.filter(({ before }) => before[0] >= to);
		if (covering.length === 0 || !isOver(to, length, nowMicros)) continue;
		const projectIds = covering.map(({ rule }) => rule.projectId);
		if (await isElsewhere(pool, from, to, projectIds)) continue;
		expired.push({
			...period,
			...(length === "day" ? partitionsOfDay(from) : partitionsOfMonth(from)),
			projectIds,
			keepingAnnotated: covering.filter(({ rule }) => rule.keepAnnotated).map(({ rule }) => rule.projectId),
		});
	}
	return expired;
}

/** The months that are partitioned by day and have no day left, whose other partitions may be dropped when empty. */
export async function findPastMonths(pool: pg.Pool, nowMicros: number): Promise<number[]> {
	const spans = new Set((await listPartitions(pool)).map(({ period }) => monthOf(period.from)));
	const rests = (await listPartitions(pool, "blocks")).filter(({ length }) => length === "rest of the month");
	return rests
		.filter(({ period, length }) => !spans.has(period.from) && isOver(period.to, length, nowMicros))
		.map(({ period }) => period.from);
}

function isOver(to: number, length: Listed["length"], nowMicros: number): boolean {
	return to <= (length === "day" ? dayOf(nowMicros) - DAY_MICROS : monthsAfter(monthOf(nowMicros), -1));
}

function partitionsOfMonth(month: number) {
	return {
		spans: partitionName("spans", month),
		blocks: partitionName("blocks", month),
		groups: partitionName("block_text_groups", month),
		restOfBlocks: undefined,
	};
}

function partitionsOfDay(day: number) {
	return {
		spans: dayPartitionName("spans", day),
		blocks: dayPartitionName("blocks", day),
		groups: dayPartitionName("block_text_groups", day),
		restOfBlocks: restPartitionName("blocks", monthOf(day)),
	};
}

type Listed = NonNullable<ReturnType<typeof parsePartition>>;

/** The partitions of a table, oldest first, without the default one. */
async function listPartitions(pool: pg.Pool, table = "spans"): Promise<Listed[]> {
	const { rows } = await pool.query<{ name: string }>(
		`select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
		where inhparent = to_regclass($1)`,
		[table],
	);
	return rows.flatMap(({ name }) => parsePartition(name) ?? []).sort((a, b) => a.period.from - b.period.from);
}

/** Whether another project has traces of the period. */
async function isElsewhere(pool: pg.Pool, from: number, to: number, projectIds: readonly number[]): Promise<boolean> {
	const { rowCount } = await pool.query(
		`select from projects where not id = any($3::bigint[]) and exists (
			select from traces where project_id = projects.id and start_micros >= $1 and start_micros < $2) limit 1`,
		[from, to, projectIds],
	);
	return rowCount !== 0;
}
