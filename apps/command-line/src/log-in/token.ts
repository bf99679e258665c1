import { CommandFailure, EXIT } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { AccessTokens } from "./access-tokens.ts";

/** Whoever gets it has some minutes to use it, if the server gives tokens for so long. */
const LEAST_MS = 300_000;

/** `spanward token`: what a program of its own sends as `Authorization: Bearer`. */
export async function printToken(invocation: Invocation): Promise<undefined> {
	const { io, terminal } = invocation;
	// That of an earlier call may be there: it would be printed again for ever.
	const { key, profile, url, tokens } = await invocation.logIn();
	if (tokens?.api === undefined || profile === undefined) {
		if (key === undefined)
			throw new CommandFailure(EXIT.condition, `There is no token for ${url}: log in with spanward login ${url}.`);
		if (terminal.isJson) await terminal.printJson({ url, access_token: key, expires_at: null });
		else await terminal.print(key);
		return undefined;
	}
	const current = await new AccessTokens(io, { profile, url, audience: "api" }, tokens.api).tokens(LEAST_MS);
	const { access_token, expires_at } = current;
	if (terminal.isJson) await terminal.printJson({ url, access_token, expires_at });
	else await terminal.print(access_token);
	return undefined;
}
