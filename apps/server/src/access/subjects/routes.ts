import { sql } from "kysely";
import { z } from "zod";
import { canonicalEmail } from "#base/email.ts";
import { UserError } from "#base/errors.ts";
import { trimUsername, usernameKey } from "#base/username.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { callerOf } from "#http/principal.ts";
import { managesSomething } from "../rights/manages-something.ts";
import { type FoundSubject, teamKey, toSubject } from "./find-subjects.ts";
import { Subject } from "./schemas.ts";
import { subjectOf } from "./subject-of.ts";

const MAX_FOUND = 10;
const PER_MINUTE = 30;
const MINUTE_MS = 60_000;

/** Whom a role can be given to, for who manages something: nobody can list accounts by it. */
export function accessSubjectRoutes(app: App, { auth, db }: Context): void {
	/** Of the minute that began at `since`. */
	const asked = new Map<string, number>();
	let since = performance.now();

	app.get(
		"/v1/access_subjects",
		{
			config: { access: "read", home: "none", limitedKeys: "refused", whenAuthIsOff: "refused" },
			schema: {
				operationId: "findAccessSubjects",
				tags: ["access"],
				summary: "Find whom to give a role: exact username or email, or the beginning of a team's name",
				description: `At most ${PER_MINUTE} times a minute, for people who manage a project.`,
				querystring: z.strictObject({ q: z.string().trim().min(1).max(1_000) }),
				response: { 200: z.object({ data: z.array(Subject) }) },
			},
		},
		async ({ principal, query: { q } }) => {
			const state = await auth.rights.state();
			if (!managesSomething(state, await subjectOf(db.read, principal))) {
				throw new UserError(403, "project_role_needed", "This is for managers of a project: ask one, or an admin.");
			}
			take(callerOf(principal));
			const users = await db.read
				.selectFrom("users")
				.select(["id", "username", "role"])
				.where("role", "<>", "SYSTEM")
				.where(({ eb, or }) =>
					or([eb("username_key", "=", usernameKey(trimUsername(q))), eb("email", "=", canonicalEmail(q))]),
				)
				.execute();
			const pattern = `${teamKey(q).replace(/[\\%_]/g, "\\$&")}%`;
			const teams = await db.read
				.selectFrom("teams")
				.select(["id", "name"])
				.where(sql<boolean>`name_key like ${pattern} escape '\\'`)
				.orderBy("name_key")
				.limit(MAX_FOUND)
				.execute();
			const found: FoundSubject[] = [
				...users.map(({ id, username: name, role }) => ({ type: "user", id, name, role }) as const),
				...teams.map(({ id, name }) => ({ type: "team", id, name }) as const),
			];
			return { data: found.slice(0, MAX_FOUND).map(toSubject) };
		},
	);

	function take(caller: string): void {
		if (performance.now() - since >= MINUTE_MS) {
			asked.clear();
			since = performance.now();
		}
		const count = (asked.get(caller) ?? 0) + 1;
		if (count > PER_MINUTE) {
			throw new UserError(429, "too_many_requests", "You asked for people too often: wait a minute.", {
				retryAfter: 60,
			});
		}
		asked.set(caller, count);
	}
}
