import { z } from "zod";
import { projectRole } from "#access/subjects/schemas.ts";
import { escapeFormulasParam } from "#http/csv-line.ts";
import { cursorParam, limitParam, textParam } from "#http/query-params.ts";
import { wireTime } from "#http/wire-times.ts";

const Step = z
	.object({
		code: z.string().describe("Stable, for programs."),
		text: z.string(),
		link: z.string().optional().describe("Path of the page where it is set."),
	})
	.meta({ id: "AccessStep" });

const May = z
	.object({ read: z.boolean(), ingest: z.boolean(), annotate: z.boolean(), write: z.boolean(), manage: z.boolean() })
	.meta({ id: "AccessMay" });

const Home = z
	.object({ type: z.enum(["project", "library"]), id: z.string().optional(), name: z.string() })
	.meta({ id: "AccessHome" });

const CheckedSubject = z.object({
	type: z.enum(["user", "team", "api_key", "oauth2_grant"]),
	id: z.string(),
	name: z.string(),
});

export const AccessCheck = z
	.object({
		subject: CheckedSubject,
		home: Home,
		sees: z.boolean(),
		role: projectRole.nullable().describe("The highest that was given."),
		counts_as: projectRole.nullable().describe("What that counts as; null where the home does not exist for them."),
		may: May,
		because: z.array(Step),
		not: z.array(Step),
		last_used_at: wireTime.optional().describe("Of a key or program."),
	})
	.meta({ id: "AccessCheck" });

export const CheckedHome = z
	.object({
		home: Home,
		sees: z.boolean(),
		role: projectRole.nullable(),
		counts_as: projectRole.nullable(),
		may: May,
		reason: z.string().describe("The shortest."),
	})
	.meta({ id: "CheckedHome" });

const asked = {
	subject: z.string().max(220).describe("`user:<id>`, `team:<id>`, `api_key:<id>` or `oauth2_grant:<id>`."),
	project: textParam.optional().describe("Id or name; `library` is not one, see `library`."),
	dataset: textParam.optional().describe("Id or name: its home is checked."),
	prompt: textParam.optional().describe("Id or name: its home is checked."),
	library: z.literal("true").optional().describe("The library."),
};

function namesOne(query: { [name in "project" | "dataset" | "prompt" | "library"]?: string | undefined }): boolean {
	const { project, dataset, prompt, library } = query;
	return [project, dataset, prompt, library].filter((value) => value !== undefined).length <= 1;
}
const NAME_ONE = "name one of project, dataset, prompt and library";

export const CheckQuery = z
	.strictObject({ ...asked, cursor: cursorParam, limit: limitParam(100) })
	.refine(namesOne, NAME_ONE);

export const CheckCsvQuery = z
	.strictObject({ ...asked, escape_formulas: escapeFormulasParam })
	.refine(namesOne, NAME_ONE);

export const OwnAccessQuery = z.strictObject({ cursor: cursorParam, limit: limitParam(100) });
