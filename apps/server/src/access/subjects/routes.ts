import { sql } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { callerOf } from "#http/principal.ts";
import { managesSomething } from "../rights/manages-something.ts";
import { type FoundSubject, teamKey, toSubject } from "./find-subjects.ts";
import { LOOK_UPS, LookUpLimit } from "./look-up-limit.ts";
import { usersNamed } from "./named-users.ts";
import { Subject } from "./schemas.ts";
import { subjectOf } from "./subject-of.ts";

const MAX_FOUND = 10;

/** Whom a role can be given to, for who manages something: nobody can list accounts by it. */
export function accessSubjectRoutes(app: App, { auth, db }: Context): void {
	const lookUps = new LookUpLimit();

	app.get(
		"/v1/access_subjects",
		{
			config: { access: "read", home: "none", limitedKeys: "refused", whenAuthIsOff: "refused" },
			schema: {
				operationId: "findAccessSubjects",
				tags: ["access"],
				summary: "Find whom to give a role: exact username or email, or the beginning of a team's name",
				description: `${LOOK_UPS}, for people who manage a project.`,
				querystring: z.strictObject({ q: z.string().trim().min(1).max(1_000) }),
				response: { 200: z.object({ data: z.array(Subject) }) },
			},
		},
		async ({ principal, query: { q } }) => {
			const state = await auth.rights.state();
			if (!managesSomething(state, await subjectOf(db.read, principal))) {
				throw new UserError(403, "project_role_needed", "This is for managers of a project: ask one, or an admin.");
			}
			lookUps.take(callerOf(principal));
			const users = await usersNamed(db.read, q, { byEmail: true })
				.select(["id", "username", "role"])
				.where("role", "<>", "SYSTEM")
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
}
