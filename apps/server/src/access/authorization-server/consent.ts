import type { Transaction } from "kysely";
import { z } from "zod";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Audience, PrincipalUser } from "#http/principal.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import { maxDays } from "./approval.ts";
import type { Client } from "./clients.ts";
import { MAX_GRANTS } from "./grants.ts";
import { resourceUrl } from "./issuer.ts";
import { SCOPES, type Scope, suggestedScopes } from "./scopes.ts";

const scopes = z.array(z.enum(SCOPES));

/** What a page about a decision shows. */
export const ConsentRequest = z.object({
	client: z.object({
		client_id: z.string(),
		name: z.string(),
		kind: z.enum(["seeded", "registered", "admin", "metadata"]),
		created_at: wireTime,
	}),
	user: z.object({ id: z.string(), username: z.string(), email: z.string().nullable(), role: z.string() }),
	requested: scopes.nullable(),
	suggested: scopes,
	available: scopes,
	resource: z.object({ kind: z.enum(["api", "mcp"]), url: z.string() }),
	max_days: z.int(),
});

interface Asked {
	readonly client: Client;
	readonly user: PrincipalUser;
	readonly scopes: readonly Scope[] | null;
	readonly audience: Audience;
	readonly issuer: string;
}

export function toConsentRequest(
	config: Pick<Config, "SERVICE_OAUTH2_GRANT_EXPIRY_DAYS">,
	{ client, user, scopes: requested, audience, issuer }: Asked,
): z.output<typeof ConsentRequest> {
	const available = availableTo(user);
	return {
		client: {
			client_id: client.clientId,
			name: client.name,
			kind: client.kind,
			created_at: formatTime(client.createdAt),
		},
		user: { id: encodeGlobalId("User", user.id), username: user.username, email: user.email, role: user.role },
		requested: requested === null ? null : [...requested],
		suggested: suggestedScopes(requested).filter((scope) => available.includes(scope)),
		available,
		resource: { kind: audience, url: resourceUrl(issuer, audience) },
		max_days: maxDays(config),
	};
}

/** What the role of a user allows, of which a program can be given a part. */
function availableTo({ role }: PrincipalUser): Scope[] {
	if (role === "VIEWER") return ["read"];
	return role === "ADMIN" ? [...SCOPES] : SCOPES.filter((scope) => scope !== "admin");
}

/** @throws UserError 409 when the user has let in as many programs as one may */
export async function assertFewGrants(transaction: Transaction<Tables>, userId: number, now: number): Promise<void> {
	const grants = await transaction
		.selectFrom("oauth2_grants")
		.select((select) => select.fn.countAll<number>().as("count"))
		.where("user_id", "=", userId)
		.where("expires_at", ">", now)
		.executeTakeFirstOrThrow();
	const codes = await transaction
		.selectFrom("oauth2_codes")
		.select((select) => select.fn.countAll<number>().as("count"))
		.where("user_id", "=", userId)
		.where("expires_at", ">", now)
		.where("used_at", "is", null)
		.executeTakeFirstOrThrow();
	if (Number(grants.count) + Number(codes.count) < MAX_GRANTS) return;
	const message = `You have let in ${MAX_GRANTS} programs: end some of them in Settings, Connected apps.`;
	throw new UserError(409, "too_many_authorizations", message);
}
