import type { Kysely, Transaction } from "kysely";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { includesRole } from "#access/rights/roles.ts";
import { columnsOf, type FoundSubject, keyOf, type WantedGrant } from "#access/subjects/find-subjects.ts";
import { UserError } from "#base/errors.ts";
import { tagOf } from "#http/etag.ts";
import { type Principal, userOf } from "#http/principal.ts";
import type { Home } from "#http/rights.ts";
import type { Access, ProjectRole, Tables } from "#storage/schema.ts";
import type { NamedHome } from "./homes.ts";

/** Grants that a home may have. */
const MAX_GRANTS = 500;

/** What is stored for a home. */
export interface StoredAccess {
	readonly access: Access;
	readonly grants: readonly {
		readonly id: number;
		readonly user_id: number | null;
		readonly team_id: number | null;
		readonly role: ProjectRole;
	}[];
}

/** A change whose subjects were found. */
export interface WantedAccess {
	readonly access: Access | undefined;
	readonly set: readonly WantedGrant[];
	readonly remove: readonly FoundSubject[];
}

/** One thing that changed, as the audit log tells it. */
export type AccessStep =
	| { readonly kind: "access"; readonly before: Access; readonly after: Access }
	| {
			readonly kind: "grant";
			readonly subject: FoundSubject;
			readonly grantId: number | undefined;
			/** Undefined for a new grant. */
			readonly before: ProjectRole | undefined;
			/** Undefined for one that is taken away. */
			readonly after: ProjectRole | undefined;
	  };

export async function readAccess(db: Kysely<Tables>, home: Home): Promise<StoredAccess> {
	const grants = await db
		.selectFrom("grants")
		.select(["id", "user_id", "team_id", "role"])
		.where("project_id", home === "library" ? "is" : "=", home === "library" ? null : home)
		.orderBy("id")
		.execute();
	const row =
		home === "library"
			? await db.selectFrom("access_policy").select("library_access as access").executeTakeFirst()
			: await db.selectFrom("projects").select("access").where("id", "=", home).executeTakeFirst();
	return { access: row?.access ?? "open", grants };
}

/** The entity tag of what can be changed of a home. */
export function accessTag({ access, grants }: StoredAccess): string {
	return tagOf([access, grants.map(({ user_id, team_id, role }) => [user_id, team_id, role])]);
}

/**
 * What would be changed; nothing of what is as it is wanted already.
 * @throws UserError 409 when the home follows another one, or would have too many grants
 */
export function planAccess(named: NamedHome, before: StoredAccess, wanted: WantedAccess): AccessStep[] {
	if (named.follows) {
		throw new UserError(
			409,
			"access_follows",
			`The service made ${named.name} for something else, whose access it has: change it where that lives.`,
		);
	}
	const steps: AccessStep[] = [];
	if (wanted.access !== undefined && wanted.access !== before.access) {
		steps.push({ kind: "access", before: before.access, after: wanted.access });
	}
	const stored = new Map(
		before.grants.map((grant) => {
			const { user_id: userId, team_id: teamId } = grant;
			return [userId === null ? `team ${teamId}` : `user ${userId}`, grant] as const;
		}),
	);
	for (const { subject, role } of wanted.set) {
		const grant = stored.get(keyOf(subject));
		if (grant?.role === role) continue;
		steps.push({ kind: "grant", subject, grantId: grant?.id, before: grant?.role, after: role });
	}
	for (const subject of wanted.remove) {
		const grant = stored.get(keyOf(subject));
		if (grant === undefined) continue;
		steps.push({ kind: "grant", subject, grantId: grant.id, before: grant.role, after: undefined });
	}
	const added = steps.filter((step) => step.kind === "grant" && step.before === undefined).length;
	const removed = steps.filter((step) => step.kind === "grant" && step.after === undefined).length;
	if (added > 0 && before.grants.length + added - removed > MAX_GRANTS) {
		throw new UserError(
			409,
			"too_many_grants",
			`A project has at most ${MAX_GRANTS} grants: give roles to teams instead of to each person.`,
		);
	}
	return steps;
}

/** Whether somebody gets what they did not have. */
export function gives(step: AccessStep): boolean {
	if (step.kind === "access") return step.after === "open";
	return step.after !== undefined && !includesRole(step.before, step.after);
}

/** Stores what was planned, and says that rights changed. */
export async function storeAccess(
	transaction: Transaction<Tables>,
	home: Home,
	steps: readonly AccessStep[],
	{ principal, now }: { readonly principal: Principal; readonly now: number },
): Promise<void> {
	if (steps.length === 0) return;
	// Before the library's access is stored: it makes the row.
	await noteRightsChange(transaction);
	const createdBy = userOf(principal)?.id ?? null;
	for (const step of steps) {
		if (step.kind === "access") await storeOpenOrRestricted(transaction, home, step.after);
		else if (step.after === undefined)
			await transaction
				.deleteFrom("grants")
				.where("id", "=", step.grantId ?? 0)
				.execute();
		else if (step.grantId !== undefined)
			await transaction.updateTable("grants").set({ role: step.after }).where("id", "=", step.grantId).execute();
		else {
			const project_id = home === "library" ? null : home;
			const row = { project_id, ...columnsOf(step.subject), role: step.after, created_at: now, created_by: createdBy };
			await transaction.insertInto("grants").values(row).execute();
		}
	}
}

async function storeOpenOrRestricted(transaction: Transaction<Tables>, home: Home, access: Access): Promise<void> {
	if (home === "library") await transaction.updateTable("access_policy").set({ library_access: access }).execute();
	else await transaction.updateTable("projects").set({ access }).where("id", "=", home).execute();
}

/** What the audit log says of one thing that changed. */
export function stepDetails(step: AccessStep): Readonly<Record<string, string | null>> {
	if (step.kind === "access") return { access_before: step.before, access: step.after };
	const { subject, before = null, after = null } = step;
	return { [subject.type]: subject.name, role_before: before, role: after };
}
