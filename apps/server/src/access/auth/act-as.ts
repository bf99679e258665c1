import type { Kysely, Transaction } from "kysely";
import type { AccessPolicy } from "#http/access-policy.ts";
import type { ActAs, Actor } from "#http/actor.ts";
import type { Principal } from "#http/principal.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { TraceMutations } from "#storage/traces/trace-store.ts";
import { forbidden, unauthorized } from "./access-errors.ts";
import { mayCall } from "./may-call.ts";
import { findCurrent } from "./principals/find-principals.ts";

/** What actors change. */
interface Stores {
	readonly db: Database;
	readonly traces: TraceMutations;
}

/** Lets principals change what is stored. */
export function actIn(stores: Stores): ActAs {
	return (principal, access) => new ActorOfStores(stores, principal, access);
}

class ActorOfStores implements Actor {
	readonly principal: Principal;
	readonly #db: Database;
	readonly #traces: TraceMutations;
	readonly #access: AccessPolicy;

	constructor({ db, traces }: Stores, principal: Principal, access: AccessPolicy) {
		this.#db = db;
		this.#traces = traces;
		this.principal = principal;
		this.#access = access;
	}

	change<T>(work: (transaction: Transaction<Tables>, principal: Principal) => Promise<T>): Promise<T> {
		return this.#db.write(async (transaction) => work(transaction, await this.#current(transaction)));
	}

	async changeTraces<T>(work: (traces: TraceMutations) => Promise<T>): Promise<T> {
		await this.assertStillAllowed();
		return await work(this.#traces);
	}

	assertStillAllowed(): Promise<Principal> {
		return this.#current(this.#db.read);
	}

	async #current(db: Kysely<Tables>): Promise<Principal> {
		const current = await findCurrent(db, this.principal, Date.now() * 1_000);
		if (current === undefined) throw unauthorized("invalid");
		if (!mayCall(current, this.#access)) throw forbidden(current, this.#access, false);
		return current;
	}
}
