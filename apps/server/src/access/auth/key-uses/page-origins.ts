import type { Database } from "#storage/database.ts";
import { parseList } from "../principals/key-limits.ts";

/** How long a change may go unseen. */
const MAX_AGE_MS = 1_000;

/** The origins of web pages that may send with some key. */
export class PageOrigins {
	readonly #db: Pick<Database, "read">;
	readonly #now: () => number;
	#read: { readonly at: number; readonly origins: Promise<ReadonlySet<string>> } | undefined;

	/** @param now microseconds since 1970 */
	constructor(db: Pick<Database, "read">, now: () => number) {
		this.#db = db;
		this.#now = now;
	}

	/** Whether a key that is not expired lists this origin. */
	async has(origin: string): Promise<boolean> {
		const at = performance.now();
		if (this.#read === undefined || at - this.#read.at >= MAX_AGE_MS) {
			const origins = this.#readAll();
			this.#read = { at, origins };
			origins.catch(() => {
				this.#read = undefined;
			});
		}
		return (await this.#read.origins).has(origin);
	}

	/** To be called after every change of keys. */
	invalidate(): void {
		this.#read = undefined;
	}

	async #readAll(): Promise<ReadonlySet<string>> {
		const nowMs = Math.floor(this.#now() / 1_000);
		const rows = await this.#db.read
			.selectFrom("api_keys")
			.select("allowed_origins")
			.where("allowed_origins", "is not", null)
			.where((where) => where.or([where("expires_at_ms", "is", null), where("expires_at_ms", ">", nowMs)]))
			.execute();
		return new Set(rows.flatMap(({ allowed_origins }) => parseList(allowed_origins ?? "[]")));
	}
}
