import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import * as openid from "openid-client";
import type { Tokens } from "../credentials.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { discover, toOAuthFailure, toTokens } from "./oauth.ts";
import { openBrowser } from "./open-browser.ts";

/** As long as a code for a device is good. */
const WAIT_MS = 600_000;

export interface Asked {
	readonly url: string;
	readonly scope: string | undefined;
	/** RFC 8707; the API unless given. */
	readonly resource: string | undefined;
}

/**
 * Asks the user in a browser of this machine, which comes back to an address of loopback (RFC 8252, 7.3; PKCE; `state` and
 * `iss` are checked).
 * @throws CommandFailure when it is refused, or nobody decides
 */
export async function logInByBrowser({ io, terminal }: Invocation, { url, scope, resource }: Asked): Promise<Tokens> {
	const configuration = await discover(url);
	const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
	await using back = await listenForAnswer(state, io.signal);
	const address = addressFor(configuration, url, {
		redirect_uri: back.redirectUri,
		code_challenge: await openid.calculatePKCECodeChallenge(verifier),
		code_challenge_method: "S256",
		state,
		...(scope !== undefined && { scope }),
		...(resource !== undefined && { resource }),
	});
	const isOpened = await openBrowser(address.href, io.environment);
	terminal.ask(
		isOpened
			? `A browser opens, where you choose what this program may do. If none does, open ${address.href}`
			: `Open this address in a browser of this machine, or log in with --device: ${address.href}`,
	);
	const { answer, reply } = await back.answer;
	try {
		const given = await openid.authorizationCodeGrant(configuration, answer, {
			pkceCodeVerifier: verifier,
			expectedState: state,
		});
		const tokens = toTokens(given, url);
		await reply("You are logged in. This page can be closed.");
		return tokens;
	} catch (error) {
		const failure = toOAuthFailure(error, url);
		await reply(failure instanceof Error ? failure.message : "The log-in failed.");
		throw failure;
	}
}

/** @throws CommandFailure where the server would have something else opened than http and https */
function addressFor(configuration: openid.Configuration, url: string, parameters: Record<string, string>): URL {
	try {
		return openid.buildAuthorizationUrl(configuration, parameters);
	} catch (error) {
		throw toOAuthFailure(error, url);
	}
}

interface Answered {
	/** Where the browser came back to. */
	readonly answer: URL;
	/** Shows a sentence to whoever looks at the browser. */
	readonly reply: (text: string) => Promise<void>;
}

interface Listening extends AsyncDisposable {
	readonly redirectUri: string;
	readonly answer: Promise<Answered>;
}

/** Waits at a port of loopback for the request that has the state; any page can send others. */
async function listenForAnswer(state: string, signal: AbortSignal): Promise<Listening> {
	const server = createServer();
	server.listen(0, "127.0.0.1");
	await once(server, "listening", { signal });
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("it listens on no port");
	const redirectUri = `http://127.0.0.1:${address.port}/callback`;
	const late = AbortSignal.timeout(WAIT_MS);
	const answer = new Promise<Answered>((resolve, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		late.addEventListener("abort", () => {
			reject(new CommandFailure(EXIT.condition, "Nobody has decided within ten minutes. Log in again."));
		});
		server.on("request", (request, response) => {
			const to = URL.parse(request.url ?? "", redirectUri);
			if (request.method !== "GET" || to?.pathname !== "/callback" || to.searchParams.get("state") !== state) {
				void show(response, 404, "This is not what spanward login waits for.");
				return;
			}
			resolve({ answer: to, reply: (text) => show(response, 200, text) });
		});
	});
	// It is awaited later, and an interruption may come before.
	answer.catch(() => undefined);
	return {
		redirectUri,
		answer,
		async [Symbol.asyncDispose]() {
			const closed = once(server, "close");
			server.close();
			// Browsers open some that they may need.
			server.closeAllConnections();
			await closed;
		},
	};
}

async function show(response: ServerResponse, status: number, text: string): Promise<void> {
	const closed = once(response, "close");
	response.writeHead(status, {
		"content-type": "text/plain; charset=utf-8",
		"cache-control": "no-store",
		"referrer-policy": "no-referrer",
		"x-content-type-options": "nosniff",
		connection: "close",
	});
	response.end(`Spanward: ${text}\n`);
	await closed;
}
