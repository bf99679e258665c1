import { sql, type Transaction } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { type Changer, noteActivity, revised } from "./change-group.ts";

/** Fingerprints of one group. */
export const MOST_FINGERPRINTS = 100;

type Merged =
	| { readonly outcome: "merged"; readonly groups: number }
	/** The group itself, or one of those to merge into it, is not there or of another project. */
	| { readonly outcome: "not_found"; readonly groupIds: readonly number[] }
	| { readonly outcome: "too_many_fingerprints"; readonly fingerprints: number };

/**
 * Puts the occurrences, fingerprints, comments and activity of groups into another one of their project, and deletes
 * them. Occurrences with their fingerprints that come later go there, too. State and assignee are those of the group that
 * stays. Changes nothing unless the outcome is `merged`.
 * @param from those that go; the group itself among them is left out
 * @param now microseconds since 1970
 */
export async function mergeGroups(
	transaction: Transaction<Tables>,
	into: number,
	from: readonly number[],
	{ by, now }: { readonly by: Changer; readonly now: number },
): Promise<Merged> {
	const ids = [...new Set(from)].filter((id) => id !== into);
	const found = await transaction
		.selectFrom("error_groups")
		.innerJoin("error_group_fingerprints", (join) =>
			join
				.onRef("error_group_fingerprints.project_id", "=", "error_groups.project_id")
				.onRef("error_group_fingerprints.fingerprint", "=", "error_groups.fingerprint"),
		)
		.select(["error_groups.id", "error_groups.project_id", "error_group_fingerprints.title"])
		.where("error_groups.id", "in", listed([into, ...ids]))
		.execute();
	const projectId = found.find(({ id }) => id === into)?.project_id;
	const there = new Set(found.filter((group) => group.project_id === projectId).map(({ id }) => id));
	const missing = [into, ...ids].filter((id) => !there.has(id));
	if (missing.length > 0) return { outcome: "not_found", groupIds: missing };
	if (ids.length === 0) return { outcome: "merged", groups: 0 };
	const fingerprints = await transaction
		.selectFrom("error_group_fingerprints")
		.select(["group_id", "fingerprint"])
		.where("group_id", "in", listed([into, ...ids]))
		.execute();
	if (fingerprints.length > MOST_FINGERPRINTS)
		return { outcome: "too_many_fingerprints", fingerprints: fingerprints.length };

	for (const table of ["error_group_fingerprints", "error_occurrences", "error_comments", "error_activity"] as const)
		await sql`update ${sql.table(table)} set group_id = ${into} where group_id in ${listed(ids)}`.execute(transaction);
	await transaction.deleteFrom("error_groups").where("id", "in", listed(ids)).execute();
	await addUp(transaction, into, now);
	const details = {
		groups: found.filter(({ id }) => id !== into).map(({ title }) => title),
		fingerprints: fingerprints.filter((row) => row.group_id !== into).map(({ fingerprint }) => fingerprint),
	};
	await noteActivity(transaction, { groupId: into, action: "merged", details, by, now });
	return { outcome: "merged", groups: ids.length };
}

type Unmerged =
	| { readonly outcome: "unmerged"; readonly groupIds: readonly number[] }
	| { readonly outcome: "not_found" }
	/** Fingerprints that are not of the group. */
	| { readonly outcome: "other_fingerprints"; readonly fingerprints: readonly string[] }
	/** Nothing would be left of the group. */
	| { readonly outcome: "all_fingerprints" };

/**
 * Takes fingerprints out of a group, each into a group of its own with what it had counted, and with the state and the
 * assignee of the former one. Comments and activity stay. Changes nothing unless the outcome is `unmerged`.
 * @param now microseconds since 1970
 */
