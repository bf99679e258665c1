import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import { either } from "#storage/either.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { joinInOrder, table } from "#storage/sql-pieces.ts";
import { ORDERS, type Place } from "./orders.ts";
import type { QueueRow } from "./queues.ts";
import { isTaken } from "./states.ts";

const MICROS_PER_MINUTE = 60_000_000;
/** So many of the reviewer's last turns are looked at for the place that they have come to. */
const LAST_TURNS = 20;
/** Clocks of servers differ, and what is committed later may have an earlier time, by so many microseconds. */
const LEEWAY = 10_000_000;

export interface Asking {
	readonly reviewer: number;
	readonly rights: Rights;
	/** Row numbers of projects in which the reviewer only reads; 0 for the library. */
	readonly readOnly: ReadonlySet<number>;
	/** Row numbers of items whose targets the reviewer does not see. */
	readonly hidden?: ReadonlySet<number>;
	/** Microseconds since 1970. */
	readonly now: number;
}

export interface Reserved {
	readonly item_id: number;
	readonly target_row_id: number;
	/** Null for the library. */
	readonly project_id: number | null;
	readonly draft: string | null;
	readonly reserved_until: number;
}

/** The first items that were left for a reviewer, by row number in no order. */
export interface Left {
	readonly ids: readonly number[];
	/** Whether there were no others. */
	readonly isAll: boolean;
	/** When they were looked for, microseconds since 1970. */
	readonly at: number;
}

/**
 * Reserves an item for a reviewer: the one that they took before, as long as there is a turn left on it, else the next in the
 * order of the queue that they have neither reviewed nor skipped.
 *
 * Whoever was given an item was given the first one that there was, so that the next one is at its place or later, apart from
 * those that were added or given back since. So it does not matter how many the reviewer has had. What only now is in a
 * project that they see is given when nothing else is left.
 * @param left what is known to be left for the reviewer, as {@link listLeft} has it
 * @returns `unknown` when all items would have to be looked at; `nothing` when nothing is left
 */
export async function reserve(
	transaction: Transaction<Tables>,
	queue: QueueRow,
	asking: Asking,
	left: Left | undefined,
): Promise<Reserved | "unknown" | "nothing"> {
	const own = await listOwn(transaction, queue, asking.reviewer);
	const held = own.some(({ is_held }) => is_held === 1) ? await holdAgain(transaction, queue, asking) : undefined;
	if (held !== undefined) return held;
	const place = placeOf(queue, own);
	if (left !== undefined) {
		const reserved = await reserveFirst(transaction, queue, asking, [sinceLeft(queue, left)]);
		return reserved ?? (left.isAll ? "nothing" : "unknown");
	}
	if (place === undefined) return "unknown";
	const since = place.started_at - LEEWAY;
	return (
		(await reserveFirst(transaction, queue, asking, [
			...ORDERS[queue.item_order].from(place).map((isLater) => sql`review_items where ${isLater} and`),
			itemsOf([...givenBack(queue, since), ...(ORDERS[queue.item_order].grows ? [] : [addedSince(queue, since)])]),
		])) ?? "unknown"
	);
}

/** The first items that are left for a reviewer, with those that they hold; looks at all items that are open until then. */
export async function listLeft(
	db: Kysely<Tables>,
	queue: QueueRow,
	asking: Asking,
	limit: number,
): Promise<readonly number[]> {
	const { rows } = await sql<{ readonly id: number }>`
		select review_items.id from review_items
		where ${isLeft(queue, asking)}
		order by ${ORDERS[queue.item_order].by}
		limit ${limit}`.execute(db);
	return rows.map(({ id }) => id);
}

/**
 * Row numbers of the items that a reviewer is likely to be given next, in their order, without those that they hold; nothing is
 * reserved. From the place on that the reviewer has come to, without what was given back or added before it.
 */
