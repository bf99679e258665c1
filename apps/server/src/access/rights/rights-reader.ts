import type { Kysely } from "kysely";
import { homesOf, type Principal } from "#http/principal.ts";
import { ALL_RIGHTS, type Rights } from "#http/rights.ts";
import type { ReadableDatabase } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { limitedTo, rightsOfUser } from "./rights-of-user.ts";
import { type PolicyVariables, type RightsState, readState, readVersion } from "./rights-state.ts";

/** How long a change by another process may go unseen. */
const MAX_AGE_MS = 1_000;
/** From this age on the version is looked at again while what is known is still used. */
const RENEW_AGE_MS = 500;

/** The rights of users as they are in one state. */
interface Known {
	readonly state: RightsState;
	/** By user and role. */
	readonly ofUsers: Map<string, Rights>;
}

/**
 * Says what principals see and may do. What is stored is read whole and remembered; whether it has changed is looked at
 * each second, in the primary database, and a change in this process counts at once.
 */
export class RightsReader {
	readonly #db: ReadableDatabase;
	readonly #pinned: PolicyVariables;
	#known: Known | undefined;
	/** When the version was last seen to be that of `#known`, milliseconds of `performance.now()`. */
	#checkedAt = Number.NEGATIVE_INFINITY;
	#checking: { readonly done: Promise<Known>; readonly startedAt: number } | undefined;

	constructor(db: ReadableDatabase, pinned: PolicyVariables) {
		this.#db = db;
		this.#pinned = pinned;
	}

	/** To be called after every change of what decides rights, before its answer. */
	invalidate(): void {
		this.#checkedAt = Number.NEGATIVE_INFINITY;
		// A check that began before the change must not answer requests that begin after it.
		this.#checking = undefined;
	}

	/** What is stored, at most a second old. */
	async state(): Promise<RightsState> {
		return (await this.#current()).state;
	}

	/** The rights of now, at most a second old. @throws StorageUnavailable when they cannot be read */
	async of(principal: Principal): Promise<Rights> {
		if (principal.kind === "anonymous" || principal.kind === "admin_secret") return ALL_RIGHTS;
		const isAdmin = principal.user.role === "ADMIN" && homesOf(principal) === undefined;
		if (isAdmin) return ALL_RIGHTS;
		return await this.#ofIn(this.#db.read, await this.#current(), principal);
	}

	/** The rights as `transaction` reads them. */
	async ofIn(transaction: Kysely<Tables>, principal: Principal): Promise<Rights> {
		if (principal.kind === "anonymous" || principal.kind === "admin_secret") return ALL_RIGHTS;
		return await this.#ofIn(transaction, await this.#knownIn(transaction), principal);
	}

	async #ofIn(
		db: Kysely<Tables>,
		known: Known,
		principal: Exclude<Principal, { kind: "anonymous" | "admin_secret" }>,
	): Promise<Rights> {
		const { id, role } = principal.user;
		const key = `${id} ${role}`;
		let rights = known.ofUsers.get(key);
		if (rights === undefined) {
			rights = rightsOfUser(known.state, { userId: id, role, teamIds: await teamsOf(db, id) });
			known.ofUsers.set(key, rights);
		}
		const homes = homesOf(principal);
		return homes === undefined ? rights : limitedTo(rights, homes);
	}

	/** What is known when it is what the transaction sees; otherwise it reads for itself, and that is not remembered. */
	async #knownIn(transaction: Kysely<Tables>): Promise<Known> {
		const { version, lastProject } = await readVersion(transaction);
		const known = this.#known;
		if (known !== undefined && known.state.version === version && known.state.lastProject === lastProject) return known;
		return { state: await readState(transaction, this.#pinned), ofUsers: new Map() };
	}

	async #current(): Promise<Known> {
		const age = performance.now() - this.#checkedAt;
		if (this.#known === undefined || age >= MAX_AGE_MS) return await this.#check();
		// A failure here repeats, and is reported, when a request has to wait for it.
		if (age >= RENEW_AGE_MS) this.#check().catch(() => undefined);
		return this.#known;
	}

	#check(): Promise<Known> {
		const startedAt = performance.now();
		const running = this.#checking;
		// One that takes long may have looked long ago, so it is not joined.
		if (running !== undefined && startedAt - running.startedAt < MAX_AGE_MS) return running.done;
		const done = this.#renewed().then(
			(known) => {
				if (this.#checking?.done !== done) return known;
				this.#checking = undefined;
				this.#known = known;
				this.#checkedAt = startedAt;
				return known;
			},
			(error: unknown) => {
				if (this.#checking?.done === done) this.#checking = undefined;
				throw error;
			},
		);
		this.#checking = { done, startedAt };
		return done;
	}

	async #renewed(): Promise<Known> {
		const known = this.#known;
		if (known !== undefined) {
			const { version, lastProject } = await readVersion(this.#db.read);
			if (known.state.version === version && known.state.lastProject === lastProject) return known;
		}
		return { state: await readState(this.#db.read, this.#pinned), ofUsers: new Map() };
	}
}

async function teamsOf(db: Kysely<Tables>, userId: number): Promise<ReadonlySet<number>> {
	const rows = await db.selectFrom("team_members").select("team_id").distinct().where("user_id", "=", userId).execute();
	return new Set(rows.map(({ team_id }) => team_id));
}
