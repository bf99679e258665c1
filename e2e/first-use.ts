/** How a test server is set up when authentication is on: the IP limits off, tokens that outlive the tests. */
export const AUTHENTICATION_SETTINGS: Readonly<Record<string, string>> = {
	SERVICE_HOST: "127.0.0.1",
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop",
	SERVICE_DISABLE_RATE_LIMIT: "true",
	SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: "60",
};

export const ADMIN_EMAIL = "admin@localhost";
export const ADMIN_PASSWORD = "the admin's second password";
const FIRST_PASSWORD = "admin";

/** What an operator has after the first use of a server with authentication. */
export interface Keys {
	/** Sends and reads, as a member. */
	readonly system: string;
	/** User key of the first admin. */
	readonly admin: string;
}

/** What an operator does first, over HTTP: log in as the first admin, set a new password, make keys. */
export async function useFirst(url: string): Promise<Keys> {
	const firstCookie = await logIn(url, FIRST_PASSWORD);
	await send(url, "PATCH", "/v1/user", firstCookie, { password: ADMIN_PASSWORD, current_password: FIRST_PASSWORD });
	const cookie = await logIn(url, ADMIN_PASSWORD);
	const create = async (path: string) => {
		const response = await send(url, "POST", path, cookie, { data: { name: "first key" } });
		return ((await response.json()) as { data: { key: string } }).data.key;
	};
	return { system: await create("/v1/system/api_keys"), admin: await create("/v1/user/api_keys") };
}

/** Logs the first admin in. @returns the cookies of the session as a header */
export async function logIn(url: string, password: string): Promise<string> {
	const response = await send(url, "POST", "/auth/login", "", { email: ADMIN_EMAIL, password });
	return response.headers
		.getSetCookie()
		.map((line) => line.split(";")[0])
		.join("; ");
}

async function send(url: string, method: string, path: string, cookie: string, body: unknown): Promise<Response> {
	const headers = { "content-type": "application/json", ...(cookie === "" ? {} : { cookie }) };
	const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
	return response;
}
