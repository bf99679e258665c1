import { AuthenticationError, NotFoundError, type Spanward } from "@spanward/client";
import { connectTo } from "../connection.ts";
import { AUDIENCES, changeCredentials, credentialsPath, type Profile } from "../credentials.ts";
import { CommandFailure, EXIT, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { isReadableOnTheWay, serverAddress } from "../server-address.ts";
import { toFailure } from "../to-failure.ts";
import { type Account, accountOf } from "./account.ts";

const KEY = /^[\x21-\x7e]{1,4096}$/;
const NAME = /^[\w.:@-]{1,100}$/;
/** What an agent should be given: docs/mcp.md. */
const SCOPE_OF_AGENTS = "read";

/** `spanward login`: keeps the address of a server, and what it has let this program in with. */
export async function login(invocation: Invocation): Promise<undefined> {
	const { io, terminal } = invocation;
	if (invocation.value("url") !== undefined)
		throw usageFailure("The address is an argument here: spanward login <address>.");
	const url = serverAddress(invocation.argument(0), "The argument");
	const name = invocation.value("name") ?? invocation.value("profile") ?? new URL(url).host;
	if (!NAME.test(name)) throw usageFailure("--name takes up to 100 letters, digits and . : @ - _.");
	const hasKey = invocation.has("key");
	if (hasKey && ["device", "mcp", "scope"].some((option) => invocation.has(option)))
		throw usageFailure("A key may what it may, everywhere: --key goes without --device, --mcp and --scope.");
	const given = hasKey ? await withKey(invocation, url) : await withoutKey(invocation, url);
	const replaced = await keep(invocation, name, given);
	const isLoggedIn = (given.key ?? given.tokens) !== undefined;
	if (isLoggedIn && isReadableOnTheWay(url))
		terminal.note(`Warning: ${url} is not encrypted; whoever sees the traffic can read what you log in with.`);
	const isMcp = given.tokens?.mcp !== undefined;
	const account = isMcp ? undefined : await accountOf(connectTo({ ...given, profile: name }, io));
	if (terminal.isJson) await terminal.printJson({ profile: name, url, ...account });
	else
		terminal.note(
			`${isMcp ? `spanward mcp asks ${url} now.` : `Commands ask ${url} now. ${whoIs(account, terminal)}`} Kept in ${credentialsPath(io.environment)}.`,
		);
	await end(invocation, replaced);
	return undefined;
}

function whoIs(account: Account | undefined, terminal: Invocation["terminal"]): string {
	const name = account?.username ?? undefined;
	return name === undefined ? "It asks for no log-in." : `You are ${terminal.oneLine(name)}.`;
}

/** A key that the server accepts. */
async function withKey({ io }: Invocation, url: string): Promise<Profile> {
	const { readSecretly } = await import("@spanward/server/src/command-line/read-secretly.ts");
	const key = (await readSecretly(`API key for ${url}`, { isNew: false })).trim();
	if (!KEY.test(key)) throw usageFailure("That is no API key: it is one word of ASCII characters.");
	if (await isAccepted(connectTo({ url, key }, io))) return { url, key };
	throw new CommandFailure(EXIT.notAllowed, `${url} does not accept this key, so nothing was kept.`);
}

/** Tokens that the user has let the server give; none where it asks for no log-in. */
async function withoutKey(invocation: Invocation, url: string): Promise<Profile> {
	const spanward = connectTo({ url }, invocation.io);
	if (await isAccepted(spanward)) return { url };
	const audience = invocation.has("mcp") ? "mcp" : "api";
	const asked = {
		url,
		scope: invocation.value("scope")?.replaceAll(",", " ") ?? (audience === "mcp" ? SCOPE_OF_AGENTS : undefined),
		resource: audience === "mcp" ? await addressOfMcp(spanward) : undefined,
	};
	const tokens = invocation.has("device")
		? await (await import("./device-log-in.ts")).logInByDevice(invocation, asked)
		: await (await import("./browser-log-in.ts")).logInByBrowser(invocation, asked);
	return { url, tokens: { [audience]: tokens } };
}

async function isAccepted(spanward: Spanward): Promise<boolean> {
	try {
		await accountOf(spanward);
		return true;
	} catch (error) {
		if (error instanceof AuthenticationError) return false;
		throw error;
	}
}

/** RFC 9728 */
async function addressOfMcp(spanward: Spanward): Promise<string> {
	try {
		const response = await spanward.api.fetch("/.well-known/oauth-protected-resource/mcp");
		const { resource }: { resource?: unknown } = await response.json();
		if (typeof resource === "string") return resource;
	} catch (error) {
		if (!(error instanceof NotFoundError)) throw error;
	}
	throw new CommandFailure(
		EXIT.notAllowed,
		`${spanward.baseUrl} has no MCP endpoint that programs can log in for: SERVICE_ENABLE_MCP=false switches it off there.`,
	);
}

/**
 * Puts a log-in in the place of what was there, except that one for the MCP endpoint and one for everything else stand
 * side by side.
 * @returns what is no longer kept
 */
async function keep({ io }: Invocation, name: string, given: Profile): Promise<Profile> {
	let replaced: Profile = { url: given.url };
	await changeCredentials(
		io.environment,
		({ profiles, ...credentials }) => {
			const before = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
			const own = before?.url === given.url && given.key === undefined ? before : undefined;
			const key = given.key ?? (given.tokens?.api === undefined ? own?.key : undefined);
			const tokens = given.tokens === undefined ? undefined : { ...own?.tokens, ...given.tokens };
			const gone = AUDIENCES.filter((audience) => before?.tokens?.[audience] !== tokens?.[audience]);
			replaced = {
				url: before?.url ?? given.url,
				tokens: Object.fromEntries(gone.map((audience) => [audience, before?.tokens?.[audience]])),
			};
			const next = { url: given.url, ...(key !== undefined && { key }), ...(tokens !== undefined && { tokens }) };
			return { ...credentials, current: name, profiles: { ...profiles, [name]: next } };
		},
		io.signal,
	);
	return replaced;
}

/** What was replaced is of no use any more. */
async function end({ io, terminal }: Invocation, replaced: Profile): Promise<void> {
	if (Object.values(replaced.tokens ?? {}).every((tokens) => tokens === undefined)) return;
	const { endAuthorizations } = await import("./oauth.ts");
	try {
		await endAuthorizations(replaced);
	} catch (error) {
		const { message } = toFailure(error, io);
		terminal.note(`The log-in before could not be ended: ${message} End it in Settings → Connected apps.`);
	}
}
