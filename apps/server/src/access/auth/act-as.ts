import type { Kysely, Transaction } from "kysely";
import type { UserError } from "#base/errors.ts";
import type { AccessPolicy } from "#http/access-policy.ts";
import { type ActAs, type Actor, HIDDEN } from "#http/actor.ts";
import type { Principal } from "#http/principal.ts";
import { type Home, NO_RIGHTS, type Rights } from "#http/rights.ts";
import type { Database } from "#storage/database.ts";
import { prepared } from "#storage/prepared.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { ReadableTraces, TraceMutations, TraceStore } from "#storage/traces/trace-store.ts";
import type { RightsReader } from "../rights/rights-reader.ts";
import { includesRole } from "../rights/roles.ts";
import { VisibleTraces } from "../rights/visible-traces.ts";
import { accessEnded, forbidden, rightsChanged, roleNeeded, unauthorized } from "./access-errors.ts";
import { mayCall } from "./may-call.ts";
import { findCurrent } from "./principals/find-principals.ts";

/** What actors see and change. */
interface Stores {
	readonly db: Database;
	readonly traces: TraceStore;
	readonly auth: { readonly rights: RightsReader };
}

/** Lets principals see and change what is stored. */
export function actIn(stores: Stores): ActAs {
	return async (principal, access, role) => {
		const rights = access === "public" ? NO_RIGHTS : await stores.auth.rights.of(principal);
		return new ActorOfStores(stores, { principal, access, role, rights });
	};
}

interface Admission {
	readonly principal: Principal;
	readonly access: AccessPolicy;
	readonly role: ProjectRole;
	readonly rights: Rights;
}

class ActorOfStores implements Actor {
	readonly principal: Principal;
	readonly rights: Rights;
	readonly traces: ReadableTraces;
	readonly entered = new Map<Home, ProjectRole>();
	readonly hidden = new Set<Home>();
	readonly denied = new Set<string>();
	readonly #db: Database;
	readonly #mutations: TraceMutations;
	readonly #reader: RightsReader;
	readonly #access: AccessPolicy;
	readonly #role: ProjectRole;
	/** How often `#entered` has grown. */
	#entries = 0;

	constructor({ db, traces, auth }: Stores, { principal, access, role, rights }: Admission) {
		this.principal = principal;
		this.rights = rights;
		this.traces =
			rights.projects === "all" ? traces : new VisibleTraces(traces, rights, (home) => this.noteHidden(home));
		this.#db = db;
		this.#mutations = traces;
		this.#reader = auth.rights;
		this.#access = access;
		this.#role = role;
	}

	enter(home: Home, needed = this.#role): void {
		const own = this.rights.roleAt(home);
		if (!includesRole(own, needed)) throw this.#deny(roleNeeded(own, needed));
		const before = this.entered.get(home);
		if (includesRole(before, needed)) return;
		this.entered.set(home, needed);
		this.#entries += 1;
	}

	noteHidden(home: Home): void {
		this.hidden.add(home);
	}

	noteDenied(reason: string): void {
		this.denied.add(reason);
	}

	change<T>(work: (transaction: Transaction<Tables>, principal: Principal) => Promise<T>): Promise<T> {
		return this.#db.write(async (transaction) => {
			const principal = await this.#current(transaction);
			const entries = this.#entries;
			const result = await work(transaction, principal);
			// What the work found within the transaction, it entered with the rights of before.
			if (this.#entries > entries) await this.#assertRoles(transaction, principal);
			return result;
		});
	}

	async changeTraces<T>(work: (traces: TraceMutations) => Promise<T>): Promise<T> {
		await this.assertStillAllowed();
		return await work(this.#mutations);
	}

	assertStillAllowed(): Promise<Principal> {
		return this.#current(this.#db.read);
	}

	async assertSeesAsBefore(): Promise<void> {
		const current = await this.assertStillAllowed();
		if (await this.#reader.hidesMore(this, current)) throw rightsChanged();
	}

	async #current(db: Kysely<Tables>): Promise<Principal> {
		const current = await findCurrent(prepared(db), this.principal, Date.now() * 1_000);
		if (current === undefined) throw unauthorized("invalid");
		if (!mayCall(current, this.#access)) throw this.#deny(forbidden(current, this.#access, false));
		await this.#assertRoles(db, current);
		return current;
	}

	/** In the homes that were entered. @throws UserError 403 or 404 */
	async #assertRoles(db: Kysely<Tables>, principal: Principal): Promise<void> {
		if (this.entered.size === 0) return;
		const rights = await this.#reader.ofIn(db, principal);
		for (const [home, needed] of this.entered) {
			const own = rights.roleAt(home);
			if (own === undefined) {
				this.noteHidden(home);
				this.noteDenied(HIDDEN);
				throw accessEnded();
			}
			if (!includesRole(own, needed)) throw this.#deny(roleNeeded(own, needed));
		}
	}

	/** Notes it here, as what is sent bit by bit ends without an answer, and a batch answers for what it could do. */
	#deny(error: UserError): UserError {
		this.noteDenied(error.code);
		return error;
	}
}
