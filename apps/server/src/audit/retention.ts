import type { Context } from "../context.ts";
import { deleteAuditEvents } from "./queries.ts";

const HOUR_MS = 3_600_000;
const DAY_MICROS = 86_400_000_000;
/** What holds the write lock at a time. */
const BATCH = 1_000;

/** Deletes entries of the audit log that are older than `SERVICE_AUDIT_RETENTION_DAYS`, at once and every hour. */
export class AuditRetention implements AsyncDisposable {
	readonly #context: Pick<Context, "config" | "db" | "log" | "now">;
	readonly #timer: NodeJS.Timeout;
	#running: Promise<void>;
	#stopped = false;

	constructor(context: Pick<Context, "config" | "db" | "log" | "now">) {
		this.#context = context;
		this.#running = this.#deleteOld();
		this.#timer = setInterval(() => {
			this.#running = this.#running.then(() => this.#deleteOld());
		}, HOUR_MS);
		this.#timer.unref();
	}

	async #deleteOld(): Promise<void> {
		const { config, db, log, now } = this.#context;
		const before = now() - config.SERVICE_AUDIT_RETENTION_DAYS * DAY_MICROS;
		let deleted = 0;
		try {
			for (let last = BATCH; last === BATCH && !this.#stopped; deleted += last) {
				last = await db.write((transaction) => deleteAuditEvents(transaction, before, BATCH));
			}
			if (deleted > 0) log.info({ deleted }, "deleted old entries of the audit log");
		} catch (error) {
			log.error({ err: error }, "old entries of the audit log could not be deleted; trying again in an hour");
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopped = true;
		clearInterval(this.#timer);
		await this.#running;
	}
}
