import type { Kysely } from "kysely";
import { monotonicMs } from "#base/monotonic.ts";
import { readersGone } from "#base/readers-gone.ts";
import { keyLimited } from "#http/access-policy.ts";
import type { Actor } from "#http/actor.ts";
import { homesOf, makerOf, type Principal } from "#http/principal.ts";
import { ALL_RIGHTS, type Home, type Rights, type SeenProjects } from "#http/rights.ts";
import type { ReadableDatabase } from "#storage/database.ts";
import { readRightsVersion } from "#storage/projects/rights-version.ts";
import type { Access, Tables } from "#storage/schema.ts";
import { membersCreateNoProjects } from "../auth/access-errors.ts";
import { limitsOfSender } from "./limits-of-sender.ts";
import { limitedTo, rightsOfUser } from "./rights-of-user.ts";
import { type PolicyVariables, type RightsState, readState } from "./rights-state.ts";
import type { SenderRights } from "./sender-rights.ts";

/** How long a change by another process may go unseen. */
const MAX_AGE_MS = 1_000;
/** From this age on the version is looked at again while what is known is still used. */
const RENEW_AGE_MS = 500;
/** Senders whose limits are remembered at once. */
const MOST_LIMITS = 1_000;

/** The rights of users as they are in one state. */
interface Known {
	readonly state: RightsState;
	/** By user and role. */
	readonly ofUsers: Map<string, Rights>;
	/** What senders may write, by user, role and homes. */
	readonly limits: Map<string, { readonly limits: string | undefined; readonly readAtMs: number }>;
}

