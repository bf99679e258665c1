import { type ErrorKind, FINGERPRINT_VERSION, sharedFingerprint } from "@spanward/error-groups";
import { type Selectable, sql, type Transaction } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import { present } from "#base/present.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { reopen } from "./change-group.ts";
import type { FoundOccurrence } from "./read-failures.ts";
import type { FirstSeen } from "./releases.ts";
import type { NewOccurrence } from "./store-occurrences.ts";

/** Groups of a project, beyond which what is new shares one for each kind and type, and beyond the second for each kind. */
const MOST_GROUPS = 10_000;
const MOST_WITH_SHARED = 11_000;
/** Rows of one statement. */
const MOST_ROWS = 200;

export interface GroupOfOccurrence {
	readonly groupId: number;
	/** That of the occurrence, or the shared one. */
	readonly fingerprint: string;
}

/** A fingerprint of a project with what is new of it. */
interface Bucket {
	readonly projectId: number;
	readonly fingerprint: string;
	/** By start; at least one. */
	readonly occurrences: readonly NewOccurrence[];
	/** Of failures that have no group of their own. */
	readonly isShared: boolean;
}

/**
 * Counts new occurrences in the groups of their fingerprints, makes those that are missing, and opens resolved ones that
 * came back. @returns the group of each
 * @param firstSeen when releases were first seen @throws ReleaseUnknown
 */
export async function addToGroups(
	transaction: Transaction<Tables>,
	occurrences: readonly NewOccurrence[],
	{ now, firstSeen }: { readonly now: number; readonly firstSeen: FirstSeen },
): Promise<ReadonlyMap<NewOccurrence, GroupOfOccurrence>> {
	const groupOf = new Map<NewOccurrence, GroupOfOccurrence>();
	const byProject = Map.groupBy(occurrences, ({ projectId }) => projectId);
	for (const [projectId, ofProject] of byProject) {
		const own = bucketsOf(projectId, ofProject, ({ fingerprint }) => fingerprint, false);
		const known = await findGroups(transaction, projectId, own);
		const missing = own.filter(({ fingerprint }) => !known.has(fingerprint));
		const { room, sharedRoom } = await roomFor(transaction, projectId, missing.length);
		const made = await makeGroups(transaction, missing.slice(0, room), now);
		const others = missing.slice(room).flatMap((bucket) => bucket.occurrences);
		const shared = bucketsOf(projectId, others, sharedBy(sharedRoom), true);
		const knownShared = await findGroups(transaction, projectId, shared);
		const missingShared = shared.filter(({ fingerprint }) => !knownShared.has(fingerprint));
		const madeShared = await makeGroups(transaction, missingShared, now);
		const there = new Map([...known, ...knownShared]);
		const groups = new Map([...there, ...made, ...madeShared]);
		for (const bucket of [...own.slice(0), ...shared]) {
			const groupId = groups.get(bucket.fingerprint);
			if (groupId === undefined) continue;
			const { fingerprint } = bucket;
			for (const occurrence of bucket.occurrences) groupOf.set(occurrence, { groupId, fingerprint });
		}
		const grown = [...own, ...shared].filter(({ fingerprint }) => there.has(fingerprint));
		for (const bucket of grown) await count(transaction, bucket, present(there.get(bucket.fingerprint), "a group"));
		await openResolved(transaction, groupOf, ofProject, { now, firstSeen });
	}
	return groupOf;
}

function bucketsOf(
	projectId: number,
	occurrences: readonly NewOccurrence[],
	fingerprintOf: (occurrence: NewOccurrence) => string,
	isShared: boolean,
): Bucket[] {
	const byStart = occurrences.toSorted((a, b) => a.startMicros - b.startMicros);
	return [...Map.groupBy(byStart, fingerprintOf)].map(([fingerprint, members]) => ({
		...{ projectId, fingerprint, occurrences: members, isShared },
	}));
}

/** Types are as many as somebody sends. */
function sharedBy(hasRoomForTypes: boolean): (occurrence: NewOccurrence) => string {
	return ({ kind, type = "" }) => sharedFingerprint(kind, hasRoomForTypes ? type : "");
}

async function roomFor(
	transaction: Transaction<Tables>,
	projectId: number,
	wanted: number,
): Promise<{ room: number; sharedRoom: boolean }> {
	if (wanted === 0) return { room: 0, sharedRoom: true };
	const { count } = await transaction
		.selectFrom("error_groups")
		.select((row) => row.fn.countAll<number>().as("count"))
		.where("project_id", "=", projectId)
		.executeTakeFirstOrThrow();
	return { room: Math.max(0, MOST_GROUPS - count), sharedRoom: count < MOST_WITH_SHARED };
}

/** The groups of those fingerprints that have one. */
async function findGroups(
	transaction: Transaction<Tables>,
	projectId: number,
	buckets: readonly Bucket[],
): Promise<Map<string, number>> {
	const fingerprints = buckets.map(({ fingerprint }) => fingerprint);
	const rows = await transaction
		.selectFrom("error_group_fingerprints")
		.select(["fingerprint", "group_id"])
		.where("project_id", "=", projectId)
		.where("fingerprint", "in", listed(fingerprints))
		.execute();
	return new Map(rows.map(({ fingerprint, group_id }) => [fingerprint, group_id]));
}