export async function unmergeGroup(
	transaction: Transaction<Tables>,
	groupId: number,
	fingerprints: readonly string[],
	{ by, now }: { readonly by: Changer; readonly now: number },
): Promise<Unmerged> {
	const group = await transaction.selectFrom("error_groups").selectAll().where("id", "=", groupId).executeTakeFirst();
	if (group === undefined) return { outcome: "not_found" };
	const rows = await transaction
		.selectFrom("error_group_fingerprints")
		.selectAll()
		.where("group_id", "=", groupId)
		.orderBy("first_seen")
		.orderBy("fingerprint")
		.execute();
	const wanted = new Set(fingerprints);
	const taken = rows.filter(({ fingerprint }) => wanted.has(fingerprint));
	const left = rows.filter(({ fingerprint }) => !wanted.has(fingerprint));
	const known = new Set(taken.map(({ fingerprint }) => fingerprint));
	const others = [...wanted].filter((fingerprint) => !known.has(fingerprint));
	if (others.length > 0) return { outcome: "other_fingerprints", fingerprints: others };
	const [oldest] = left;
	if (oldest === undefined) return { outcome: "all_fingerprints" };

	const groupIds: number[] = [];
	const { id: _, ...state } = group;
	for (const row of taken) {
		const { fingerprint, project_id, total_count, first_seen, last_seen, first_release, last_release } = row;
		const made = await transaction
			.insertInto("error_groups")
			.values({
				...{ ...state, fingerprint, total_count, first_seen, last_seen, first_release, last_release },
				...{ revision: 1, created_at: now, updated_at: now },
				ignored_total: state.ignored_total === null ? null : total_count,
			})
			.returning("id")
			.executeTakeFirstOrThrow();
		groupIds.push(made.id);
		await transaction
			.updateTable("error_group_fingerprints")
			.set({ group_id: made.id })
			.where("project_id", "=", project_id)
			.where("fingerprint", "=", fingerprint)
			.execute();
		await transaction
			.updateTable("error_occurrences")
			.set({ group_id: made.id })
			.where("group_id", "=", groupId)
			.where("fingerprint", "=", fingerprint)
			.execute();
		const details = { from: oldest.title, fingerprints: [fingerprint] };
		await noteActivity(transaction, { groupId: made.id, action: "unmerged", details, by, now });
	}
	if (taken.length === 0) return { outcome: "unmerged", groupIds };
	if (known.has(group.fingerprint))
		await transaction
			.updateTable("error_groups")
			.set({ fingerprint: oldest.fingerprint })
			.where("id", "=", groupId)
			.execute();
	await addUp(transaction, groupId, now);
	const details = { groups: taken.map(({ title }) => title), fingerprints: [...known] };
	await noteActivity(transaction, { groupId, action: "unmerged", details, by, now });
	return { outcome: "unmerged", groupIds };
}

/** Sets the totals of a group to those of its fingerprints, after others came or went. */
async function addUp(transaction: Transaction<Tables>, groupId: number, now: number): Promise<void> {
	const rows = await transaction
		.selectFrom("error_group_fingerprints")
		.select(["total_count", "first_seen", "last_seen", "first_release", "last_release"])
		.where("group_id", "=", groupId)
		.execute();
	const byFirst = rows.toSorted((a, b) => a.first_seen - b.first_seen);
	const byLast = rows.toSorted((a, b) => b.last_seen - a.last_seen);
	const [first, last] = [byFirst[0], byLast[0]];
	if (first === undefined || last === undefined) throw new Error(`group ${groupId} has no fingerprint`);
	const total = rows.reduce((sum, { total_count }) => sum + total_count, 0);
	await transaction
		.updateTable("error_groups")
		.set((group) => ({
			total_count: total,
			...{ first_seen: first.first_seen, last_seen: last.last_seen },
			first_release: byFirst.find((row) => row.first_release !== null)?.first_release ?? null,
			last_release: byLast.find((row) => row.last_release !== null)?.last_release ?? null,
			// What was merged or taken out is no occurrence that came since.
			ignored_total: sql<number | null>`ignored_total + ${total} - total_count`,
			...revised(group, now),
		}))
		.where("id", "=", groupId)
		.execute();
}
