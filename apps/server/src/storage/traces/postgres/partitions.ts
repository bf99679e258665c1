import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientBase } from "pg";
import { isConflict } from "#storage/postgres/storage-errors.ts";

/**
 * Earlier times, and those more than a year ahead, stay in the default partition: they come from wrong clocks and
 * tests.
 */
const FIRST_MONTH = Date.UTC(2015, 0) * 1_000;
const YEAR_MICROS = 366 * 86_400_000_000;

/** After so many tries a statement that still conflicts fails. */
const MOST_TRIES = 5;
/** Longest wait for a lock on the default partition, since readers and writers queue behind it. */
const LOCK_WAIT = "1s";
const BETWEEN_TRIES_MS = 500;
const LOCK_NOT_AVAILABLE = "55P03";

/** The tables with a partition for each month, with the column that tells the month. */
const PARTITIONED = { spans: "start_micros", blocks: "month", block_text_groups: "month" } as const;

type Partitioned = keyof typeof PARTITIONED;
const TABLES = Object.keys(PARTITIONED) as Partitioned[];

/** The month found last: consecutive spans are mostly of the same month. */
let latest = { from: 0, to: 0 };

/** The month (UTC) of a time, as its first microsecond since 1970. */
export function monthOf(micros: number): number {
	if (micros < latest.from || micros >= latest.to) {
		const date = new Date(Math.floor(micros / 1_000));
		const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) * 1_000;
		latest = { from, to: monthsAfter(from, 1) };
	}
	return latest.from;
}

/** The first microsecond of the month that is `count` months after the one that begins at `month`. */
export function monthsAfter(month: number, count: number): number {
	const date = new Date(month / 1_000);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1) * 1_000;
}

/**
 * Creates missing partitions, from the month before `nowMicros` to two months after it. To be called several times a
 * month; concurrent calls do no harm.
 */
export async function makePartitions(client: ClientBase, nowMicros: number): Promise<void> {
	const month = monthOf(nowMicros);
	await ensureMonths(client, monthsAfter(month, -1), monthsAfter(month, 2), nowMicros);
}

/**
 * Creates missing partitions for the months of the times from `fromMicros` to `toMicros`, so that a large import does
 * not go to the default partition. Rows that are there already are moved. Writers to other months are not blocked.
 */
export async function ensureMonths(
	client: ClientBase,
	fromMicros: number,
	toMicros: number,
	nowMicros: number = Date.now() * 1_000,
): Promise<void> {
	const last = Math.min(toMicros, nowMicros + YEAR_MICROS);
	const months: number[] = [];
	for (let month = monthOf(Math.max(fromMicros, FIRST_MONTH)); month <= last; month = monthsAfter(month, 1))
		months.push(month);
	if (months.length === 0) return;
	const missing = months.flatMap((month) => TABLES.map((table) => isMissing(table, month)));
	const make = months.flatMap((month) => TABLES.map((table) => makePartition(table, month)));
	// A single statement is atomic, with or without a transaction of the caller. Writers read `spans` first.
	const statement = `do $do$ begin
		if ${missing.join(" or ")} then
			set local lock_timeout = '${LOCK_WAIT}';
			lock table ${TABLES.map((table) => `${table}_default`).join(", ")} in access exclusive mode;
			${make.join("")}
		end if;
	end $do$`;
	for (let tries = 1; ; tries += 1) {
		try {
			await client.query(statement);
			return;
		} catch (error) {
			const isLocked = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
			if (tries === MOST_TRIES || !(isConflict(error) || isLocked)) throw error;
			await sleep(BETWEEN_TRIES_MS);
		}
	}
}

/** The name of the partition of `table` for the month that begins at `from` microseconds. */
export function partitionName(table: Partitioned, month: number): string {
	return `${table}_y${new Date(month / 1_000).toISOString().slice(0, 7).replace("-", "m")}`;
}

function isMissing(table: Partitioned, month: number): string {
	return `to_regclass('${partitionName(table, month)}') is null`;
}

/** Attaching takes a weaker lock on the parent than creating a partition in place, so reads and writes go on. */
function makePartition(table: Partitioned, from: number): string {
	const column = PARTITIONED[table];
	const name = partitionName(table, from);
	const to = monthsAfter(from, 1);
	return `
			if ${isMissing(table, from)} then
				${table === "spans" ? createPacked(name) : `create table ${name} (like ${table} including all);`}
				execute (
					select format(
						'with moved as (delete from ${table}_default where ${column} >= ${from} and ${column} < ${to} returning *)
						insert into ${name} (%1$s) select %1$s from moved', string_agg(quote_ident(attname), ', '))
					from pg_attribute where attrelid = '${name}'::regclass and attnum > 0);
				alter table ${table} attach partition ${name} for values from (${from}) to (${to});
			end if;`;
}

/**
 * Creates a partition of `spans` whose columns are in an order that needs no bytes for alignment, a tenth of a row:
 * wide ones that are never null, then those of four bytes, then the others that need alignment, then texts and bytes.
 * Attaching it adds the indexes. https://www.postgresql.org/docs/current/storage-page-layout.html
 */
function createPacked(name: string): string {
	return `execute (
					select format('create table ${name} (%s)', string_agg(
						format('%I %s %s %s', attname, format_type(atttypid, atttypmod),
							case when attcollation <> typcollation then 'collate "C"' end, case when attnotnull then 'not null' end),
						', ' order by attlen = -1, attlen <> 4 and not attnotnull, attlen desc, not attnotnull, attnum))
					from pg_attribute join pg_type on pg_type.oid = atttypid
					where attrelid = 'spans'::regclass and attnum > 0 and not attisdropped);`;
}
