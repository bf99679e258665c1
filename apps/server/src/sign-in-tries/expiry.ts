import type { Context } from "../context.ts";

const EVERY_MS = 600_000;

/** Deletes what is kept of sign-ins, personal data among it, when its time is over: at once and every ten minutes. */
export class SignInExpiry implements AsyncDisposable {
	readonly #context: Pick<Context, "db" | "log" | "now">;
	readonly #timer: NodeJS.Timeout;
	#running: Promise<void>;

	constructor(context: Pick<Context, "db" | "log" | "now">, everyMs = EVERY_MS) {
		this.#context = context;
		this.#running = this.#deleteExpired();
		this.#timer = setInterval(() => {
			this.#running = this.#running.then(() => this.#deleteExpired());
		}, everyMs);
		this.#timer.unref();
	}

	async #deleteExpired(): Promise<void> {
		const { db, log, now } = this.#context;
		try {
			await db.write(async (transaction) => {
				await transaction.deleteFrom("sign_in_tries").where("expires_at", "<=", now()).execute();
				await transaction.deleteFrom("spent_sign_ins").where("expires_at", "<=", now()).execute();
			});
		} catch (error) {
			log.error({ err: error }, "what was kept of former sign-ins could not be deleted; trying again in ten minutes");
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#timer);
		await this.#running;
	}
}
