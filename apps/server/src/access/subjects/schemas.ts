import { z } from "zod";
import { storedText } from "#http/stored-text.ts";

const name = storedText(1_000).min(1);

/** Who a request names. */
export const SubjectBody = z
	.union(
		[
			z.strictObject({ user: name.describe("Id, email or username.") }),
			z.strictObject({ team: name.describe("Id or name.") }),
		],
		{ error: 'it should be {"user": id, email or username} or {"team": id or name}' },
	)
	.meta({ id: "SubjectBody" });
export type SubjectBody = z.output<typeof SubjectBody>;

export const Subject = z
	.object({ type: z.enum(["user", "team"]), id: z.string(), name: z.string() })
	.meta({ id: "Subject" });

export const projectRole = z.enum(["viewer", "annotator", "editor", "manager"]);
