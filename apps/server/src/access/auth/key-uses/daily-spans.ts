import { sql, type Transaction } from "kysely";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";

const DAY_MICROS = 86_400_000_000;
/** Every so often what was sent is written; what others wrote is read when it is needed and older than this. */
const SHARE_MS = 2_000;

interface Total {
	readonly day: number;
	/** Of all servers, as of `readAt`, and what this one sent since. */
	spans: number;
	/** Milliseconds of `performance.now()` */
	readAt: number;
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
	readonly #onError: (error: unknown) => void;
	readonly #totals = new Map<number, Total>();
	readonly #reading = new Map<number, Promise<Total>>();
	#unwritten = new Map<string, Unwritten>();
	#timer: NodeJS.Timeout | undefined;
	#writing: Promise<void> = Promise.resolve();

	/** @param now microseconds since 1970 */
	constructor(db: Database, now: () => number, onError: (error: unknown) => void) {
		this.#db = db;
		this.#now = now;
		this.#onError = onError;
	}

	/** Counts what was stored. */
	add(keyId: number, spans: number): void {
		if (spans === 0) return;
		const day = dayOf(this.#now());
		const total = this.#totals.get(keyId);
		if (total?.day === day) total.spans += spans;
		const name = `${keyId} ${day}`;
		const unwritten = this.#unwritten.get(name) ?? { keyId, day, spans: 0 };
		unwritten.spans += spans;
		this.#unwritten.set(name, unwritten);
		this.#writeSoon();
	}

	/** Spans of this day so far. */
	async count(keyId: number): Promise<number> {
		const total = this.#totals.get(keyId);
		const isKnown = total?.day === dayOf(this.#now()) && performance.now() - total.readAt < SHARE_MS;
		return (isKnown ? total : await this.#read(keyId)).spans;
	}

	/** Seconds until the next day. */
	secondsLeft(): number {
		return Math.ceil((DAY_MICROS - (this.#now() % DAY_MICROS)) / 1_000_000);
	}

	/** Writes what was counted. */
	async [Symbol.asyncDispose](): Promise<void> {
		clearTimeout(this.#timer);
		await this.#writing;
		await this.#write().catch(this.#onError);
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
		await this.#writing;
		const day = dayOf(this.#now());
		const row = await this.#db.read
			.selectFrom("api_key_days")
			.select("spans")
			.where("key_id", "=", keyId)
			.where("day", "=", day)
			.executeTakeFirst();
		const spans = Number(row?.spans ?? 0) + (this.#unwritten.get(`${keyId} ${day}`)?.spans ?? 0);
		const total = { day, spans, readAt: performance.now() };
		this.#forgetEarlier(day);
		this.#totals.set(keyId, total);
		return total;
	}

	#forgetEarlier(day: number): void {
		for (const [keyId, total] of this.#totals) if (total.day < day) this.#totals.delete(keyId);
	}

	#writeSoon(): void {
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.#writing = this.#write().catch(this.#onError);
		}, SHARE_MS);
	}

	async #write(): Promise<void> {
		const unwritten = this.#unwritten;
		if (unwritten.size === 0) return;
		this.#unwritten = new Map();
		try {
			await this.#db.write(async (transaction) => {
				for (const each of unwritten.values()) await addToDay(transaction, each);
			});
		} catch (error) {
			// They count still, and are written when the database answers again.
			for (const [name, { keyId, day, spans }] of unwritten) {
				const since = this.#unwritten.get(name)?.spans ?? 0;
				this.#unwritten.set(name, { keyId, day, spans: spans + since });
			}
			this.#writeSoon();
			throw error;
		}
	}
}

function dayOf(micros: number): number {
	return Math.floor(micros / DAY_MICROS);
}

/** Nothing for a key that was deleted meanwhile. Earlier days of the key are removed. */
async function addToDay(transaction: Transaction<Tables>, { keyId, day, spans }: Unwritten): Promise<void> {
	const key = await transaction.selectFrom("api_keys").select("id").where("id", "=", keyId).executeTakeFirst();
	if (key === undefined) return;
	await transaction.deleteFrom("api_key_days").where("key_id", "=", keyId).where("day", "<", day).execute();
	await transaction
		.insertInto("api_key_days")
		.values({ key_id: keyId, day, spans })
		.onConflict((conflict) =>
			conflict.columns(["key_id", "day"]).doUpdateSet({ spans: sql`api_key_days.spans + excluded.spans` }),
		)
		.execute();
}
