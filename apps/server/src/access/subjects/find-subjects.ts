import type { Kysely } from "kysely";
import type { z } from "zod";
import { canonicalEmail } from "#base/email.ts";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { UserRole } from "#base/roles.ts";
import { trimUsername, usernameKey } from "#base/username.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { Subject, SubjectBody } from "./schemas.ts";

/** A person or a team, by row number. */
export type FoundSubject =
	| { readonly type: "user"; readonly id: number; readonly name: string; readonly role: UserRole }
	| { readonly type: "team"; readonly id: number; readonly name: string };

/** Columns that say whose a grant is. */
export interface SubjectColumns {
	readonly user_id: number | null;
	readonly team_id: number | null;
}

/** A subject as the wire shows it. */
export function toSubject({ type, id, name }: FoundSubject): z.output<typeof Subject> {
	return { type, id: encodeGlobalId(type === "user" ? "User" : "Team", id), name };
}

export function columnsOf({ type, id }: Pick<FoundSubject, "type" | "id">): SubjectColumns {
	return type === "user" ? { user_id: id, team_id: null } : { user_id: null, team_id: id };
}

/** Identifies a subject among others. */
export function keyOf({ type, id }: Pick<FoundSubject, "type" | "id">): string {
	return `${type} ${id}`;
}

/**
 * Those that a request names, in its order.
 * @throws UserError 422 for one that does not exist, and for one that is named twice
 */
export async function findSubjects(db: Kysely<Tables>, wanted: readonly SubjectBody[]): Promise<FoundSubject[]> {
	const users = await findUsers(
		db,
		wanted.flatMap((subject) => ("user" in subject ? [subject.user] : [])),
	);
	const teams = await findTeams(
		db,
		wanted.flatMap((subject) => ("team" in subject ? [subject.team] : [])),
	);
	const seen = new Set<string>();
	return wanted.map((subject) => {
		const found = "user" in subject ? users(subject.user) : teams(subject.team);
		const [kind = "", text = ""] = Object.entries(subject)[0] ?? [];
		const named = `${kind} '${text.slice(0, 100)}'`;
		if (found === undefined) throw new UserError(422, "unknown_subject", `There is no ${named}`);
		if (seen.has(keyOf(found))) throw new UserError(422, "subject_twice", `The ${named} is named twice`);
		seen.add(keyOf(found));
		return found;
	});
}

/** A role for a subject that was found. */
export interface WantedGrant {
	readonly subject: FoundSubject;
	readonly role: ProjectRole;
}

/** The same for grants. */
export async function findGrants(
	db: Kysely<Tables>,
	grants: readonly { readonly subject: SubjectBody; readonly role: ProjectRole }[],
): Promise<WantedGrant[]> {
	const subjects = await findSubjects(
		db,
		grants.map(({ subject }) => subject),
	);
	return subjects.map((subject, index) => ({ subject, role: present(grants[index], "the grant of a subject").role }));
}

type Find = (text: string) => FoundSubject | undefined;

async function findUsers(db: Kysely<Tables>, texts: readonly string[]): Promise<Find> {
	if (texts.length === 0) return () => undefined;
	const ids = texts.flatMap((text) => decodeGlobalId(text, "User") ?? []);
	const emails = texts.map(canonicalEmail);
	const keys = texts.map((text) => usernameKey(trimUsername(text)));
	const rows = await db
		.selectFrom("users")
		.select(["id", "username", "username_key", "email", "role"])
		.where("role", "<>", "SYSTEM")
		.where(({ eb, or }) =>
			or([eb("id", "in", listed(ids)), eb("email", "in", listed(emails)), eb("username_key", "in", listed(keys))]),
		)
		.execute();
	const byId = new Map(rows.map((row) => [row.id, row]));
	const byEmail = new Map(rows.map((row) => [row.email, row]));
	const byKey = new Map(rows.map((row) => [row.username_key, row]));
	return (text) => {
		const id = decodeGlobalId(text, "User");
		const row =
			(id === undefined ? undefined : byId.get(id)) ??
			byEmail.get(canonicalEmail(text)) ??
			byKey.get(usernameKey(trimUsername(text)));
		return row && { type: "user", id: row.id, name: row.username, role: row.role };
	};
}

async function findTeams(db: Kysely<Tables>, texts: readonly string[]): Promise<Find> {
	if (texts.length === 0) return () => undefined;
	const ids = texts.flatMap((text) => decodeGlobalId(text, "Team") ?? []);
	const keys = texts.map(teamKey);
	const rows = await db
		.selectFrom("teams")
		.select(["id", "name", "name_key"])
		.where(({ eb, or }) => or([eb("id", "in", listed(ids)), eb("name_key", "in", listed(keys))]))
		.execute();
	const byId = new Map(rows.map((row) => [row.id, row]));
	const byKey = new Map(rows.map((row) => [row.name_key, row]));
	return (text) => {
		const id = decodeGlobalId(text, "Team");
		const row = (id === undefined ? undefined : byId.get(id)) ?? byKey.get(teamKey(text));
		return row && { type: "team", id: row.id, name: row.name };
	};
}

/** Equal for names of teams that differ in case, or in compatibility forms, only. */
export function teamKey(name: string): string {
	return name.normalize("NFKC").toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
}

/** Names of people and teams by their row numbers; without those that are gone. */
export async function findNames(
	db: Kysely<Tables>,
	{ userIds, teamIds }: { readonly userIds: Iterable<number>; readonly teamIds: Iterable<number> },
): Promise<ReadonlyMap<string, FoundSubject>> {
	const users = await db
		.selectFrom("users")
		.select(["id", "username", "role"])
		.where("id", "in", listed([...userIds]))
		.execute();
	const teams = await db
		.selectFrom("teams")
		.select(["id", "name"])
		.where("id", "in", listed([...teamIds]))
		.execute();
	const found: FoundSubject[] = [
		...users.map(({ id, username: name, role }) => ({ type: "user", id, name, role }) as const),
		...teams.map(({ id, name }) => ({ type: "team", id, name }) as const),
	];
	return new Map(found.map((subject) => [keyOf(subject), subject]));
}
