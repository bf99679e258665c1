import type { Kysely, Selectable } from "kysely";
import { IpRanges } from "#base/ip-ranges.ts";
import { KEY_PERMISSIONS, type KeyLimits, type KeyPermission, type TokenPrincipal } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";

export const KEY_LIMIT_COLUMNS = [
	"api_keys.id",
	"permissions",
	"has_homes",
	"include_library",
	"ip_ranges",
	"allowed_origins",
	"requests_per_minute",
	"spans_per_day",
] as const;

type LimitRow = Pick<
	Selectable<Tables["api_keys"]>,
	| "id"
	| "permissions"
	| "has_homes"
	| "include_library"
	| "ip_ranges"
	| "allowed_origins"
	| "requests_per_minute"
	| "spans_per_day"
>;

/** What a key may less than its owner, with the projects that are left of those it was made for. */
export async function toKeyLimits(db: Kysely<Tables>, row: LimitRow): Promise<KeyLimits> {
	const { permissions, ip_ranges, allowed_origins, requests_per_minute, spans_per_day } = row;
	return {
		...(permissions === null ? {} : { permissions: new Set(parseList(permissions) as KeyPermission[]) }),
		...(row.has_homes === 0
			? {}
			: { homes: { projectIds: await readProjectIds(db, row.id), library: row.include_library === 1 } }),
		...(ip_ranges === null ? {} : { ipRanges: new IpRanges(parseList(ip_ranges)) }),
		...(allowed_origins === null ? {} : { allowedOrigins: new Set(parseList(allowed_origins)) }),
		...(requests_per_minute === null ? {} : { requestsPerMinute: requests_per_minute }),
		...(spans_per_day === null ? {} : { spansPerDay: spans_per_day }),
	};
}

type GrantRow = Pick<Selectable<Tables["oauth2_grants"]>, "id" | "permissions" | "has_homes" | "include_library">;

/** What a user let a program do. */
export async function grantLimits(
	db: Kysely<Tables>,
	row: GrantRow,
): Promise<Pick<TokenPrincipal, "admin" | "limits">> {
	const permissions = row.permissions === null ? undefined : parseList(row.permissions);
	const homes =
		row.has_homes === 0
			? undefined
			: { projectIds: await readGrantProjects(db, row.id), library: row.include_library === 1 };
	return {
		admin: permissions?.includes("admin") ?? false,
		limits: {
			...(permissions === undefined
				? {}
				: { permissions: new Set(KEY_PERMISSIONS.filter((each) => permissions.includes(each))) }),
			...(homes === undefined ? {} : { homes }),
		},
	};
}

async function readGrantProjects(db: Kysely<Tables>, grantId: number): Promise<ReadonlySet<number>> {
	const rows = await db
		.selectFrom("oauth2_grant_projects")
		.select("project_id")
		.where("grant_id", "=", grantId)
		.execute();
	return new Set(rows.map(({ project_id }) => project_id));
}

/** A list as `api_keys` has it. */
export function parseList(json: string): string[] {
	return JSON.parse(json) as string[];
}

async function readProjectIds(db: Kysely<Tables>, keyId: number): Promise<ReadonlySet<number>> {
	const rows = await db.selectFrom("api_key_projects").select("project_id").where("key_id", "=", keyId).execute();
	return new Set(rows.map(({ project_id }) => project_id));
}
