import type { ClientBase } from "pg";
import {
	isDaily,
	LOCK_WAIT,
	PARTITIONED_TABLES,
	parsePartition,
	partitionName,
	patiently,
	restPartitionName,
} from "./partitions.ts";
import { monthOf, monthsAfter } from "./periods.ts";

/**
 * From this size on, the next month is partitioned by day: about 300 million spans, ten million a day. Deleting the
 * spans of such a day row by row takes a quarter of an hour.
 */
export const LARGE_MONTH_BYTES = 256 * 2 ** 30;
/** What the largest day is multiplied by, where a month is partitioned by day and retention has dropped others. */
const DAYS_OF_MONTH = 30;
/** A month that has not begun has at most so many spans, from wrong clocks; with more, it stays as it is. */
const MOST_EARLY_SPANS = 10_000;

export interface DivideOptions {
	/** Size of a month with its indexes and the texts' signatures, in bytes. */
	readonly largeMonthBytes?: number;
}

/**
 * Lets the next month be partitioned by day if this one or the one before is large. Months that have begun stay as they
 * are. `makePartitions` makes the days as they come. To be called every day; concurrent calls do no harm.
 */
export async function divideNextMonth(
	client: ClientBase,
	nowMicros: number,
	{ largeMonthBytes = LARGE_MONTH_BYTES }: DivideOptions = {},
): Promise<void> {
	const month = monthOf(nowMicros);
	const sizes = [await readSize(client, monthsAfter(month, -1)), await readSize(client, month)];
	if (sizes.some((bytes) => bytes >= largeMonthBytes)) await divideMonth(client, monthsAfter(month, 1));
}

/** The bytes of a month; estimated from its largest day if it is partitioned by day. */
async function readSize(client: ClientBase, month: number): Promise<number> {
	const { rows } = await client.query<{ name: string; bytes: number }>(
		`select relname as name, pg_total_relation_size(pg_class.oid)::float8 as bytes
		from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = any($1::regclass[])`,
		[PARTITIONED_TABLES],
	);
	const bytesOf = { month: 0, "rest of the month": 0 };
	const days = new Map<number, number>();
	for (const { name, bytes } of rows) {
		const { period, length } = parsePartition(name) ?? {};
		if (period === undefined || length === undefined || monthOf(period.from) !== month) continue;
		if (length === "day") days.set(period.from, (days.get(period.from) ?? 0) + bytes);
		else bytesOf[length] += bytes;
	}
	return bytesOf.month + bytesOf["rest of the month"] + DAYS_OF_MONTH * Math.max(0, ...days.values());
}

/**
 * Puts the few spans of a month into the default partition, from where they get into the partitions of their days, and
 * keeps its blocks and groups of signatures for what belongs to several days.
 */
async function divideMonth(client: ClientBase, month: number): Promise<void> {
	const spans = partitionName("spans", month);
	const rest = (["blocks", "block_text_groups"] as const).map((table) => {
		const name = restPartitionName(table, month);
		return `
			alter table ${table} detach partition ${partitionName(table, month)};
			alter table ${partitionName(table, month)} rename to ${name};
			alter table ${table} attach partition ${name} for values from (${month}) to (${month + 1});`;
	});
	const isWhole = `to_regclass('${spans}') is not null and not ${isDaily(month)}`;
	await patiently(
		client,
		`do $do$ declare columns text; begin
			if ${isWhole} then
				set local lock_timeout = '${LOCK_WAIT}';
				lock table only spans, only blocks, only block_text_groups in access exclusive mode;
			end if;
			-- Another server may have done it.
			if ${isWhole} then
				lock table ${PARTITIONED_TABLES.flatMap((table) => [`${table}_default`, partitionName(table, month)]).join(", ")}
					in access exclusive mode;
				if (select count(*) from (select from ${spans} limit ${MOST_EARLY_SPANS + 1}) as early) <= ${MOST_EARLY_SPANS} then
					select string_agg(quote_ident(attname), ', ') into columns
						from pg_attribute where attrelid = '${spans}'::regclass and attnum > 0 and not attisdropped;
					alter table spans detach partition ${spans};
					execute format('insert into spans (%1$s) select %1$s from ${spans}', columns);
					drop table ${spans};
					${rest.join("")}
				end if;
			end if;
		end $do$`,
	);
}
