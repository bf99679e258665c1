import type { Database } from "#storage/database.ts";

type Used = "api_keys" | "login_sessions";

const RESOLUTION_MICROS = 60_000_000;
const DELAY_MS = 1_000;

/** Notes when keys and sessions were last used, to the minute: at most one write a minute for each, many in one. */
export class LastUses implements AsyncDisposable {
	readonly #db: Database;
	readonly #onError: (error: unknown) => void;
	#waiting: Readonly<Record<Used, Map<number, number>>> = none();
	#timer: NodeJS.Timeout | undefined;
	#writing: Promise<void> = Promise.resolve();

	constructor(db: Database, onError: (error: unknown) => void) {
		this.#db = db;
		this.#onError = onError;
	}

	/** @param lastUsedAt what the row says, microseconds */
	note(table: Used, id: number, lastUsedAt: number | null, now: number): void {
		if (lastUsedAt !== null && now - lastUsedAt < RESOLUTION_MICROS) return;
		this.#waiting[table].set(id, now);
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.#writing = this.#write().catch(this.#onError);
		}, DELAY_MS);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearTimeout(this.#timer);
		await this.#writing;
		await this.#write().catch(this.#onError);
	}

	async #write(): Promise<void> {
		const waiting = this.#waiting;
		if (waiting.api_keys.size + waiting.login_sessions.size === 0) return;
		this.#waiting = none();
		await this.#db.write(async (transaction) => {
			for (const table of ["api_keys", "login_sessions"] as const) {
				for (const [id, at] of waiting[table]) {
					await transaction
						.updateTable(table)
						.set({ last_used_at: at })
						.where("id", "=", id)
						.where((where) => where.or([where("last_used_at", "is", null), where("last_used_at", "<", at)]))
						.execute();
				}
			}
		});
	}
}

function none(): Record<Used, Map<number, number>> {
	return { api_keys: new Map(), login_sessions: new Map() };
}
