import { fetchMe, type Me } from "../auth/me.ts";
import { renewTokens } from "../auth/renew.ts";
import { readStamp } from "../auth/renewal-stamp.ts";

/** The user who is logged in, with valid or renewable tokens; undefined if there is none or it cannot be determined. */
export async function findCurrentUser(): Promise<Me | undefined> {
	try {
		const stamp = readStamp();
		const me = await fetchMe(fetch);
		if (me !== undefined || stamp === undefined) return me;
		return (await renewTokens(stamp)) === "renewed" ? await fetchMe(fetch) : undefined;
	} catch (error) {
		// The form says so when it is sent.
		if (error instanceof Error) return;
		throw error;
	}
}
