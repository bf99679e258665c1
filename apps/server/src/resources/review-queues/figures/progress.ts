import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import type { QueueRow } from "../queues.ts";

const MICROS_PER_DAY = 86_400_000_000;
const MICROS_PER_HOUR = 3_600_000_000;
const PACE_DAYS = 7;
/** With fewer reviews there is no pace. */
const LEAST_REVIEWS = 10;

interface Asking {
	readonly queue: Pick<QueueRow, "id" | "reviews_required">;
	readonly rights: Rights;
	/** Microseconds since 1970. */
	readonly now: number;
}

export interface ReviewerProgress {
	readonly reviewer: number;
	readonly reviews: number;
	readonly skips: number;
	/** Undefined where no review says how long it took. */
	readonly medianSeconds: number | undefined;
}

export interface DayProgress {
	/** `2026-11-28`, of UTC. */
	readonly date: string;
	readonly reviews: number;
	readonly skips: number;
	readonly decisions: number;
}

/** Ended turns of a queue on items in projects that are seen. */
function endedTurns({ queue, rights }: Asking): RawBuilder<unknown> {
	return sql`review_turns join review_items on review_items.id = review_turns.item_id
		where review_items.queue_id = ${queue.id} and review_turns.status <> 'reserved'
			and ${isSeenHome("review_items.project_id", rights)}`;
}

/** Most reviews first. */
export async function progressByReviewer(
	db: Kysely<Tables>,
	asking: Asking,
): Promise<{ readonly reviewers: readonly ReviewerProgress[]; readonly medianSeconds: number | undefined }> {
	const { rows } = await sql<{ reviewer: number; status: "done" | "skipped"; seconds: number | null; count: number }>`
		select review_turns.reviewer, review_turns.status, review_turns.seconds, count(*) as count
		from ${endedTurns(asking)}
		group by review_turns.reviewer, review_turns.status, review_turns.seconds`.execute(db);
	const counted = rows.map((row) => ({ ...row, count: Number(row.count) }));
	const reviewers = [...Map.groupBy(counted, ({ reviewer }) => reviewer)].map(([reviewer, own]) => ({
		...{ reviewer, reviews: addUp(own, "done"), skips: addUp(own, "skipped"), medianSeconds: medianOf(own) },
	}));
	reviewers.sort((left, right) => right.reviews - left.reviews || left.reviewer - right.reviewer);
	return { reviewers, medianSeconds: medianOf(counted) };
}

function addUp(rows: readonly { readonly status: string; readonly count: number }[], status: string): number {
	return rows.reduce((sum, row) => sum + (row.status === status ? row.count : 0), 0);
}

interface CountedSeconds {
	readonly status: string;
	readonly seconds: number | null;
	readonly count: number;
}

function medianOf(rows: readonly CountedSeconds[]): number | undefined {
	const known = rows
		.flatMap(({ status, seconds, count }) => (status === "done" && seconds !== null ? [{ seconds, count }] : []))
		.sort((left, right) => left.seconds - right.seconds);
	const all = known.reduce((sum, { count }) => sum + count, 0);
	if (all === 0) return undefined;
	const at = (place: number) => {
		let before = 0;
		return known.find(({ count }) => {
			before += count;
			return place < before;
		})?.seconds;
	};
	const [low = 0, high = 0] = [at(Math.floor((all - 1) / 2)), at(Math.floor(all / 2))];
	return (low + high) / 2;
}

/** The days on which there was something, the oldest first. */
export async function progressByDay(db: Kysely<Tables>, asking: Asking): Promise<readonly DayProgress[]> {
	const { queue, rights } = asking;
	const { rows } = await sql<{ day: number; kind: "done" | "skipped" | "decided"; count: number }>`
		select review_turns.finished_at / ${sql.lit(MICROS_PER_DAY)} as day, review_turns.status as kind, count(*) as count
		from ${endedTurns(asking)}
		group by 1, 2
		union all
		select decided_at / ${sql.lit(MICROS_PER_DAY)} as day, 'decided' as kind, count(*) as count
		from review_items
		where queue_id = ${queue.id} and decided_at is not null and ${isSeenHome("review_items.project_id", rights)}
		group by 1`.execute(db);
	const byDay = Map.groupBy(rows, ({ day }) => Number(day));
	return [...byDay]
		.sort(([left], [right]) => left - right)
		.map(([day, of]) => {
			const count = (kind: string) => Number(of.find((row) => row.kind === kind)?.count ?? 0);
			const date = new Date((day * MICROS_PER_DAY) / 1_000).toISOString().slice(0, 10);
			return { date, reviews: count("done"), skips: count("skipped"), decisions: count("decided") };
		});
}

/** How many reviews the open items still need. */
export async function countReviewsLeft(db: Kysely<Tables>, { queue, rights }: Asking): Promise<number> {
	const { rows } = await sql<{ left: number | null }>`
		select sum(${queue.reviews_required} - (
			select count(*) from review_turns where review_turns.item_id = review_items.id and review_turns.status = 'done'
		)) as "left"
		from review_items
		where queue_id = ${queue.id} and state = 'open' and ${isSeenHome("review_items.project_id", rights)}`.execute(db);
	return Math.max(0, Number(rows[0]?.left ?? 0));
}

/**
 * When so many more reviews would be there, at the pace from the first of the last seven days until now, in microseconds
 * since 1970. Undefined when there are none left, or fewer than {@link LEAST_REVIEWS} in that time.
 */
export async function estimateEnd(db: Kysely<Tables>, asking: Asking, left: number): Promise<number | undefined> {
	const { now } = asking;
	const { rows } = await sql<{ count: number; first: number | null }>`
		select count(*) as count, min(review_turns.finished_at) as first
		from ${endedTurns(asking)} and review_turns.status = 'done'
			and review_turns.finished_at > ${now - PACE_DAYS * MICROS_PER_DAY}`.execute(db);
	const [count, first] = [Number(rows[0]?.count ?? 0), Number(rows[0]?.first ?? now)];
	if (left === 0 || count < LEAST_REVIEWS) return undefined;
	return Math.round(now + (Math.max(now - first, MICROS_PER_HOUR) / count) * left);
}