export async function listUpcoming(
	db: Kysely<Tables>,
	queue: QueueRow,
	asking: Asking,
	limit: number,
): Promise<readonly number[]> {
	const { by, from } = ORDERS[queue.item_order];
	const place = placeOf(queue, await listOwn(db, queue, asking.reviewer));
	const isHeld = sql<boolean>`exists (
		select 1 from review_turns as held
		where held.item_id = review_items.id and held.reviewer = ${asking.reviewer} and held.reserved_until > ${asking.now}
	)`;
	const parts = (place === undefined ? [sql<boolean>`true`] : from(place)).map(
		(isLater) => sql`select id from (
			select review_items.id from review_items
			where ${isLater} and ${isLeft(queue, asking)} and not ${isHeld}
			order by ${by} limit ${limit}
		) as part`,
	);
	const { rows } = await sql<{ readonly id: number }>`
		select review_items.id from (${sql.join(parts, sql` union all `)}) as parts
		${joinInOrder} review_items on review_items.id = parts.id
		order by ${by}
		limit ${limit}`.execute(db);
	return rows.map(({ id }) => id);
}

/**
 * How many items of a queue wait for this reviewer, also those that they hold; no more than `most` are counted.
 * @param left what is known to be left for the reviewer
 * @returns undefined when all items would have to be looked at
 */
export async function countOpen(
	db: Kysely<Tables>,
	queue: QueueRow,
	asking: Asking,
	{ left, most }: { readonly left: Left | undefined; readonly most: number },
): Promise<number | undefined> {
	if (left !== undefined && !left.isAll) return most;
	const place = left === undefined ? placeOf(queue, await listOwn(db, queue, asking.reviewer)) : undefined;
	const parts =
		left === undefined
			? place && ORDERS[queue.item_order].from(place).map((isLater) => sql`review_items where ${isLater} and`)
			: [sinceLeft(queue, left)];
	if (parts === undefined) return undefined;
	const ids = parts.map(
		(from) => sql`select id from (
			select review_items.id from ${from} ${isLeft(queue, asking)} limit ${most}
		) as part`,
	);
	const { rows } = await sql<{ readonly count: number }>`
		select count(*) as count from (
			select id from (${sql.join(ids, sql` union `)}) as waiting limit ${most}
		) as counted`.execute(db);
	const count = Number(rows[0]?.count ?? 0);
	return left === undefined && count < most ? undefined : count;
}

/** The item that the reviewer has, with a new lease. */
async function holdAgain(
	transaction: Transaction<Tables>,
	queue: QueueRow,
	asking: Asking,
): Promise<Reserved | undefined> {
	const { rows } = await sql<Reserved>`
		update review_turns set reserved_until = ${leaseOf(queue, asking)}
		where id = (
			select own.id from review_turns as own
			join review_items on review_items.id = own.item_id
			where own.queue_id = ${queue.id} and own.reviewer = ${asking.reviewer} and own.status = 'reserved'
				and own.reserved_until > 0 and ${isOpen(queue, asking)}
			-- Not by the index, which has all turns of the reviewer: few are reserved.
			order by own.started_at + 0 desc, own.id desc
			limit 1
		)
		returning ${RESERVED}`.execute(transaction);
	return rows[0];
}

/** Where a reviewer has been. */
interface Own extends Place {
	readonly started_at: number;
	/** Whether they have the item, or had it until its lease ended. */
	readonly is_held: 0 | 1;
}

/** Of the last turns of a reviewer since the queue was changed, and what they hold. */
async function listOwn(db: Kysely<Tables>, queue: QueueRow, reviewer: number): Promise<readonly Own[]> {
	const { rows } = await sql<Own>`
		select review_items.id, priority, random_rank, started_at, is_held
		from (
			select item_id, started_at, 0 as is_held from (
				select item_id, started_at from review_turns
				where queue_id = ${queue.id} and reviewer = ${reviewer} and started_at > ${queue.updated_at}
				order by started_at desc
				limit ${LAST_TURNS}
			) as last
			union all
			select item_id, started_at, 1 from review_turns
			where queue_id = ${queue.id} and reviewer = ${reviewer} and status = 'reserved' and reserved_until > 0
		) as own
		${joinInOrder} review_items on review_items.id = own.item_id`.execute(db);
	return rows;
}

/** The furthest place in the order of the queue that a reviewer has come to since the queue was changed. */
function placeOf(queue: QueueRow, own: readonly Own[]): Own | undefined {
	const last = own.filter(({ is_held }) => is_held === 0);
	return last.toSorted(ORDERS[queue.item_order].compare).at(-1);
}

