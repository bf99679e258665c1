import type { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { KeyPermission } from "#http/principal.ts";
import { userOf } from "#http/principal.ts";
import { ALL_RIGHTS } from "#http/rights.ts";
import { mintApiKey } from "../auth/principals/api-key.ts";
import { assertNoOlderServer } from "../rights/older-servers.ts";
import type { KeyRequest, NewKey } from "./create-key.ts";
import { isIngestOnly } from "./limit-schemas.ts";
import {
	endKey,
	findListedKey,
	insertKey,
	type ListedKeyRow,
	type NamedKey,
	type StoredLimits,
	type SystemKeyRow,
	updateKey,
} from "./queries.ts";
import type { RotateApiKeyBody, UpdateApiKeyBody } from "./schemas.ts";
import { applyLimits, assertExpiry, limitsSomething, storedLimitsOf } from "./stored-limits.ts";
import { ID_TYPE, keyTarget, toApiKey } from "./to-api-key.ts";

const OVERLAP_SECONDS = 86_400;
const BODY = ["body"];

/** Somebody else's key is answered like one that does not exist. */
export function keyNotFound(): UserError {
	return notFound("api_key_not_found", "There is no such API key");
}

/**
 * Changes a key. What it may is only taken away: a key that has leaked, or that somebody else holds, gets no new rights.
 * @throws UserError 404; 409 `key_cannot_widen`, `older_server_running`; ValidationError
 */
export async function changeKey(
	{ auth, cluster, now }: Context,
	request: KeyRequest & { readonly body: z.output<typeof UpdateApiKeyBody> },
	named: NamedKey,
): Promise<SystemKeyRow> {
	const { name, description, expires_at: expiry, ...sent } = request.body;
	if (limitsSomething(sent)) await assertNoOlderServer(cluster);
	const changed = await request.actor.change(async (transaction) => {
		const before = await findListedKey(transaction, named, now());
		if (before === undefined) throw keyNotFound();
		const limitsBefore = storedLimitsOf(before);
		const limits = await applyLimits(transaction, request.actor, limitsBefore, sent, BODY);
		assertNarrower(limitsBefore, limits);
		const expiresAtMs = expiry === undefined ? before.expires_at_ms : expiry;
		if (expiresAtMs !== before.expires_at_ms) {
			if (isLater(expiresAtMs, before.expires_at_ms)) throw cannotWiden("expires_at");
			await assertExpiry(transaction, expiresAtMs, now(), BODY);
		}
		await updateKey(transaction, before.id, {
			name: name ?? before.name,
			description: "description" in request.body ? (description ?? null) : before.description,
			expiresAtMs,
			limits,
		});
		const after = await findListedKey(transaction, named, now());
		if (after === undefined) throw keyNotFound();
		await auth.audit.recordIn(transaction, {
			action: "api_key.update",
			outcome: "success",
			principal: request.principal,
			request,
			target: keyTarget(after),
			details: differences(before, after),
		});
		return after;
	});
	auth.principals.invalidate();
	auth.keyUses.invalidate();
	return changed;
}

/**
 * Makes a key that is the same in everything, and ends the one that it replaces after the overlap.
 * @throws UserError 404; 409 for one that was replaced already; ValidationError for its expiry
 */
export async function rotateKey(
	{ auth, now }: Context,
	request: KeyRequest & { readonly body: z.output<typeof RotateApiKeyBody> | null | undefined },
	named: NamedKey,
): Promise<NewKey> {
	const { overlap_seconds: overlap = OVERLAP_SECONDS, expires_at: expiry } = request.body ?? {};
	const creator = userOf(request.principal);
	if (creator === undefined) throw keyNotFound();
	let key = "";
	const row = await request.actor.change(async (transaction) => {
		const before = await findListedKey(transaction, named, now());
		if (before === undefined) throw keyNotFound();
		if (before.replaced_by !== null) {
			throw new UserError(
				409,
				"key_already_replaced",
				"This key was replaced already: rotate the key that replaced it.",
			);
		}
		const expiresAtMs = expiry === undefined ? before.expires_at_ms : expiry;
		await assertExpiry(transaction, expiresAtMs, now(), BODY);
		const limits = storedLimitsOf(before);
		const minted = mintApiKey(named.kind, isIngestOnly(limits.permissions));
		key = minted.key;
		const id = await insertKey(transaction, {
			kind: named.kind,
			userId: before.user_id,
			createdBy: creator.id,
			minted,
			name: before.name,
			description: before.description,
			expiresAtMs,
			limits,
			replaces: before.id,
			now: now(),
		});
		await endKey(transaction, before.id, Math.floor(now() / 1_000) + overlap * 1_000);
		await auth.audit.recordIn(transaction, {
			action: "api_key.rotate",
			outcome: "success",
			principal: request.principal,
			request,
			target: keyTarget(before),
			details: { replaced_by: encodeGlobalId(ID_TYPE[named.kind], id), overlap_seconds: overlap },
		});
		const created = await findListedKey(transaction, { kind: named.kind, id }, now());
		if (created === undefined) throw new Error("a key that was just made is gone");
		return created;
	});
	auth.principals.invalidate();
	auth.keyUses.invalidate();
	return { row, key };
}

/** @throws UserError 409 naming the field */
function assertNarrower(before: StoredLimits, after: StoredLimits): void {
	if (
		!isSubset(
			after.permissions && withIncluded(after.permissions),
			before.permissions && withIncluded(before.permissions),
		)
	) {
		throw cannotWiden("permissions");
	}
	if (!isSubset(after.projectIds, before.projectIds)) throw cannotWiden("projects");
	if (after.includeLibrary && !before.includeLibrary && before.projectIds !== null)
		throw cannotWiden("include_library");
}

function withIncluded(permissions: readonly KeyPermission[]): KeyPermission[] {
	return permissions.includes("write") ? [...permissions, "annotate", "ingest"] : [...permissions];
}

/** @param list null stands for everything */
function isSubset<T>(list: readonly T[] | null, of: readonly T[] | null): boolean {
	return of === null || (list?.every((each) => of.includes(each)) ?? false);
}

/** @param end null for never */
function isLater(end: number | null, than: number | null): boolean {
	return than !== null && (end === null || end > than);
}

function cannotWiden(field: string): UserError {
	return new UserError(409, "key_cannot_widen", `A key cannot get more than it had: ${field}. Create another key.`, {
		details: { field },
	});
}

const AUDITED = ["name", "description", "expires_at", "permissions", "projects", "include_library"] as const;
const AUDITED_LIMITS = ["ip_ranges", "allowed_origins", "limits"] as const;

/** What changed, before and after. */
function differences(before: ListedKeyRow, after: ListedKeyRow): Record<string, string> {
	const [was, is] = [toApiKey(before, ALL_RIGHTS), toApiKey(after, ALL_RIGHTS)];
	const changed = [...AUDITED, ...AUDITED_LIMITS].flatMap((field) => {
		const [from, to] = [JSON.stringify(was[field] ?? null), JSON.stringify(is[field] ?? null)];
		return from === to ? [] : [[`${field}.before`, from] as const, [`${field}.after`, to] as const];
	});
	return Object.fromEntries(changed);
}
