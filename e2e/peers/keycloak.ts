import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../server.ts";
import { CLIENT_SECRET, type ClientId, REALM } from "./keycloak/realm.ts";
import { KEYCLOAK_FOLDER } from "./missing.ts";
import { PeerProcess, runToEnd } from "./process.ts";
import { useSharedPeer } from "./shared.ts";

const READY_WITHIN_MS = 2_400_000;
const ADMIN = { username: "admin", password: "admin" };
/** Of `beforeAll` with {@link useKeycloak}: it has to be built the first time, on a busy machine. */
export const KEYCLOAK_START_LIMIT = 3_000_000;

export interface Keycloak {
	/** Of the realm `keycloak/realm.ts`. */
	readonly issuer: string;
}

/** The one of this run of the tests: `npm test` starts it at the beginning, else the first who asks does. */
export function useKeycloak(): Promise<Keycloak> {
	return useSharedPeer("keycloak");
}

/** What a server of ours needs to know of it, as the provider KEYCLOAK. */
export function keycloakSettings({ issuer }: Keycloak, clientId: ClientId): Readonly<Record<string, string>> {
	const isPublic = clientId === "service-public";
	return {
		SERVICE_OAUTH2_KEYCLOAK_CLIENT_ID: clientId,
		...(isPublic
			? { SERVICE_OAUTH2_KEYCLOAK_TOKEN_ENDPOINT_AUTH_METHOD: "none", SERVICE_OAUTH2_KEYCLOAK_USE_PKCE: "true" }
			: { SERVICE_OAUTH2_KEYCLOAK_CLIENT_SECRET: CLIENT_SECRET }),
		SERVICE_OAUTH2_KEYCLOAK_OIDC_CONFIG_URL: `${issuer}/.well-known/openid-configuration`,
	};
}

/** A Keycloak without a database, on loopback. */
export async function startKeycloak(): Promise<Keycloak & AsyncDisposable> {
	const env = {
		KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
		KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
		JAVA_OPTS_KC_HEAP: "-Xms128m -Xmx512m",
	};
	const command = join(KEYCLOAK_FOLDER, "bin/kc.sh");
	const built = join(KEYCLOAK_FOLDER, "built");
	if (!existsSync(built)) {
		await runToEnd(command, ["build", "--db=dev-mem", "--cache=local", "--features-disabled=kerberos"], { env });
		await writeFile(built, "");
	}
	const port = await freePort();
	// Another site than 127.0.0.1, where the servers of the tests are: browsers treat cookies as between any two sites.
	const url = `http://localhost:${port}`;
	const listening = ["--http-enabled=true", "--http-host=127.0.0.1", `--http-port=${port}`, `--hostname=${url}`];
	const keycloak = await PeerProcess.start({
		name: "keycloak",
		command,
		args: ["start", "--optimized", ...listening],
		env,
		isReady: () => answers(`${url}/realms/master/.well-known/openid-configuration`),
		readyWithinMs: READY_WITHIN_MS,
	});
	try {
		await createRealm(url);
	} catch (error) {
		await keycloak[Symbol.asyncDispose]();
		throw error;
	}
	return { issuer: `${url}/realms/${REALM.realm}`, [Symbol.asyncDispose]: () => keycloak[Symbol.asyncDispose]() };
}

async function answers(url: string): Promise<boolean> {
	try {
		return (await fetch(url)).ok;
	} catch {
		return false; // nobody listens yet
	}
}

async function createRealm(url: string): Promise<void> {
	const grant = { grant_type: "password", client_id: "admin-cli", ...ADMIN };
	const tokens = await send(`${url}/realms/master/protocol/openid-connect/token`, {
		method: "POST",
		body: new URLSearchParams(grant),
	});
	const { access_token: token } = (await tokens.json()) as { access_token: string };
	await send(`${url}/admin/realms`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify(REALM),
	});
}

async function send(url: string, init: RequestInit): Promise<Response> {
	const response = await fetch(url, init);
	if (!response.ok) throw new Error(`Keycloak answered ${response.status} at ${url}: ${await response.text()}`);
	return response;
}