/** Lists of `item_id`: of items on which a turn ended, or may have ended, without an answer since a time. */
function givenBack({ id }: QueueRow, since: number): readonly RawBuilder<unknown>[] {
	return [
		sql`select item_id from review_turns where queue_id = ${id} and status = 'reserved'`,
		sql`select item_id from review_turns where queue_id = ${id} and status = 'skipped' and finished_at >= ${since}`,
	];
}

function addedSince({ id }: QueueRow, since: number): RawBuilder<unknown> {
	return sql`select id as item_id from review_items where queue_id = ${id} and created_at >= ${since}`;
}

/** The items of these lists, each by its row number: PostgreSQL would rather look at all that are open. */
function itemsOf(lists: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
	const listed = sql`(${sql.join(lists, sql` union `)}) as listed`;
	return either({
		sqlite: sql`${listed} cross join review_items on review_items.id = listed.item_id where`,
		postgres: sql`${listed} cross join lateral (
			select * from review_items where review_items.id = listed.item_id offset 0
		) as review_items where`,
	});
}

/** What may be left where these items were; followed by further conditions. */
function sinceLeft(queue: QueueRow, { ids, isAll, at }: Left): RawBuilder<unknown> {
	const rows = ids.map((id) => [id]);
	const known = sql`select item_id from ${table("known", { item_id: "bigint" }, rows)}`;
	const since = at - LEEWAY;
	return itemsOf(isAll ? [known, ...givenBack(queue, since), addedSince(queue, since)] : [known]);
}

const RESERVED = sql`item_id, draft, reserved_until,
	(select target_row_id from review_items where review_items.id = item_id) as target_row_id,
	(select project_id from review_items where review_items.id = item_id) as project_id`;

/** @param parts of `review_items`, each followed by further conditions */
async function reserveFirst(
	transaction: Transaction<Tables>,
	queue: QueueRow,
	asking: Asking,
	parts: readonly RawBuilder<unknown>[],
): Promise<Reserved | undefined> {
	const { by } = ORDERS[queue.item_order];
	const candidates = parts.map(
		(from) => sql`select id from (
			select review_items.id from ${from} ${isLeft(queue, asking)} order by ${by} limit 1
		) as candidate`,
	);
	const { rows } = await sql<Reserved>`
		insert into review_turns (queue_id, item_id, reviewer, status, reserved_until, started_at)
		select review_items.queue_id, review_items.id, ${asking.reviewer}, 'reserved', ${leaseOf(queue, asking)}, ${asking.now}
		from (${sql.join(candidates, sql` union all `)}) as candidates
		${joinInOrder} review_items on review_items.id = candidates.id
		where true
		order by ${by}
		limit 1
		on conflict (item_id, reviewer) do update
			set reserved_until = excluded.reserved_until, started_at = excluded.started_at
		returning ${RESERVED}`.execute(transaction);
	return rows[0];
}

function leaseOf({ lease_minutes }: QueueRow, { now }: Asking): number {
	return now + lease_minutes * MICROS_PER_MINUTE;
}

/** Condition on a row of `review_items`: the reviewer may be given it, and has neither reviewed nor skipped it. */
function isLeft(queue: QueueRow, asking: Asking): RawBuilder<boolean> {
	// Counted, as PostgreSQL may read all turns to find what does not exist.
	return sql<boolean>`(
			select count(*) from review_turns as own
			where own.item_id = review_items.id and own.reviewer = ${asking.reviewer} and own.status <> 'reserved'
		) = 0 and ${isOpen(queue, asking)}`;
}

/** Condition on a row of `review_items`: there is a turn left for somebody. */
function isOpen(queue: QueueRow, { reviewer, rights, readOnly, hidden, now }: Asking): RawBuilder<boolean> {
	return sql<boolean>`review_items.queue_id = ${queue.id} and review_items.state = 'open'
		and ${isSeenHome("review_items.project_id", rights)}
		${readOnly.size === 0 ? sql`` : sql`and coalesce(review_items.project_id, 0) not in ${listed([...readOnly])}`}
		${hidden === undefined || hidden.size === 0 ? sql`` : sql`and review_items.id not in ${listed([...hidden])}`}
		and (
			select count(*) from review_turns
			where review_turns.item_id = review_items.id and review_turns.reviewer <> ${reviewer} and ${isTaken(now)}
		) < ${queue.reviews_required}`;
}
