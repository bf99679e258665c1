import type { Kysely } from "kysely";
import { z } from "zod";
import type { Config } from "#base/config.ts";
import { ValidationError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import type { Audience, PrincipalUser } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import { resolveKeyProjects } from "../api-keys/key-projects.ts";
import { SCOPES, type Scope } from "./scopes.ts";

export const DAY_MICROS = 86_400_000_000;
const MAX_PROJECTS = 100;

/** What a user lets a program do, as codes keep it until the program asks for its tokens. */
export const Approval = z.object({
	/** Null for all but administration. */
	permissions: z.array(z.enum(SCOPES)).nullable(),
	/** Row numbers; null for all. */
	projectIds: z.array(z.int()).nullable(),
	includeLibrary: z.boolean(),
	audience: z.enum(["api", "mcp"]),
	/** Whether token answers say the scope: it was asked for, or what was given differs. */
	scopeStated: z.boolean(),
	/** Microseconds since 1970. */
	grantExpiresAt: z.int(),
});
export type Approval = z.output<typeof Approval>;

/** The part of a decision that says what a program may do. */
export const approvalFields = {
	permissions: z.array(z.enum(SCOPES)).min(1).max(20).nullish(),
	projects: z.array(z.string().min(1).max(2_000)).max(MAX_PROJECTS).nullish(),
	include_library: z.boolean().nullish(),
	days: z.int().min(1).max(3_650).nullish(),
};
type SentApproval = z.output<z.ZodObject<typeof approvalFields>>;

/** The longest that a program may be let in, in whole days, at least one. */
export function maxDays(config: Pick<Config, "SERVICE_OAUTH2_GRANT_EXPIRY_DAYS">): number {
	return Math.max(1, Math.floor(config.SERVICE_OAUTH2_GRANT_EXPIRY_DAYS));
}

interface Asked {
	readonly requested: readonly Scope[] | null;
	readonly audience: Audience;
	readonly user: PrincipalUser;
	readonly actor: Pick<Actor, "rights" | "noteHidden">;
	readonly now: number;
}

/**
 * What a decision lets a program do.
 * @throws ValidationError for projects that the user does not see, more days than there may be, and administration that
 * is not theirs to give
 */
export async function readApproval(
	db: Kysely<Tables>,
	config: Pick<Config, "SERVICE_OAUTH2_GRANT_EXPIRY_DAYS">,
	sent: SentApproval,
	{ requested, audience, user, actor, now }: Asked,
): Promise<Approval> {
	const projectIds =
		sent.projects == null ? null : await resolveKeyProjects(db, actor, sent.projects, ["body", "projects"]);
	const includeLibrary = sent.include_library ?? false;
	const chosen =
		sent.permissions == null ? withoutAdmin(requested) : SCOPES.filter((each) => sent.permissions?.includes(each));
	if (chosen?.length === 0) throw fault("permissions", "choose what the program may do");
	if (chosen?.includes("admin")) {
		if (user.role !== "ADMIN") throw fault("permissions", "only an admin can give administration");
		if (projectIds !== null) throw fault("projects", "administration reaches all projects: leave it out, or projects");
	}
	if (projectIds === null && includeLibrary) throw fault("include_library", "all projects include the library");
	if (projectIds?.length === 0 && !includeLibrary) throw fault("projects", "name a project, or set include_library");
	const longest = maxDays(config);
	if (sent.days != null && sent.days > longest)
		throw fault("days", `an authorization lasts at most ${longest} days here`);
	const end = now + Math.round(config.SERVICE_OAUTH2_GRANT_EXPIRY_DAYS * DAY_MICROS);
	return {
		permissions: chosen === null ? null : [...chosen],
		projectIds,
		includeLibrary,
		audience,
		scopeStated: requested !== null || chosen !== null,
		grantExpiresAt: sent.days == null ? end : Math.min(end, now + sent.days * DAY_MICROS),
	};
}

function withoutAdmin(scopes: readonly Scope[] | null): readonly Scope[] | null {
	return scopes === null ? null : scopes.filter((scope) => scope !== "admin");
}

function fault(field: string, msg: string): ValidationError {
	return new ValidationError([{ type: "value_error", loc: ["body", field], msg: `Value error, ${msg}` }]);
}
