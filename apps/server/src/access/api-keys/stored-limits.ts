import type { Kysely } from "kysely";
import type { z } from "zod";
import { ValidationError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import type { KeyPermission } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import { parseList } from "../auth/principals/key-limits.ts";
import { resolveKeyProjects } from "./key-projects.ts";
import { isIngestOnly, type limitFields } from "./limit-schemas.ts";
import { type ListedKeyRow, readMaxKeyDays, type StoredLimits } from "./queries.ts";

/** What limits a key, as a body says it. */
export type SentLimits = z.output<z.ZodObject<typeof limitFields>>;

/** Whether any of these fields limits a key. */
export function limitsSomething({ limits, ...others }: SentLimits): boolean {
	return Object.values({ ...others, ...limits }).some((value) => value !== undefined && value !== null);
}

export const NO_LIMITS: StoredLimits = {
	permissions: null,
	projectIds: null,
	includeLibrary: false,
	ipRanges: null,
	allowedOrigins: null,
	requestsPerMinute: null,
	spansPerDay: null,
};

export function storedLimitsOf(row: ListedKeyRow): StoredLimits {
	const listOf = (json: string | null) => (json === null ? null : parseList(json));
	return {
		permissions: listOf(row.permissions) as KeyPermission[] | null,
		projectIds: row.projects?.map(({ id }) => id) ?? null,
		includeLibrary: row.include_library === 1,
		ipRanges: listOf(row.ip_ranges),
		allowedOrigins: listOf(row.allowed_origins),
		requestsPerMinute: row.requests_per_minute,
		spansPerDay: row.spans_per_day,
	};
}

/**
 * Limits with what a body says of them; what is absent stays.
 * @param actor who says so
 * @param loc where the fields stand in the request
 * @throws ValidationError for a project that does not exist, and for fields that do not fit each other
 */
export async function applyLimits(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "noteHidden">,
	before: StoredLimits,
	sent: SentLimits,
	loc: readonly string[],
): Promise<StoredLimits> {
	const projectIds =
		sent.projects === undefined
			? before.projectIds
			: sent.projects && (await resolveKeyProjects(db, actor, sent.projects, [...loc, "projects"]));
	const { limits } = sent;
	const after: StoredLimits = {
		permissions: sent.permissions === undefined ? before.permissions : sent.permissions,
		projectIds,
		includeLibrary:
			sent.include_library === undefined
				? before.includeLibrary && projectIds !== null
				: (sent.include_library ?? false),
		ipRanges: sent.ip_ranges === undefined ? before.ipRanges : sent.ip_ranges,
		allowedOrigins: sent.allowed_origins === undefined ? before.allowedOrigins : sent.allowed_origins,
		requestsPerMinute:
			limits?.requests_per_minute === undefined && limits !== null
				? before.requestsPerMinute
				: (limits?.requests_per_minute ?? null),
		spansPerDay:
			limits?.spans_per_day === undefined && limits !== null ? before.spansPerDay : (limits?.spans_per_day ?? null),
	};
	const fault = (field: string, msg: string) =>
		new ValidationError([{ type: "value_error", loc: [...loc, field], msg: `Value error, ${msg}` }]);
	if (after.includeLibrary && after.projectIds === null) {
		throw fault("include_library", "only a key with projects can have include_library");
	}
	if (after.projectIds?.length === 0 && !after.includeLibrary && sent.projects != null) {
		throw fault("projects", "name a project, or set include_library; null means all projects");
	}
	if (after.allowedOrigins !== null && !isIngestOnly(after.permissions)) {
		throw fault("allowed_origins", 'only a key with permissions ["ingest"] can have allowed_origins');
	}
	return after;
}

/**
 * @param expiresAtMs null for a key that never expires
 * @param loc where it stands in the request
 * @throws ValidationError when it has passed, or is later than the policy allows
 */
export async function assertExpiry(
	db: Kysely<Tables>,
	expiresAtMs: number | null,
	now: number,
	loc: readonly string[],
): Promise<void> {
	const fault = (msg: string) =>
		new ValidationError([{ type: "value_error", loc: [...loc, "expires_at"], msg: `Value error, ${msg}` }]);
	if (expiresAtMs !== null && expiresAtMs * 1_000 <= now) throw fault("the expiry has passed");
	const maxDays = await readMaxKeyDays(db);
	if (maxDays === null) return;
	const latest = Math.floor(now / 1_000) + maxDays * 86_400_000;
	if (expiresAtMs === null || expiresAtMs > latest) {
		throw fault(`a key lasts at most ${maxDays} days here: give an expires_at within them`);
	}
}
