import { managesSomething } from "#access/rights/manages-something.ts";
import { LOOK_UPS, LookUpLimit } from "#access/subjects/look-up-limit.ts";
import { usersNamed } from "#access/subjects/named-users.ts";
import { subjectOf } from "#access/subjects/subject-of.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { callerOf } from "#http/principal.ts";
import { ReviewPeople, ReviewPeopleQuery } from "./schemas.ts";

/** Whom a queue can name, for who makes queues: nobody can list accounts by it. */
export function reviewPeopleRoutes(app: App, { auth, db }: Context): void {
	const lookUps = new LookUpLimit();

	app.get(
		"/v1/review_people",
		{
			config: { access: "write", home: "none", limitedKeys: "refused", whenAuthIsOff: "refused" },
			schema: {
				operationId: "findReviewPeople",
				tags: ["review"],
				summary: "Find a person whom a review queue can name, by the exact username",
				description: `${LOOK_UPS}. People who manage a project also find them by the exact email.`,
				querystring: ReviewPeopleQuery,
				response: { 200: ReviewPeople },
			},
		},
		async ({ principal, query: { q } }) => {
			lookUps.take(callerOf(principal));
			const byEmail = managesSomething(await auth.rights.state(), await subjectOf(db.read, principal));
			const users = await usersNamed(db.read, q, { byEmail })
				.select(["id", "username"])
				.where("role", "in", ["ADMIN", "MEMBER"])
				.execute();
			return { data: users.map(({ id, username }) => ({ id: encodeGlobalId("User", id), username })) };
		},
	);
}
