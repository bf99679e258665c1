import type { Origin } from "../auth/audit.ts";
import type { TokenPair } from "../auth/log-in-sessions/sessions.ts";
import type { Context } from "../context.ts";
import type { Steps } from "../sign-in/steps.ts";
import type { ExternalIdentity } from "./identity.ts";

/**
 * Opens a session for who a provider or directory says has signed in, in one transaction with what that changes: a new
 * account, a binding, the role, the email.
 * @throws SignInRefusal when no account may be theirs
 */
export async function logInExternally(
	_context: Context,
	_request: Origin,
	_identity: ExternalIdentity,
	_steps: Steps,
): Promise<TokenPair> {
	throw new Error("not there yet");
}

/**
 * Notes what {@link logInExternally} would do, and changes nothing.
 * @throws SignInRefusal as that would
 */
export async function previewLogIn(_context: Context, _identity: ExternalIdentity, _steps: Steps): Promise<void> {
	throw new Error("not there yet");
}
