import { findLimitedSender, findUser } from "#access/auth/principals/find-principals.ts";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { Principal } from "#http/principal.ts";

/** With whose rights something goes on in the background. */
export interface RunsAs {
	/** Null while authentication was off, and after the user was deleted. */
	readonly userId: number | null;
	/** The limited key, or the grant of the program, that it ends with. */
	readonly keyId?: number | undefined;
	readonly grantId?: number | undefined;
}

/**
 * Who started something that goes on in the background, with the rights of now.
 * @param didWhat what they did, for the message: "started the run"
 * @throws UserError when that is nobody any more
 */
export async function principalOfRun(
	{ auth, db, now }: Pick<Context, "auth" | "db" | "now">,
	{ userId, keyId, grantId }: RunsAs,
	didWhat: string,
): Promise<Principal> {
	if (keyId !== undefined || grantId !== undefined) {
		const sender = grantId === undefined ? { keyId: present(keyId, "a key") } : { grantId };
		const principal = await findLimitedSender(db.read, sender, now());
		if (principal !== undefined) return principal;
		const what = keyId === undefined ? "authorization of the program" : "API key";
		throw new UserError(403, "access_ended", `The ${what} that ${didWhat} has ended.`);
	}
	if (userId === null && !auth.enabled) return { kind: "anonymous" };
	const user = userId === null ? undefined : await findUser(db.read, userId);
	if (user === undefined) throw new UserError(403, "nobody", `The account that ${didWhat} does not exist any more.`);
	return { kind: "run", user };
}
