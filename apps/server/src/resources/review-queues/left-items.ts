import type { Kysely } from "kysely";
import { forgetOldest } from "#base/forget-oldest.ts";
import type { Rights } from "#http/rights.ts";
import type { Tables } from "#storage/schema.ts";
import type { QueueRow } from "./queues.ts";
import { type Asking, type Left, listLeft } from "./reserve.ts";

/** How long what is left is remembered. So long may an item wait that only now is in a project which the reviewer sees. */
const MAX_AGE = 60_000_000;
const MOST_KNOWN = 10_000;

interface Known {
	readonly left: Left;
	/** Both are others once they have changed. */
	readonly rights: Rights;
	readonly queueUpdatedAt: number;
}

/**
 * What is left for reviewers who have come to the end of a queue, where hardly any of many open items may still be theirs:
 * finding that out takes looking at all of them, so that it is remembered for a while. Each process does so for itself; what is
 * added or given back meanwhile is found without it.
 */
export class LeftItems {
	readonly #known = new Map<string, Known>();

	/** What is known to be left for a reviewer. */
	of(queue: QueueRow, { reviewer, rights, now }: Asking): Left | undefined {
		const known = this.#known.get(keyOf(queue, reviewer));
		const isValid =
			known !== undefined &&
			known.rights === rights &&
			known.queueUpdatedAt === queue.updated_at &&
			now - known.left.at < MAX_AGE;
		return isValid ? known.left : undefined;
	}

	/** Looks at the items of a queue until there are as many as `limit` which are left, and remembers when there are fewer. */
	async look(db: Kysely<Tables>, queue: QueueRow, asking: Asking, limit: number): Promise<Left> {
		const ids = await listLeft(db, queue, asking, limit);
		const left: Left = { ids, isAll: ids.length < limit, at: asking.now };
		const key = keyOf(queue, asking.reviewer);
		this.#known.delete(key);
		if (left.isAll) this.#known.set(key, { left, rights: asking.rights, queueUpdatedAt: queue.updated_at });
		forgetOldest(this.#known, MOST_KNOWN);
		return left;
	}
}

function keyOf({ id }: QueueRow, reviewer: number): string {
	return `${id} ${reviewer}`;
}
