import { randomBytes } from "node:crypto";
import { type ServerOptions, startServer, type TestServer } from "../server.ts";

export const SECRET = "test-secret-0123456789-abcdefghijklmnop";
export const ADMIN_SECRET = "test-admin-secret-0123456789-qrstuvwxyz";
export const DEFAULT_ADMIN = "admin@localhost";

/** Settings of a server with authentication on and without limits by address, for {@link asAdmin}. */
export const WITH_ACCOUNTS: Readonly<Record<string, string>> = {
	SERVICE_HOST: "127.0.0.1",
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_SECRET: SECRET,
	SERVICE_ADMIN_SECRET: ADMIN_SECRET,
	SERVICE_DISABLE_RATE_LIMIT: "true",
};

/**
 * A running server with authentication on, in the test's own process unless `inProcess` is false; the IP limits are off
 * unless `env` says otherwise.
 */
export async function startWithAuth(
	env: Readonly<Record<string, string>> = {},
	workingDir?: string,
	{ inProcess = true }: Pick<ServerOptions, "inProcess"> = {},
): Promise<TestServer> {
	return await startServer({
		...(workingDir === undefined ? {} : { workingDir }),
		env: { ...WITH_ACCOUNTS, ...env },
		inProcess,
	});
}

/** A client that keeps cookies as a browser does, or sends a bearer token. */
export class Client {
	readonly cookies = new Map<string, string>();
	readonly #server: TestServer;
	readonly #token: string | undefined;

	constructor(server: TestServer, token?: string) {
		this.#server = server;
		this.#token = token;
	}

	/** Sends a request, with `body` as JSON, and keeps the cookies of the answer. Redirects are not followed. */
	async send(
		method: string,
		path: string,
		body?: unknown,
		headers: Readonly<Record<string, string>> = {},
	): Promise<Response> {
		const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const response = await fetch(this.#server.url + path, {
			method,
			redirect: "manual",
			headers: {
				...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
				...(cookie === "" ? {} : { cookie }),
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...headers,
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		for (const line of response.headers.getSetCookie()) this.#keep(line);
		return response;
	}

	/** The body's `data` of an answer that has to be 2xx. */
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	async data(method: string, path: string, body?: unknown): Promise<any> {
		const response = await this.send(method, path, body);
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
		return text === "" ? undefined : JSON.parse(text).data;
	}

	#keep(line: string): void {
		const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
		const [name = "", value = ""] = pair.split(/=(.*)/s);
		if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name);
		else this.cookies.set(name, value);
	}
}

/** Calls with the admin secret. */
export function asAdmin(server: TestServer): Client {
	return new Client(server, ADMIN_SECRET);
}

/** A client that logged in. @throws when that fails */
export async function logIn(server: TestServer, email: string, password: string): Promise<Client> {
	const client = new Client(server);
	const response = await client.send("POST", "/auth/login", { email, password });
	if (response.status !== 204) throw new Error(`log-in answered ${response.status}: ${await response.text()}`);
	return client;
}

export interface Account {
	readonly id: string;
	readonly username: string;
	readonly email: string;
	readonly password: string;
}

/** Creates a local account that has set its own password. */
export async function createAccount(server: TestServer, role: "ADMIN" | "MEMBER" | "VIEWER"): Promise<Account> {
	const username = `${role.toLowerCase()}-${randomBytes(6).toString("hex")}`;
	const email = `${username}@example.com`;
	const user = { auth_method: "LOCAL", email, username, role, password: "first-Password1!" };
	const { id } = await asAdmin(server).data("POST", "/v1/users", { user, send_welcome_email: false });
	const password = "second-Password2!";
	const client = await logIn(server, email, "first-Password1!");
	await client.data("PATCH", "/v1/user", { password, current_password: "first-Password1!" });
	return { id, username, email, password };
}

/** A new account with this role, logged in. */
export async function logInAs(server: TestServer, role: "ADMIN" | "MEMBER" | "VIEWER"): Promise<Client> {
	const { email, password } = await createAccount(server, role);
	return logIn(server, email, password);
}

/** A user key of the one who is logged in. */
export async function createUserKey(client: Client): Promise<string> {
	return (await client.data("POST", "/v1/user/api_keys", { data: { name: "test" } })).key;
}

export async function createSystemKey(server: TestServer): Promise<string> {
	return (await asAdmin(server).data("POST", "/v1/system/api_keys", { data: { name: "test" } })).key;
}

/** Who is no admin that is logged in: nobody, a viewer, a member, a key of `admin`, the admin secret, in this order. */
export async function othersThanAdmins(server: TestServer, admin: Client): Promise<readonly Client[]> {
	return [
		new Client(server),
		await logInAs(server, "VIEWER"),
		await logInAs(server, "MEMBER"),
		new Client(server, await createUserKey(admin)),
		asAdmin(server),
	];
}
