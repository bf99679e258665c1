import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientBase } from "pg";
import { isConflict } from "#storage/postgres/storage-errors.ts";
import { DAY_MICROS, dayOf, monthOf, monthsAfter, type Period } from "./periods.ts";

/**
 * Earlier times, and those more than a year ahead, stay in the default partition: they come from wrong clocks and
 * tests.
 */
const FIRST_MONTH = Date.UTC(2015, 0) * 1_000;
const YEAR_MICROS = 366 * 86_400_000_000;

/** For how many days ahead there are partitions, where a month is partitioned by day. */
export const DAYS_AHEAD = 8;

/** After so many tries a statement that still conflicts fails. */
const MOST_TRIES = 5;
/** Longest wait for a lock on the default partition, since readers and writers queue behind it. */
export const LOCK_WAIT = "1s";
const BETWEEN_TRIES_MS = 500;
const LOCK_NOT_AVAILABLE = "55P03";

/** The partitioned tables, with the column that decides. */
const PARTITIONED = { spans: "start_micros", blocks: "month", block_text_groups: "month" } as const;

export type Partitioned = keyof typeof PARTITIONED;
export const PARTITIONED_TABLES = Object.keys(PARTITIONED) as Partitioned[];

/**
 * Creates missing partitions: by month from the month before `nowMicros` to two months after it, and by day from the
 * day before to eight days after it in months that are partitioned by day. To be called every day; concurrent calls do
 * no harm.
 */
export async function makePartitions(client: ClientBase, nowMicros: number): Promise<void> {
	const month = monthOf(nowMicros);
	await ensureMonths(client, monthsAfter(month, -1), monthsAfter(month, 2), nowMicros);
	await ensureDays(client, nowMicros - DAY_MICROS, nowMicros + DAYS_AHEAD * DAY_MICROS);
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
	const wanted: Wanted[] = [];
	for (let month = monthOf(Math.max(fromMicros, FIRST_MONTH)); month <= last; month = monthsAfter(month, 1))
		for (const table of PARTITIONED_TABLES)
			wanted.push({
				...{ table, name: partitionName(table, month), from: month, to: monthsAfter(month, 1) },
				isMissing: `to_regclass('${partitionName(table, month)}') is null and not ${isDaily(month)}`,
			});
	await makeMissing(client, wanted);
}

/** The same for the days of those times that are in months partitioned by day. */
async function ensureDays(client: ClientBase, fromMicros: number, toMicros: number): Promise<void> {
	const wanted: Wanted[] = [];
	for (let day = dayOf(fromMicros); day <= toMicros; day += DAY_MICROS)
		for (const table of PARTITIONED_TABLES) {
			const name = dayPartitionName(table, day);
			const isMissing = `to_regclass('${name}') is null and ${isDaily(monthOf(day))}`;
			wanted.push({ table, name, ...boundsOfDay(table, day), isMissing });
		}
	await makeMissing(client, wanted);
}

/** The keys of blocks of a day begin after the day does, as its first microsecond would stand for a month. */
function boundsOfDay(table: Partitioned, day: number): Period {
	return { from: table === "spans" ? day : day + 1, to: day + DAY_MICROS };
}

/** The name of the partition of `table` for the month that begins at `month`. */
export function partitionName(table: Partitioned, month: number): string {
	return `${table}_y${new Date(month / 1_000).toISOString().slice(0, 7).replace("-", "m")}`;
}

/** The name of the partition of `table` for the day that begins at `day`. */
export function dayPartitionName(table: Partitioned, day: number): string {
	return `${partitionName(table, day)}d${new Date(day / 1_000).toISOString().slice(8, 10)}`;
}

/** The partition for what belongs to several days of a month that is partitioned by day; `spans` has none. */
export function restPartitionName(table: Exclude<Partitioned, "spans">, month: number): string {
	return `${partitionName(table, month)}d00`;
}

/** A condition: whether a month is partitioned by day. */
export function isDaily(month: number): string {
	return `to_regclass('${restPartitionName("blocks", month)}') is not null`;
}

export interface NamedPartition {
	readonly period: Period;
	readonly length: "month" | "day" | "rest of the month";
}

/** What a partition holds, according to its name; undefined for the default partition and those of others. */
export function parsePartition(name: string): NamedPartition | undefined {
	const [, year, month, day] = /_y(\d{4})m(\d{2})(?:d(\d{2}))?$/.exec(name) ?? [];
	if (year === undefined) return undefined;
	const at = (dayOfMonth: number) => Date.UTC(Number(year), Number(month) - 1, dayOfMonth) * 1_000;
	const from = at(1);
	const isOfMonth = day === undefined || day === "00";
	if (isOfMonth)
		return {
			period: { from, to: monthsAfter(from, 1) },
			length: day === undefined ? "month" : "rest of the month",
		};
	return { period: { from: at(Number(day)), to: at(Number(day) + 1) }, length: "day" };
}

/** A partition to be made, with the bounds of its column and the condition under which it is. */
interface Wanted extends Period {
	readonly table: Partitioned;
	readonly name: string;
	readonly isMissing: string;
}

async function makeMissing(client: ClientBase, wanted: readonly Wanted[]): Promise<void> {
	if (wanted.length === 0) return;
	// A single statement is atomic, with or without a transaction of the caller. Writers read `spans` first.
	await patiently(
		client,
		`do $do$ begin
			if ${wanted.map(({ isMissing }) => `${isMissing}`).join(" or ")} then
				set local lock_timeout = '${LOCK_WAIT}';
				lock table ${PARTITIONED_TABLES.map((table) => `${table}_default`).join(", ")} in access exclusive mode;
				${wanted.map(makePartition).join("")}
			end if;
		end $do$`,
	);
}

/** Runs a statement that locks tables, again where others have locked them for long. */
export async function patiently(client: ClientBase, statement: string): Promise<void> {
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

/** Attaching takes a weaker lock on the parent than creating a partition in place, so reads and writes go on. */
function makePartition({ table, name, from, to, isMissing }: Wanted): string {
	const column = PARTITIONED[table];
	return `
				if ${isMissing} then
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