async function makeGroups(
	transaction: Transaction<Tables>,
	buckets: readonly Bucket[],
	now: number,
): Promise<Map<string, number>> {
	const made = new Map<string, number>();
	for (const part of chunksOf(buckets, MOST_ROWS)) {
		const rows = await transaction
			.insertInto("error_groups")
			.values(
				part.map((bucket) => ({
					...{ project_id: bucket.projectId, fingerprint: bucket.fingerprint, ...totalsOf(bucket) },
					...{ created_at: now, updated_at: now },
				})),
			)
			.returning(["id", "fingerprint"])
			.execute();
		for (const { id, fingerprint } of rows) made.set(fingerprint, id);
		await transaction
			.insertInto("error_group_fingerprints")
			.values(
				part.map((bucket) => ({
					...{ project_id: bucket.projectId, fingerprint: bucket.fingerprint, ...totalsOf(bucket) },
					group_id: present(made.get(bucket.fingerprint), "the group that was made"),
					...(bucket.isShared ? describeShared(bucket) : describe(present(bucket.occurrences[0], "an occurrence"))),
				})),
			)
			.execute();
	}
	return made;
}

function totalsOf({ occurrences }: Bucket) {
	const [first, last] = [present(occurrences[0], "the first"), present(occurrences.at(-1), "the last")];
	return {
		total_count: occurrences.length,
		...{ first_seen: first.startMicros, last_seen: last.startMicros },
		first_release: occurrences.find(({ release }) => release !== null)?.release ?? null,
		last_release: occurrences.findLast(({ release }) => release !== null)?.release ?? null,
	};
}

type Description = Pick<
	Selectable<Tables["error_group_fingerprints"]>,
	"version" | "kind" | "type" | "title" | "message" | "culprit" | "grouping"
>;

function describe({ version, kind, type, title, message, culprit, grouping }: FoundOccurrence): Description {
	return {
		...{ version, kind, type: type ?? null, title, message },
		...{ culprit: JSON.stringify(culprit), grouping: JSON.stringify(grouping) },
	};
}

const OTHERS: Readonly<Record<ErrorKind, string>> = {
	refusal: "Other refusals",
	provider_error: "Other errors of providers",
	tool_failure: "Other failures of tools",
	exception: "Other exceptions",
	error: "Other errors",
};

/** What they have in common. */
function describeShared({ fingerprint, occurrences }: Bucket): Description {
	const { kind, type: sent = "" } = present(occurrences[0], "an occurrence");
	const type = fingerprint === sharedFingerprint(kind, "") ? "" : sent;
	return {
		...{ version: FINGERPRINT_VERSION, kind, type: type === "" ? null : type, message: "" },
		title: type === "" ? OTHERS[kind] : `${OTHERS[kind]}: ${type}`,
		culprit: JSON.stringify({ span_name: "" }),
		grouping: JSON.stringify({
			rule: "shared",
			parts: type === "" ? [] : [{ name: "type", value: type }],
			...{ normalized_message: "", frames: [] },
		}),
	};
}

/** Adds to the totals of a fingerprint and its group. */
async function count(transaction: Transaction<Tables>, bucket: Bucket, groupId: number): Promise<void> {
	const { total_count, first_seen, last_seen, first_release, last_release } = totalsOf(bucket);
	const totals = sql`
		total_count = total_count + ${total_count},
		first_release = case when ${first_seen} < first_seen then coalesce(${first_release}, first_release)
			else coalesce(first_release, ${first_release}) end,
		last_release = case when ${last_seen} >= last_seen then coalesce(${last_release}, last_release)
			else coalesce(last_release, ${last_release}) end,
		first_seen = case when ${first_seen} < first_seen then ${first_seen} else first_seen end,
		last_seen = case when ${last_seen} > last_seen then ${last_seen} else last_seen end`;
	await sql`update error_group_fingerprints set ${totals}
		where project_id = ${bucket.projectId} and fingerprint = ${bucket.fingerprint}`.execute(transaction);
	await sql`update error_groups set ${totals} where id = ${groupId}`.execute(transaction);
}

/**
 * Opens resolved groups of which a span failed that started after they were resolved; if that was done in a release, only
 * for a release that was first seen after that one.
 */
async function openResolved(
	transaction: Transaction<Tables>,
	groupOf: ReadonlyMap<NewOccurrence, GroupOfOccurrence>,
	occurrences: readonly NewOccurrence[],
	{ now, firstSeen }: { readonly now: number; readonly firstSeen: FirstSeen },
): Promise<void> {
	const byGroup = Map.groupBy(occurrences, (occurrence) => present(groupOf.get(occurrence), "a group").groupId);
	const resolved = await transaction
		.selectFrom("error_groups")
		.select(["id", "project_id", "resolved_at", "resolved_in_release"])
		.where("id", "in", listed([...byGroup.keys()]))
		.where("state", "=", "resolved")
		.where("resolved_at", "is not", null)
		.execute();
	for (const { id, project_id, resolved_at, resolved_in_release } of resolved) {
		const resolvedAt = resolved_at ?? 0;
		const later = (byGroup.get(id) ?? []).filter(({ startMicros }) => startMicros > resolvedAt);
		const cause =
			resolved_in_release === null
				? later[0]
				: later.find(({ release }) => {
						if (release === null || release === resolved_in_release) return false;
						// One that was never seen counts from when somebody named it.
						const since = firstSeen(project_id, resolved_in_release) ?? resolvedAt;
						return (firstSeen(project_id, release) ?? now) > since;
					});
		if (cause === undefined) continue;
		const { traceId, spanId, release } = cause;
		const details = {
			...{ trace_id: traceId.toString("hex"), span_id: spanId.toString("hex") },
			...(release === null ? {} : { release }),
		};
		await reopen(transaction, id, { regressed: true, details, now });
	}
}
