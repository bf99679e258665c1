import type { Context } from "#context.ts";
import type { TokenClaims } from "../auth/log-in-sessions/tokens.ts";
import { type FoundSession, findSession } from "../auth/principals/find-principals.ts";
import { readBearer, type SentHeaders } from "../auth/principals/read-bearer.ts";

/**
 * The log-in sessions whose tokens a request to end them presents: its bearer token, else every access and refresh
 * cookie. A spent refresh token is enough for this, and so are two cookies of one name.
 */
export async function presentedSessions(
	{ auth, db, now }: Context,
	sent: SentHeaders,
): Promise<readonly FoundSession[]> {
	const { accessTokens, refreshTokens } = sentTokens();
	const found = new Map<number, FoundSession>();
	for (const token of accessTokens) {
		const claims = await auth.tokens.verify("access", token);
		const session = await findBy(claims);
		if (typeof claims === "object" && session?.accessJti === claims.jti) found.set(session.id, session);
	}
	for (const token of refreshTokens) {
		const session = await findBy(await auth.tokens.verify("refresh", token));
		if (session !== undefined) found.set(session.id, session);
	}
	return [...found.values()];

	function sentTokens() {
		const bearer = readBearer(sent);
		if (bearer !== undefined) return { accessTokens: bearer === "unusable" ? [] : [bearer], refreshTokens: [] };
		const { headers } = sent;
		return { accessTokens: auth.cookies.accessTokens(headers), refreshTokens: auth.cookies.refreshTokens(headers) };
	}

	async function findBy(claims: TokenClaims | "expired" | "invalid"): Promise<FoundSession | undefined> {
		if (typeof claims === "string" || claims.sid === undefined) return undefined;
		const session = await findSession(db.read, { sid: claims.sid });
		return session?.user.id === claims.userId && session.refreshExpiresAt > now() ? session : undefined;
	}
}
