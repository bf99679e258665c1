import { AuthenticationError, type Spanward } from "@spanward/client";
import { connectTo } from "../connection.ts";
import { changeCredentials, credentialsPath, type Profile } from "../credentials.ts";
import { CommandFailure, EXIT, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { isReadableOnTheWay, serverAddress } from "../server-address.ts";
import { accountOf } from "./account.ts";

const KEY = /^[\x21-\x7e]{1,4096}$/;
const NAME = /^[\w.:@-]{1,100}$/;

/** `spanward login`: keeps the address of a server, and a key once the server has accepted it. */
export async function login(invocation: Invocation): Promise<undefined> {
	const { io, terminal } = invocation;
	if (invocation.value("url") !== undefined)
		throw usageFailure("The address is an argument here: spanward login <address>.");
	const url = serverAddress(invocation.argument(0), "The argument");
	const name = invocation.value("name") ?? invocation.value("profile") ?? new URL(url).host;
	if (!NAME.test(name)) throw usageFailure("--name takes up to 100 letters, digits and . : @ - _.");
	const key = invocation.has("key") ? await readKey(url) : undefined;
	const profile: Profile = { url, ...(key !== undefined && { key }) };
	const account = await accountAt(connectTo(profile, io), profile);
	await changeCredentials(io.environment, ({ profiles }) => ({
		current: name,
		profiles: { ...profiles, [name]: profile },
	}));
	if (key !== undefined && isReadableOnTheWay(url))
		terminal.note(`Warning: ${url} is not encrypted; whoever sees the traffic can read the key.`);
	if (terminal.isJson) await terminal.printJson({ profile: name, url, ...account });
	else {
		const who = account.username === null ? "It asks for no log-in." : `You are ${terminal.oneLine(account.username)}.`;
		terminal.note(`Commands ask ${url} now. ${who} Kept in ${credentialsPath(io.environment)}.`);
	}
	return undefined;
}

async function readKey(url: string): Promise<string> {
	const { readSecretly } = await import("@spanward/server/src/command-line/read-secretly.ts");
	const key = (await readSecretly(`API key for ${url}`, { isNew: false })).trim();
	if (!KEY.test(key)) throw usageFailure("That is no API key: it is one word of ASCII characters.");
	return key;
}

async function accountAt(spanward: Spanward, profile: Profile) {
	try {
		return await accountOf(spanward);
	} catch (error) {
		if (!(error instanceof AuthenticationError)) throw error;
		const reason =
			profile.key === undefined
				? `${profile.url} asks for a key: make one in its Settings → API keys, and run spanward login --key ${profile.url}.`
				: `${profile.url} does not accept this key, so nothing was kept.`;
		throw new CommandFailure(EXIT.notAllowed, reason);
	}
}
