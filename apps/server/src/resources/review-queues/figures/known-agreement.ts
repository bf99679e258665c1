import { type Kysely, sql } from "kysely";
import type { Rights } from "#http/rights.ts";
import type { Tables } from "#storage/schema.ts";
import type { QueueRow } from "../queues.ts";
import type { AgreementResult } from "./thread-messages.ts";

const MOST_KNOWN = 20;

/** What agreement is of. */
export interface AgreementOf {
	readonly queueId: number;
	readonly queueUpdatedAt: number;
	/** Of the items, as {@link readRevision} has it. */
	readonly revision: string;
	readonly isDecider: boolean;
	/** The same object as long as they are the same. */
	readonly rights: Rights;
}

export interface CountedAgreement {
	readonly result: AgreementResult;
	/** Items with answers. */
	readonly items: number;
}

/** The agreement that was computed last, for who may see the same answers as whoever asked then. It has no names. */
export class KnownAgreement {
	/** The last ones first. */
	#known: readonly (AgreementOf & CountedAgreement)[] = [];

	find(of: AgreementOf): CountedAgreement | undefined {
		return this.#known.find(
			(known) =>
				known.queueId === of.queueId &&
				known.queueUpdatedAt === of.queueUpdatedAt &&
				known.revision === of.revision &&
				known.isDecider === of.isDecider &&
				known.rights === of.rights,
		);
	}

	/** @param of read before the answers, so that what was answered meanwhile is another revision */
	keep(of: AgreementOf, counted: CountedAgreement): void {
		this.#known = [{ ...of, ...counted }, ...this.#known].slice(0, MOST_KNOWN);
	}
}

/** What is another text once an answer, a decision or an item of the queue has changed, or an item its project. */
export async function readRevision(db: Kysely<Tables>, { id }: Pick<QueueRow, "id">): Promise<string> {
	const { rows } = await sql`
		select state, project_id, count(*) as items, sum(id) as ids, max(updated_at) as last,
			sum(updated_at % 1000000) as times
		from review_items
		where queue_id = ${id}
		group by state, project_id
		order by state, project_id`.execute(db);
	return JSON.stringify(rows);
}
