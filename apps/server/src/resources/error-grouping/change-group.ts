import { type ExpressionBuilder, sql, type Transaction } from "kysely";
import type { ErrorActivity, Tables } from "#storage/schema.ts";

/** Who changes a group. */
export interface Changer {
	/** As in `audit_events`: `session`, `api_key`, …; `service` for what happens by itself. */
	readonly kind: string;
	/** Null where there is none. */
	readonly userId: number | null;
}

const SERVICE: Changer = { kind: "service", userId: null };

/** What a person makes of a group. */
export type StateChange =
	| { readonly state: "open" }
	| {
			readonly state: "resolved";
			/** Only occurrences of releases that were first seen after this one reopen it. */
			readonly inRelease?: string;
	  }
	| {
			readonly state: "ignored";
			/** Until one of these is the case; for ever without any. */
			readonly until?: IgnoredUntil;
	  };

interface IgnoredUntil {
	/** Microseconds since 1970. */
	readonly time?: number;
	/** So many more occurrences. */
	readonly occurrences?: number;
	/** Occurrences from now on of so many different users. */
	readonly users?: number;
}

export interface GroupChange {
	readonly state?: StateChange;
	/** Null for nobody. */
	readonly assigneeId?: number | null;
}

/**
 * Changes state and assignee of a group, and writes down who did. What changes nothing leaves no trace; resolving a
 * resolved group again, or ignoring an ignored one, counts from now.
 * @param now microseconds since 1970
 * @returns false when there is no such group
 */
export async function changeGroup(
	transaction: Transaction<Tables>,
	groupId: number,
	change: GroupChange,
	{ by, now }: { readonly by: Changer; readonly now: number },
): Promise<boolean> {
	const group = await transaction
		.selectFrom("error_groups")
		.select(["state", "assignee_id", "regressed_at"])
		.where("id", "=", groupId)
		.executeTakeFirst();
	if (group === undefined) return false;
	const { state, assigneeId } = change;
	if (state !== undefined && !(state.state === "open" && group.state === "open" && group.regressed_at === null)) {
		await setState(transaction, groupId, state, now);
		if (state.state !== group.state || state.state !== "open")
			await noteStateChange(transaction, groupId, state, { by, now });
	}
	if (assigneeId !== undefined && assigneeId !== group.assignee_id) {
		await transaction
			.updateTable("error_groups")
			.set((group) => ({ assignee_id: assigneeId, ...revised(group, now) }))
			.where("id", "=", groupId)
			.execute();
		const action = assigneeId === null ? "unassigned" : "assigned";
		const details = assigneeId === null ? {} : { assignee_id: assigneeId };
		await noteActivity(transaction, { groupId, action, details, by, now });
	}
	return true;
}

/** What no state keeps of another one. */
const NO_STATE = {
	regressed_at: null,
	resolved_at: null,
	resolved_in_release: null,
	ignored_at: null,
	ignore_until: null,
	ignore_occurrences: null,
	ignore_users: null,
	ignored_total: null,
	ignored_after: null,
};

async function setState(
	transaction: Transaction<Tables>,
	groupId: number,
	change: StateChange,
	now: number,
): Promise<void> {
	const ofGroup = transaction.updateTable("error_groups").where("id", "=", groupId);
	switch (change.state) {
		case "open":
			await ofGroup.set((group) => ({ ...NO_STATE, state: "open", ...revised(group, now) })).execute();
			return;
		case "resolved": {
			const { inRelease = null } = change;
			const resolved = { state: "resolved", resolved_at: now, resolved_in_release: inRelease } as const;
			await ofGroup.set((group) => ({ ...NO_STATE, ...resolved, ...revised(group, now) })).execute();
			return;
		}
		case "ignored": {
			const { time = null, occurrences = null, users = null } = change.until ?? {};
			const ignored = {
				...({ state: "ignored", ignored_at: now, ignore_until: time } as const),
				...{ ignore_occurrences: occurrences, ignore_users: users },
			};
			await ofGroup
				.set((group) => ({
					...NO_STATE,
					...ignored,
					ignored_total: group.ref("total_count"),
					ignored_after: sql<number>`(select coalesce(max(id), 0) from error_occurrences)`,
					...revised(group, now),
				}))
				.execute();
		}
	}
}

async function noteStateChange(
	transaction: Transaction<Tables>,
	groupId: number,
	change: StateChange,
	{ by, now }: { readonly by: Changer; readonly now: number },
): Promise<void> {
	const note = (action: ErrorActivity, details: Readonly<Record<string, unknown>>) =>
		noteActivity(transaction, { groupId, action, details, by, now });
	if (change.state === "open") return await note("reopened", {});
	if (change.state === "resolved")
		return await note("resolved", change.inRelease === undefined ? {} : { release: change.inRelease });
	return await note("ignored", { ...change.until });
}

/** Opens a group by itself. @param regressed whether it was resolved */
export async function reopen(
	transaction: Transaction<Tables>,
	groupId: number,
	{
		regressed,
		details,
		now,
	}: {
		readonly regressed: boolean;
		/** Why, for its activity. */
		readonly details: Readonly<Record<string, unknown>>;
		readonly now: number;
	},
): Promise<void> {
	await transaction
		.updateTable("error_groups")
		.set((group) => ({
			...{ ...NO_STATE, state: "open", regressed_at: regressed ? now : null },
			...revised(group, now),
		}))
		.where("id", "=", groupId)
		.execute();
	const action = regressed ? "regressed" : "unignored";
	await noteActivity(transaction, { groupId, action, details, by: SERVICE, now });
}

/** Columns of a group that has changed for people. */
export function revised(group: ExpressionBuilder<Tables, "error_groups">, now: number) {
	return { revision: group("revision", "+", 1), updated_at: now };
}

interface Activity {
	readonly groupId: number;
	readonly action: ErrorActivity;
	readonly details: Readonly<Record<string, unknown>>;
	readonly by: Changer;
	readonly now: number;
}

export async function noteActivity(
	transaction: Transaction<Tables>,
	{ groupId, action, details, by, now }: Activity,
): Promise<void> {
	await transaction
		.insertInto("error_activity")
		.values({
			...{ group_id: groupId, time: now, action, details: JSON.stringify(details) },
			...{ actor_kind: by.kind, user_id: by.userId },
		})
		.execute();
}
