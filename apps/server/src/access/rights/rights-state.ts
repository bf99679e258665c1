import type { Kysely, Selectable } from "kysely";
import type { Home } from "#http/rights.ts";
import { fitsPattern } from "#storage/projects/project-pattern.ts";
import { type RightsVersion, readRightsVersion } from "#storage/projects/rights-version.ts";
import type { Access, ProjectRole, Tables } from "#storage/schema.ts";

/** The policy with its defaults. */
export interface AccessPolicySettings {
	readonly defaultProjectAccess: Access;
	readonly openRoleOfMembers: Exclude<ProjectRole, "manager">;
	readonly membersCreateProjects: boolean;
	/** Null for no maximum. */
	readonly maxKeyDays: number | null;
}

export interface Grant {
	/** Undefined for a team's. */
	readonly userId: number | undefined;
	readonly teamId: number | undefined;
	readonly role: ProjectRole;
}

export interface AccessRule {
	readonly id: number;
	readonly pattern: string;
	readonly accessOfNew: Access | null;
	readonly grants: readonly Grant[];
}

/** Everything stored that decides rights, but members of teams. */
export interface RightsState extends RightsVersion {
	readonly policy: AccessPolicySettings;
	readonly restricted: ReadonlySet<Home>;
	/** Projects that are not restricted; not read while nothing is. */
	readonly open: readonly number[];
	/** Homes of projects that were made for a dataset's experiment, or for what happens in another project. */
	readonly follows: ReadonlyMap<number, Home>;
	readonly grantsAt: ReadonlyMap<Home, readonly Grant[]>;
	readonly rules: readonly AccessRule[];
	/** The rules that a project fits. */
	readonly rulesAt: ReadonlyMap<number, readonly AccessRule[]>;
	/** Whether a project that was just made may be hidden from anybody. */
	readonly mayHideNew: boolean;
}

const NO_POLICY = {
	version: 0,
	library_access: "open" as const,
	default_project_access: null,
	open_role_of_members: null,
	members_create_projects: null,
	max_key_days: null,
};

export type PolicyVariables = Partial<AccessPolicySettings>;

/** @param pinned what variables set, which is stronger than what is stored */
export async function readState(db: Kysely<Tables>, pinned: PolicyVariables): Promise<RightsState> {
	// The version first: what changes meanwhile is then read again, never missed.
	const version = await readRightsVersion(db);
	const stored = (await db.selectFrom("access_policy").selectAll().executeTakeFirst()) ?? NO_POLICY;
	const projects = await readAccess(db, stored.library_access === "restricted");
	const grants = await db
		.selectFrom("grants")
		.select(["project_id", "user_id", "team_id", "role"])
		.orderBy("id")
		.execute();
	const rules = await readRules(db);
	const idsOf = (access: Access) => projects.filter((project) => project.access === access).map(({ id }) => id);
	const restricted = new Set<Home>(idsOf("restricted"));
	if (stored.library_access === "restricted") restricted.add("library");
	const policy = withDefaults(stored, pinned);
	const follows = await readFollowing(db);
	return {
		...version,
		policy,
		restricted,
		open: idsOf("open"),
		follows,
		grantsAt: groupByHome(grants),
		rules,
		rulesAt: await findFitting(db, rules),
		mayHideNew:
			policy.defaultProjectAccess === "restricted" ||
			restricted.size > 0 ||
			rules.some(({ accessOfNew }) => accessOfNew === "restricted"),
	};
}

/** The access of all projects, or of none while nothing is restricted. */
async function readAccess(
	db: Kysely<Tables>,
	isLibraryRestricted: boolean,
): Promise<readonly Pick<Selectable<Tables["projects"]>, "id" | "access">[]> {
	const query = db.selectFrom("projects").select(["id", "access"]);
	if (isLibraryRestricted) return await query.execute();
	return await query
		.where(({ exists, selectFrom }) =>
			exists(selectFrom("projects as other").select("other.id").where("other.access", "=", "restricted")),
		)
		.execute();
}

export function withDefaults(
	stored: Pick<
		Tables["access_policy"],
		"default_project_access" | "open_role_of_members" | "members_create_projects" | "max_key_days"
	>,
	pinned: PolicyVariables,
): AccessPolicySettings {
	return {
		defaultProjectAccess: stored.default_project_access ?? "open",
		openRoleOfMembers: stored.open_role_of_members ?? "editor",
		membersCreateProjects: stored.members_create_projects !== 0,
		maxKeyDays: stored.max_key_days,
		...pinned,
	};
}

async function readRules(db: Kysely<Tables>): Promise<AccessRule[]> {
	const rules = await db.selectFrom("access_rules").select(["id", "pattern", "access_of_new"]).orderBy("id").execute();
	if (rules.length === 0) return [];
	const grants = await db
		.selectFrom("access_rule_grants")
		.select(["rule_id", "user_id", "team_id", "role"])
		.orderBy("id")
		.execute();
	const byRule = Map.groupBy(grants, ({ rule_id }) => rule_id);
	return rules.map(({ id, pattern, access_of_new: accessOfNew }) => ({
		id,
		pattern,
		accessOfNew,
		grants: (byRule.get(id) ?? []).map(toGrant),
	}));
}

function toGrant({ user_id, team_id, role }: Pick<Tables["grants"], "user_id" | "team_id" | "role">): Grant {
	return { userId: user_id ?? undefined, teamId: team_id ?? undefined, role };
}

/** Projects of experiments live where the dataset does, others where what they were made for happens. */
async function readFollowing(db: Kysely<Tables>): Promise<ReadonlyMap<number, Home>> {
	const ofExperiments = await db
		.selectFrom("projects")
		.innerJoin("experiments", "experiments.project_id", "projects.id")
		.innerJoin("datasets", "datasets.id", "experiments.dataset_id")
		.select(["projects.id", "datasets.project_id as home"])
		.where("projects.origin", "=", "experiment")
		.execute();
	const others = await db.selectFrom("project_homes").select(["project_id as id", "home_id as home"]).execute();
	const ofEvaluators = await db
		.selectFrom("datasets")
		.select(["evaluators_project_id as id", "project_id as home"])
		.where("evaluators_project_id", "is not", null)
		.$narrowType<{ id: number }>()
		.execute();
	return new Map([...ofExperiments, ...ofEvaluators, ...others].map(({ id, home }) => [id, home ?? "library"]));
}

function groupByHome(
	rows: readonly Pick<Tables["grants"], "project_id" | "user_id" | "team_id" | "role">[],
): ReadonlyMap<Home, readonly Grant[]> {
	const byHome = new Map<Home, Grant[]>();
	for (const row of rows) {
		const home = row.project_id ?? "library";
		const grants = byHome.get(home) ?? [];
		byHome.set(home, grants);
		grants.push(toGrant(row));
	}
	return byHome;
}

async function findFitting(
	db: Kysely<Tables>,
	rules: readonly AccessRule[],
): Promise<ReadonlyMap<number, readonly AccessRule[]>> {
	if (rules.length === 0) return new Map();
	const projects = await db.selectFrom("projects").select(["id", "name"]).where("origin", "is", null).execute();
	return new Map(
		projects.map(({ id, name }) => [id, rules.filter(({ pattern }) => fitsPattern(name, pattern))] as const),
	);
}
