import { once } from "node:events";
import { printable } from "@spanward/server/src/command-line/printable.ts";
import * as openid from "openid-client";
import type { Tokens } from "../credentials.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import type { Asked } from "./browser-log-in.ts";
import { discover, keyHint, toOAuthFailure, toTokens } from "./oauth.ts";

/**
 * Asks the user on another device, by a code that is shown here (RFC 8628); the library waits as the server says.
 * @throws CommandFailure when it is refused, or the code expires
 */
export async function logInByDevice({ io, terminal }: Invocation, asked: Asked): Promise<Tokens> {
	const { url, scope, resource } = asked;
	const configuration = await discover(url);
	if (configuration.serverMetadata().device_authorization_endpoint === undefined)
		throw new CommandFailure(EXIT.notAllowed, `${url} lets no devices log in by a code. ${keyHint(url)}`);
	let late: AbortSignal | undefined;
	try {
		const device = await openid.initiateDeviceAuthorization(configuration, {
			...(scope !== undefined && { scope }),
			...(resource !== undefined && { resource }),
		});
		const { user_code: code, verification_uri: address, verification_uri_complete: complete = address } = device;
		terminal.ask(
			`Open ${printable(address)} on a device with a browser, and enter the code ${printable(code)}\n` +
				`(or open ${printable(complete)}, which has it filled in).`,
		);
		late = AbortSignal.timeout(device.expires_in * 1_000);
		const signal = AbortSignal.any([io.signal, late]);
		// The library looks at the signal only when it asks again.
		const aborted = once(signal, "abort").then(() => signal.throwIfAborted());
		const given = openid.pollDeviceAuthorizationGrant(configuration, device, undefined, { signal });
		return toTokens(await Promise.race([given, aborted.then(() => given)]), url);
	} catch (error) {
		io.signal.throwIfAborted();
		if (late?.aborted) throw new CommandFailure(EXIT.condition, "Nobody has entered the code in time. Log in again.");
		throw toOAuthFailure(error, url);
	}
}
