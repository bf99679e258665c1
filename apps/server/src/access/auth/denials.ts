import type { FastifyBaseLogger } from "fastify";
import { sql } from "kysely";
import type { UserError } from "#base/errors.ts";
import { readersGone } from "#base/readers-gone.ts";
import { type Actor, HIDDEN } from "#http/actor.ts";
import { type Principal, userOf } from "#http/principal.ts";
import type { Home } from "#http/rights.ts";
import type { Database } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import type { AuditEntry, AuditLog, AuditTarget, Origin } from "./audit.ts";

const MINUTE = 60_000_000;
/** Entries a minute, of all actors together: of refused calls, and as many of hidden things. */
const MAX_A_MINUTE = 200;
/** When what is noted is recorded: long after the answer, which takes as long for hidden things as for no such things. */
const DELAY_MS = 1_000;

interface Parts {
	readonly audit: AuditLog;
	readonly db: Pick<Database, "read">;
	readonly log: FastifyBaseLogger;
	/** Microseconds since 1970. */
	readonly now: () => number;
}

/** Somebody asked for what is not for them. */
interface Noted {
	readonly entry: Omit<AuditEntry, "target">;
	/** One of the homes of what is hidden, or the route that was refused. */
	readonly about: { readonly home: Home } | { readonly route: string };
}

/**
 * Counts calls that were denied, and records them in the audit log: one entry a minute for an actor and a route, and a
 * limited number in all, so that nobody can flood it. When the limit is reached the log says so, and the next entry has
 * the number of calls that were left out.
 */
export class Denials implements AsyncDisposable {
	readonly #parts: Parts;
	readonly #counts = new Map<string, number>();
	readonly #refusedEntries: MinuteLimit;
	readonly #hiddenEntries: MinuteLimit;
	readonly #recorded = new WeakSet<UserError>();
	#waiting: Noted[] = [];
	#timer: NodeJS.Timeout | undefined;
	#writing: Promise<void> = Promise.resolve();

	constructor(parts: Parts) {
		this.#parts = parts;
		const { log, now } = parts;
		this.#refusedEntries = new MinuteLimit(now, () =>
			log.warn({ limit: MAX_A_MINUTE }, "further refused calls are not recorded"),
		);
		this.#hiddenEntries = new MinuteLimit(now, () =>
			log.warn({ limit: MAX_A_MINUTE }, "further requests for hidden things are not recorded"),
		);
	}

	/** How often this process denied calls: `hidden`, or the code of the error. */
	get counts(): ReadonlyMap<string, number> {
		return this.#counts;
	}

	/** Records a call that was refused with 403 before its handler ran. */
	async record(principal: Principal, route: string, error: UserError, request: Origin): Promise<void> {
		const { code } = error;
		this.#recorded.add(error);
		this.#count(code);
		const leftOut = this.#refusedEntries.admit(principal, route);
		if (leftOut === undefined) return;
		try {
			await this.#parts.audit.record({
				...toEntry(principal, code, request, { leftOut }),
				target: { type: "route", name: route },
			});
		} catch (error) {
			// The refusal stands, whatever the storage says.
			this.#refusedEntries.giveBack(leftOut);
			this.#parts.log.error({ err: error }, "could not record a refused call");
		}
	}

	/** Whether the call that ended with this error is recorded already. */
	hasRecorded(error: UserError): boolean {
		return this.#recorded.has(error);
	}

	/** Notes what a call was denied. Returns at once; it is recorded later. */
	note(
		{ principal, denied, hidden }: Pick<Actor, "principal" | "denied" | "hidden">,
		route: string,
		{ id, ip, headers }: Origin,
	): void {
		const request = { id, ip, headers: { "user-agent": headers["user-agent"] } };
		for (const reason of denied) {
			if (reason === HIDDEN) this.#noteHidden(principal, route, hidden, request);
			else this.#noteRefused(principal, route, reason, request);
		}
	}

	#noteHidden(principal: Principal, route: string, homes: ReadonlySet<Home>, request: Origin): void {
		const [home] = homes;
		if (home === undefined) return;
		this.#count(HIDDEN);
		const leftOut = this.#hiddenEntries.admit(principal, route);
		if (leftOut === undefined) return;
		const entry = toEntry(principal, HIDDEN, request, { leftOut, route, homes: homes.size });
		this.#recordLater({ entry, about: { home } });
	}

	#noteRefused(principal: Principal, route: string, code: string, request: Origin): void {
		this.#count(code);
		const leftOut = this.#refusedEntries.admit(principal, route);
		if (leftOut === undefined) return;
		this.#recordLater({ entry: toEntry(principal, code, request, { leftOut }), about: { route } });
	}

	/** @param reason one of few */
	#count(reason: string): void {
		this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
	}

	#recordLater(noted: Noted): void {
		this.#waiting.push(noted);
		// It is for no request that it is recorded.
		this.#timer ??= readersGone.exit(() => setTimeout(() => this.#writeLater(), DELAY_MS));
	}

	/** Records what was noted. */
	async [Symbol.asyncDispose](): Promise<void> {
		clearTimeout(this.#timer);
		this.#writeLater();
		await this.#writing;
	}

	#writeLater(): void {
		this.#timer = undefined;
		const waiting = this.#waiting;
		this.#waiting = [];
		this.#writing = this.#writing
			.then(() => this.#write(waiting))
			.catch((error: unknown) => {
				this.#parts.log.error({ err: error, entries: waiting.length }, "could not record denied calls");
			});
	}

	async #write(waiting: readonly Noted[]): Promise<void> {
		if (waiting.length === 0) return;
		const { db, audit } = this.#parts;
		const ids = waiting.flatMap(({ about }) => ("route" in about || about.home === "library" ? [] : [about.home]));
		const projects = await db.read
			.selectFrom("projects")
			.select(["id", "name"])
			.where(sql<boolean>`id in ${listed(ids)}`)
			.execute();
		const names = new Map(projects.map(({ id, name }) => [id, name]));
		for (const { entry, about } of waiting) await audit.record({ ...entry, target: toTarget(about, names) });
	}
}

