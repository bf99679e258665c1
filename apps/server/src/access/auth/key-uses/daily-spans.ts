import { sql, type Transaction } from "kysely";
import { WriteBehind } from "#base/write-behind.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";

const DAY_MICROS = 86_400_000_000;
/** Every so often what was sent is written, which also tells what others wrote. */
const SHARE_MS = 2_000;
/** What is known longer is read again before it is used; from `SHARE_MS` on it is read meanwhile. */
const MAX_AGE_MS = 2 * SHARE_MS;

interface Total {
	readonly day: number;
	/** Of all servers, as of `readAt`, and what this one sent since. */
	spans: number;
	/** Milliseconds of `performance.now()` */
	readonly readAt: number;
}

interface Unwritten {
	readonly keyId: number;
	readonly day: number;
	spans: number;
}

/**
 * Counts the spans that keys sent on the current day (UTC) to all servers. Servers tell each other through the database
 * every two seconds, so a limit is exceeded by what is sent within some seconds.
 */
export class DailySpans implements AsyncDisposable {
	readonly #db: Database;
	readonly #now: () => number;
	readonly #totals = new Map<number, Total>();
	readonly #reading = new Map<number, Promise<Total>>();
	#unwritten = new Map<string, Unwritten>();
	readonly #later: WriteBehind;

	/** @param now microseconds since 1970 */
	constructor(db: Database, now: () => number, onError: (error: unknown) => void) {
		this.#db = db;
		this.#now = now;
		this.#later = new WriteBehind(() => this.#write().catch(onError), SHARE_MS);
	}

	/** Counts what was stored. */
	add(keyId: number, spans: number): void {
		if (spans === 0) return;
		const day = dayOf(this.#now());
		const total = this.#totals.get(keyId);
		if (total?.day === day) total.spans += spans;
		const name = nameOf(keyId, day);
		const unwritten = this.#unwritten.get(name) ?? { keyId, day, spans: 0 };
		unwritten.spans += spans;
		this.#unwritten.set(name, unwritten);
		this.#later.soon();
	}

	/** Spans of this day so far. */
	async count(keyId: number): Promise<number> {
		const total = this.#totals.get(keyId);
		const age = total?.day === dayOf(this.#now()) ? performance.now() - total.readAt : Infinity;
		if (total === undefined || age >= MAX_AGE_MS) return (await this.#read(keyId)).spans;
		// A failure here repeats, and is reported, when a request has to wait for it.
		if (age >= SHARE_MS) this.#read(keyId).catch(() => undefined);
		return total.spans;
	}

	/** Seconds until the next day. */
	secondsLeft(): number {
		return Math.ceil((DAY_MICROS - (this.#now() % DAY_MICROS)) / 1_000_000);
	}

	/** Writes what was counted. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#later[Symbol.asyncDispose]();
	}

	/** Joins a read under way. */
	#read(keyId: number): Promise<Total> {
		const running = this.#reading.get(keyId);
		if (running !== undefined) return running;
		const reading = this.#readTotal(keyId).finally(() => this.#reading.delete(keyId));
		this.#reading.set(keyId, reading);
		return reading;
	}

	async #readTotal(keyId: number): Promise<Total> {
		await this.#later.settled();
		const day = dayOf(this.#now());
		const row = await this.#db.read
			.selectFrom("api_key_days")
			.select("spans")
			.where("key_id", "=", keyId)
			.where("day", "=", day)
			.executeTakeFirst();
		this.#forgetEarlier(day);
		return this.#know(keyId, day, row?.spans ?? 0);
	}

	/** @param stored the spans of all servers that are written */
	#know(keyId: number, day: number, stored: number): Total {
		const spans = stored + (this.#unwritten.get(nameOf(keyId, day))?.spans ?? 0);
		const total = { day, spans, readAt: performance.now() };
		this.#totals.set(keyId, total);
		return total;
	}

	#forgetEarlier(day: number): void {
		for (const [keyId, total] of this.#totals) if (total.day < day) this.#totals.delete(keyId);
	}

	async #write(): Promise<void> {
		const unwritten = this.#unwritten;
		if (unwritten.size === 0) return;
		this.#unwritten = new Map();
		try {
			const stored = await this.#db.write(async (transaction) => {
				const found: Unwritten[] = [];
				for (const each of unwritten.values()) found.push(...(await addToDay(transaction, each)));
				return found;
			});
			const today = dayOf(this.#now());
			for (const { keyId, day, spans } of stored) if (day === today) this.#know(keyId, day, spans);
		} catch (error) {
			// They count still, and are written when the database answers again.
			for (const [name, { keyId, day, spans }] of unwritten) {
				const since = this.#unwritten.get(name)?.spans ?? 0;
				this.#unwritten.set(name, { keyId, day, spans: spans + since });
			}
			this.#later.soon();
			throw error;
		}
	}
}

function dayOf(micros: number): number {
	return Math.floor(micros / DAY_MICROS);
}

function nameOf(keyId: number, day: number): string {
	return `${keyId} ${day}`;
}

/**
 * Removes earlier days of the key with the first spans of a day. On SQLite exports wait for this transaction.
 * @returns what all servers have written of the day; nothing for a key that was deleted meanwhile
 */
async function addToDay(transaction: Transaction<Tables>, { keyId, day, spans }: Unwritten): Promise<Unwritten[]> {
	const row = await transaction
		.insertInto("api_key_days")
		.columns(["key_id", "day", "spans"])
		.expression((database) =>
			database
				.selectFrom("api_keys")
				.select(["id", sql<number>`${day}`.as("day"), sql<number>`${spans}`.as("spans")])
				.where("id", "=", keyId),
		)
		.onConflict((conflict) =>
			conflict.columns(["key_id", "day"]).doUpdateSet({ spans: sql`api_key_days.spans + excluded.spans` }),
		)
		.returning("spans")
		.executeTakeFirst();
	if (row === undefined) return [];
	if (row.spans === spans) {
		await transaction.deleteFrom("api_key_days").where("key_id", "=", keyId).where("day", "<", day).execute();
	}
	return [{ keyId, day, spans: row.spans }];
}
