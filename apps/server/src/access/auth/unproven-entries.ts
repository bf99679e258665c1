import type { AuditEntry } from "./audit.ts";

const MINUTE = 60_000_000;
/** Entries a minute about unknown accounts, and about each known one. */
const MAX_UNKNOWN = 120;
const MAX_EACH = 30;

/**
 * Limits the entries of the audit log that anybody can cause by log-ins from any number of addresses, which could fill
 * the disk. What is left out is counted. Accounts have separate limits, as have the ways to sign in and how far a
 * sign-in got: what anybody can cause with an address alone crowds out nobody whom a provider or directory knows.
 */
export class UnprovenEntries {
	#minute = 0;
	#leftOut = 0;
	readonly #counts = new Map<string, number>();

	/**
	 * Takes room for an entry; undefined when there is none.
	 * @returns how many were left out in the minutes before, reported once
	 */
	admit(entry: AuditEntry, now: number): { readonly leftOut: number } | undefined {
		if (!isUnproven(entry)) return { leftOut: 0 };
		const minute = Math.floor(now / MINUTE);
		if (minute !== this.#minute) this.#counts.clear();
		const leftOut = minute === this.#minute ? 0 : this.#leftOut;
		this.#leftOut -= leftOut;
		this.#minute = minute;
		const { target } = entry;
		const about = aboutOf(entry);
		const count = (this.#counts.get(about) ?? 0) + 1;
		if (count > (target === undefined ? MAX_UNKNOWN : MAX_EACH)) {
			this.#leftOut++;
			return undefined;
		}
		this.#counts.set(about, count);
		return { leftOut };
	}
}

function aboutOf({ target, details: { provider, directory, step } = {} }: AuditEntry): string {
	return target === undefined ? ["", provider, directory, step].join(" ") : `${target.type} ${target.id}`;
}

function isUnproven({ principal, request, outcome }: AuditEntry): boolean {
	return principal === undefined && request !== undefined && outcome !== "success";
}
