import type pg from "pg";
import type { TraceCursor } from "#storage/traces/expiry/expired-traces.ts";
import type { RetentionRule } from "#storage/traces/trace-store.ts";
import { monthOf, monthsAfter, partitionName } from "../partitions.ts";
import { findExpiry } from "../read/expired-traces.ts";

/** A month whose partitions can probably be dropped: as far as is known, everything that starts in it is expired. */
export interface ExpiredMonth {
	/** The first microsecond of the month, and of the following one. */
	readonly from: number;
	readonly to: number;
	/** Names of the month's partitions. */
	readonly spans: string;
	readonly blocks: string;
	/** The same for groups of signatures; this one may be missing. */
	readonly groups: string;
	/** Projects whose traces of the month are expired; for those in `keepingAnnotated` only unannotated ones. */
	readonly projectIds: readonly number[];
	readonly keepingAnnotated: readonly number[];
}

/** Expired months, oldest first. The latest are left out, as their partitions would be created again. */
export async function findExpiredMonths(
	pool: pg.Pool,
	rules: readonly RetentionRule[],
	nowMicros: number,
): Promise<ExpiredMonth[]> {
	const expiries: { readonly rule: RetentionRule; readonly before: TraceCursor }[] = [];
	for (const rule of rules) {
		const before = await findExpiry(pool, rule);
		if (before !== undefined) expiries.push({ rule, before });
	}
	const expired: ExpiredMonth[] = [];
	for (const from of await listMonths(pool)) {
		const to = monthsAfter(from, 1);
		const covering = expiries.filter(({ before }) => before[0] >= to);
		if (covering.length === 0 || to > monthOf(monthOf(nowMicros) - 1)) continue;
		const projectIds = covering.map(({ rule }) => rule.projectId);
		if (await isElsewhere(pool, from, to, projectIds)) continue;
		expired.push({
			from,
			to,
			spans: partitionName("spans", from),
			blocks: partitionName("blocks", from),
			groups: partitionName("block_text_groups", from),
			projectIds,
			keepingAnnotated: covering.filter(({ rule }) => rule.keepAnnotated).map(({ rule }) => rule.projectId),
		});
	}
	return expired;
}

/** The first microseconds of the months that have partitions, oldest first. */
async function listMonths(pool: pg.Pool): Promise<number[]> {
	const { rows } = await pool.query<{ name: string }>(
		`select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
		where inhparent = to_regclass('spans')`,
	);
	const months = rows.flatMap(({ name }) => {
		const [, year, month] = /_y(\d{4})m(\d{2})$/.exec(name) ?? [];
		return year === undefined ? [] : [Date.UTC(Number(year), Number(month) - 1) * 1_000];
	});
	return months.sort((a, b) => a - b);
}

/** Whether another project has traces of the month. */
async function isElsewhere(pool: pg.Pool, from: number, to: number, projectIds: readonly number[]): Promise<boolean> {
	const { rowCount } = await pool.query(
		`select from projects where not id = any($3::bigint[]) and exists (
			select from traces where project_id = projects.id and start_micros >= $1 and start_micros < $2) limit 1`,
		[from, to, projectIds],
	);
	return rowCount !== 0;
}