function toTarget(about: Noted["about"], names: ReadonlyMap<number, string>): AuditTarget {
	if ("route" in about) return { type: "route", name: about.route };
	if (about.home === "library") return { type: "library", name: "library" };
	const name = names.get(about.home);
	return { type: "project", id: about.home, ...(name !== undefined && { name }) };
}

/** Admits one entry a minute for an actor and a route, and a limited number in all. */
class MinuteLimit {
	readonly #now: () => number;
	readonly #onReached: () => void;
	#minute = 0;
	#leftOut = 0;
	readonly #admitted = new Set<string>();

	/** @param onReached is called for the first entry that is left out */
	constructor(now: () => number, onReached: () => void) {
		this.#now = now;
		this.#onReached = onReached;
	}

	/** @returns how many were left out before this entry; undefined to leave it out */
	admit(principal: Principal, route: string): number | undefined {
		const minute = Math.floor(this.#now() / MINUTE);
		if (minute !== this.#minute) this.#admitted.clear();
		this.#minute = minute;
		const key = `${principal.kind} ${userOf(principal)?.id} ${route}`;
		if (this.#admitted.has(key)) return undefined;
		if (this.#admitted.size >= MAX_A_MINUTE) {
			if (this.#leftOut++ === 0) this.#onReached();
			return undefined;
		}
		this.#admitted.add(key);
		const leftOut = this.#leftOut;
		this.#leftOut = 0;
		return leftOut;
	}

	/** Counts again what an entry would have said. */
	giveBack(leftOut: number): void {
		this.#leftOut += leftOut;
	}
}

function toEntry(
	principal: Principal,
	code: string,
	request: Origin,
	{ leftOut, ...facts }: { readonly leftOut: number; readonly route?: string; readonly homes?: number },
): Omit<AuditEntry, "target"> {
	const details = { ...facts, ...(leftOut > 0 && { left_out: leftOut }) };
	const some = Object.keys(details).length > 0;
	return { action: "access.denied", outcome: "denied", code, principal, request, ...(some && { details }) };
}
