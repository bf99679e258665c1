import { type Account, asAdmin, Client } from "../access/accounts.ts";
import type { TestServer } from "../server.ts";

/** Posts to the log-in of the directory. */
export async function tryDirectory(server: TestServer, username: unknown, password: unknown): Promise<Response> {
	return await new Client(server).send("POST", "/auth/ldap/login", { username, password });
}

/** The status of {@link tryDirectory}. */
export async function directoryStatus(server: TestServer, username: string, password: string): Promise<number> {
	return (await tryDirectory(server, username, password)).status;
}

/** Logs in with the directory. @returns who that is, as the REST API says @throws when it fails */
export async function logInWithDirectory(server: TestServer, username: string, password: string) {
	const client = new Client(server);
	const response = await client.send("POST", "/auth/ldap/login", { username, password });
	if (response.status !== 204)
		throw new Error(`log-in answered ${response.status}: ${await response.text()}\n${server.output}`);
	return (await client.data("GET", "/v1/user")) as Account & { readonly role: string; readonly auth_method: string };
}

/** Everybody who has an account. */
export async function listUsers(server: TestServer) {
	const users = await asAdmin(server).data("GET", "/v1/users?limit=100");
	return users as readonly (Account & { readonly role: string; readonly auth_method: string })[];
}
