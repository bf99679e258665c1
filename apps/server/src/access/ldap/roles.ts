import { canonicalDn } from "#base/ldap-syntax/dn.ts";
import type { GivenRole } from "#base/roles.ts";
import type { GroupRoleMapping } from "#base/settings/ldap-kinds.ts";

export interface Groups {
	readonly dns: readonly string[];
	/** Bases below which groups could not be read, or not all of them; "" is everywhere. */
	readonly unread: readonly string[];
}

/** Undefined role: nothing matches. "unsure": a group that could not be read might give another role. */
export type RoleDecision =
	| { readonly outcome: "matched"; readonly role: GivenRole; readonly groupDn: string }
	| { readonly outcome: "unsure" }
	| { readonly outcome: "none" };

const EVERYBODY = "*";

/**
 * The role of the first mapping that matches. Where groups could not be read the outcome is unsure if one of them could
 * have matched an earlier mapping, and for a `*` that is not first.
 */
export function decideRole(mappings: readonly GroupRoleMapping[], { dns, unread }: Groups): RoleDecision {
	const held = new Set(dns.map(canonicalDn));
	const places = unread.map((base) => canonicalDn(base) ?? "");
	let isSure = true;
	for (const { groupDn, role } of mappings) {
		if (groupDn === EVERYBODY) {
			const isFirst = groupDn === mappings[0]?.groupDn;
			return isFirst || places.length === 0 ? { outcome: "matched", role, groupDn } : { outcome: "unsure" };
		}
		const dn = canonicalDn(groupDn);
		if (held.has(dn)) return isSure ? { outcome: "matched", role, groupDn } : { outcome: "unsure" };
		if (places.some((place) => isBelow(dn ?? "", place))) isSure = false;
	}
	return { outcome: places.length === 0 ? "none" : "unsure" };
}

/** Whether a canonical DN may be below another, or is it. */
export function isBelow(dn: string, place: string): boolean {
	return place === "" || dn === place || dn.endsWith(`,${place}`);
}
