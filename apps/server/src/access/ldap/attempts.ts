import type { Lockout } from "../auth/passwords/lockout.ts";
import { SignInRefusal } from "../sign-in/steps.ts";

/**
 * Runs `check` as one attempt of the lockout: every refusal counts, unless no directory could be asked.
 * @throws SignInRefusal as `check`
 * @throws UserError 429 while the account is locked, without running it
 */
export async function attempt<T>(lockout: Lockout, account: string, check: () => Promise<T>): Promise<T> {
	let refusal: SignInRefusal | undefined;
	const accepted = await lockout.attempt("ldap", account, async () => {
		try {
			return { result: await check() };
		} catch (error) {
			if (!(error instanceof SignInRefusal) || error.code === "directory_unavailable") throw error;
			refusal = error;
			return undefined;
		}
	});
	if (accepted === undefined) throw refusal;
	return accepted.result;
}
