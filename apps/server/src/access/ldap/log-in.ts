import type { FastifyRequest } from "fastify";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { TokenPair } from "../auth/log-in-sessions/sessions.ts";
import { logInExternally } from "../external-accounts/log-in-externally.ts";
import { noteRefusal } from "../external-accounts/note-refusal.ts";
import { SignInRefusal, Steps } from "../sign-in/steps.ts";
import type { LdapCredentials, LdapDirectory } from "./directory.ts";

const RETRY_AFTER_SECONDS = 10;

/**
 * Opens a session for the person whom the directory knows by this name and password.
 * @throws UserError 401 for every reason that may be the user's, 429 while locked, 503 when no directory can be asked
 */
export async function logInWithDirectory(
	context: WritingContext,
	directory: LdapDirectory,
	request: FastifyRequest,
	credentials: LdapCredentials,
): Promise<TokenPair> {
	const { auth, log } = context;
	const steps = new Steps();
	let refusal: SignInRefusal | undefined;
	try {
		return await directory.authenticate(credentials, steps, (identity) =>
			logInExternally(context, request, identity, steps),
		);
	} catch (error) {
		if (error instanceof UserError && error.code === "login_locked") {
			await auth.audit.record({ action: "login.locked", outcome: "denied", code: error.code, request });
		}
		if (!(error instanceof SignInRefusal)) throw error;
		refusal = error;
		await noteRefusal(context, request, refusal, { directory: "ldap" });
		throw toUserError(refusal);
	} finally {
		// Failures that did not end the attempt, such as a server that did not answer before another one did.
		for (const step of steps.list) {
			if (step.outcome !== "failed" || step === refusal?.step) continue;
			log.warn({ directory: "ldap", step: step.name, settings: step.settings }, step.text);
		}
	}
}

function toUserError({ code }: SignInRefusal): UserError {
	if (code !== "directory_unavailable") return new UserError(401, "invalid_login", "Wrong username or password");
	return new UserError(503, code, "The directory cannot be reached at the moment; try again later.", {
		retryAfter: RETRY_AFTER_SECONDS,
	});
}