type WithAccount = Exclude<Principal, { kind: "anonymous" | "admin_secret" }>;

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

	/** What is stored, as `transaction` reads it. */
	async stateIn(transaction: Kysely<Tables>): Promise<RightsState> {
		return (await this.#knownIn(transaction)).state;
	}

	/** The rights of now, at most a second old. @throws StorageUnavailable when they cannot be read */
	async of(principal: Principal): Promise<Rights> {
		if (principal.kind === "anonymous" || principal.kind === "admin_secret") return ALL_RIGHTS;
		const isAdmin = principal.user.role === "ADMIN" && homesOf(principal) === undefined;
		if (isAdmin) return ALL_RIGHTS;
		return await this.#ofIn(this.#db.read, await this.#current(), principal);
	}

	/** What a variable says of the access of new projects; undefined where the stored policy counts. */
	get pinnedAccess(): Access | undefined {
		return this.#pinned.defaultProjectAccess;
	}

	/** @throws UserError 403 when the principal may make no projects, as `transaction` reads the policy */
	async assertMakesProjects(transaction: Kysely<Tables>, principal: Principal): Promise<void> {
		if (isUnlimited(principal)) return;
		if (homesOf(principal) !== undefined) throw keyLimited();
		const { state } = await this.#knownIn(transaction);
		if (!state.policy.membersCreateProjects) throw membersCreateNoProjects();
	}

	/**
	 * What an export may write; undefined while authentication is off. Without limits for admins, for the system, and for
	 * members while nothing is restricted.
	 * @throws StorageUnavailable when it cannot be read
	 */
	async ofSender(principal: Principal): Promise<SenderRights | undefined> {
		if (principal.kind === "anonymous") return undefined;
		const decided = { maker: makerOf(principal), decidedAtMs: monotonicMs() };
		if (isUnlimited(principal)) return decided;
		const known = await this.#current();
		const { version, lastProject } = known.state;
		const limits = await this.#limitsOf(known, principal);
		return { ...decided, decidedBy: { version, lastProject }, ...(limits === undefined ? {} : { limits }) };
	}

	/** The rights as `transaction` reads them. */
	async ofIn(transaction: Kysely<Tables>, principal: Principal): Promise<Rights> {
		if (principal.kind === "anonymous" || principal.kind === "admin_secret") return ALL_RIGHTS;
		return await this.#ofIn(transaction, await this.#knownIn(transaction), principal);
	}

	/** Whether there is anything that somebody saw before, and does not see as `current`, which they are now. */
	async hidesMore(before: Pick<Actor, "principal" | "rights">, current: Principal): Promise<boolean> {
		if (current.kind === "anonymous" || current.kind === "admin_secret") return false;
		const known = await this.#knownIn(this.#db.read);
		const rights = await this.#ofIn(this.#db.read, known, current);
		if (rights === before.rights) return false;
		if (homesOf(current) !== undefined && homesOf(before.principal) === undefined) return true;
		const { projects } = before.rights;
		const { restricted, follows } = known.state;
		// Others are open, and hidden only from keys that are limited to some.
		const homes = new Set<Home>([
			...restricted,
			...follows.keys(),
			...(isList(projects) ? projects.only : []),
			"library",
		]);
		return [...homes].some((home) => before.rights.roleAt(home) !== undefined && rights.roleAt(home) === undefined);
	}

	/** @returns JSON of `ProjectLimits` */
	async #limitsOf(known: Known, principal: WithAccount): Promise<string | undefined> {
		const homes = homesOf(principal);
		const { id, role } = principal.user;
		const key = `${id} ${role} ${homes === undefined ? "" : [...homes.projectIds, homes.library].join()}`;
		const found = known.limits.get(key);
		const now = monotonicMs();
		// What is deleted, and may be made again, changes no version.
		if (found !== undefined && now - found.readAtMs < MAX_AGE_MS) return found.limits;
		const rights = await this.#ofIn(this.#db.read, known, principal);
		const limits = await limitsOfSender(this.#db.read, { state: known.state, rights, homes });
		const text = limits && JSON.stringify(limits);
		if (known.limits.size >= MOST_LIMITS) known.limits.clear();
		known.limits.set(key, { limits: text, readAtMs: now });
		return text;
	}

	async #ofIn(db: Kysely<Tables>, known: Known, principal: WithAccount): Promise<Rights> {
		const { id, role } = principal.user;
		const key = `${id} ${role}`;
		let rights = known.ofUsers.get(key);
		if (rights === undefined) {
			rights = rightsOfUser(known.state, { userId: id, role, teamIds: await teamsOf(db, id) });
			known.ofUsers.set(key, rights);
		}
		const homes = homesOf(principal);
		return homes === undefined ? rights : limitedTo(known.state, rights, homes);
	}

	/** What is known when it is what the transaction sees; otherwise it reads for itself, and that is not remembered. */
	async #knownIn(transaction: Kysely<Tables>): Promise<Known> {
		const { version, lastProject } = await readRightsVersion(transaction);
		const known = this.#known;
		if (known !== undefined && known.state.version === version && known.state.lastProject === lastProject) return known;
		return { state: await readState(transaction, this.#pinned), ofUsers: new Map(), limits: new Map() };
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
		// Other requests join it.
		const done = readersGone
			.exit(() => this.#renewed())
			.then(
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
			const { version, lastProject } = await readRightsVersion(this.#db.read);
			if (known.state.version === version && known.state.lastProject === lastProject) return known;
		}
		return { state: await readState(this.#db.read, this.#pinned), ofUsers: new Map(), limits: new Map() };
	}
}

function isList(projects: SeenProjects): projects is Extract<SeenProjects, { only: unknown }> {
	return projects !== "all" && "only" in projects;
}

/** May write everywhere, and make projects, whatever rights are stored. */
function isUnlimited(principal: Principal): boolean {
	if (principal.kind === "anonymous" || principal.kind === "admin_secret") return true;
	const { role } = principal.user;
	return (role === "ADMIN" || role === "SYSTEM") && homesOf(principal) === undefined;
}

/** The teams that a user is a member of, by whatever source. */
export async function teamsOf(db: Kysely<Tables>, userId: number): Promise<ReadonlySet<number>> {
	const rows = await db.selectFrom("team_members").select("team_id").distinct().where("user_id", "=", userId).execute();
	return new Set(rows.map(({ team_id }) => team_id));
}
