import { createHash, randomBytes } from "node:crypto";
import type { Answer, TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

/** As a request without `Host` arrives that `app.inject` makes. */
export const ISSUER = "http://localhost:6006";
export const CALLBACK = "http://127.0.0.1:43110/callback";
export const ON = { SERVICE_ENABLE_AUTH: "true" } as const;

export function pkce(): { readonly verifier: string; readonly challenge: string } {
	const verifier = randomBytes(32).toString("base64url");
	return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export interface Tokens {
	readonly access_token: string;
	readonly refresh_token: string;
	readonly token_type: string;
	readonly expires_in: number;
	readonly scope?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** A program without a library, so that each of its requests can be made wrong. */
export class TestProgram {
	readonly #server: TestApp;
	readonly clientId: string;

	constructor(server: TestApp, clientId = "spanward-cli") {
		this.#server = server;
		this.clientId = clientId;
	}

	/** Registers a program. */
	static async registered(server: TestApp, body: Fields = {}): Promise<TestProgram> {
		const answer = await register(server, body);
		if (answer.status !== 201) throw new Error(`not registered: ${answer.text}`);
		return new TestProgram(server, answer.json.client_id);
	}

	query(challenge: string, more: Fields = {}): Record<string, string> {
		const all = {
			client_id: this.clientId,
			redirect_uri: CALLBACK,
			response_type: "code",
			code_challenge: challenge,
			code_challenge_method: "S256",
			state: "st&te=1",
			...more,
		};
		return Object.fromEntries(
			Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
		);
	}

	/** As the page posts it. */
	decide(
		user: TestPrincipal,
		challenge: string,
		more: Fields = {},
		headers: Record<string, string> = {},
	): Promise<Answer> {
		const { origin, ...rest } = headers;
		return this.#server.call(
			"POST",
			"/oauth2/authorize/decision",
			{ ...this.query(challenge), approved: true, ...more },
			{ ...user.headers, host: "localhost:6006", ...(origin === "" ? {} : { origin: origin ?? ISSUER }), ...rest },
		);
	}

	/** A code that the user approved, with its verifier. */
	async code(user: TestPrincipal, more: Fields = {}): Promise<{ readonly code: string; readonly verifier: string }> {
		const { verifier, challenge } = pkce();
		const answer = await this.decide(user, challenge, more);
		const code = new URL(answer.json?.redirect_to ?? "http://none").searchParams.get("code");
		if (code === null) throw new Error(`no code: ${answer.status} ${answer.text}`);
		return { code, verifier };
	}

	async tokens(user: TestPrincipal, more: Fields = {}): Promise<Tokens> {
		const { code, verifier } = await this.code(user, more);
		const answer = await this.redeem(code, verifier);
		if (answer.status !== 200) throw new Error(`no tokens: ${answer.text}`);
		return answer.json;
	}

	redeem(code: string, verifier: string, more: Fields = {}): Promise<Answer> {
		return this.post("/oauth2/token", {
			grant_type: "authorization_code",
			...{ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: this.clientId, ...more },
		});
	}

	refresh(refreshToken: string, more: Fields = {}): Promise<Answer> {
		return this.post("/oauth2/token", {
			...{ grant_type: "refresh_token", refresh_token: refreshToken, client_id: this.clientId, ...more },
		});
	}

	post(path: string, fields: Fields, server = this.#server): Promise<Answer> {
		return postForm(server, path, fields);
	}
}

export async function postForm(server: Pick<TestApp, "call">, path: string, fields: Fields): Promise<Answer> {
	const form = new URLSearchParams();
	for (const [name, value] of Object.entries(fields)) {
		for (const one of [value].flat()) if (one !== undefined) form.append(name, String(one));
	}
	return await server.call("POST", path, form.toString(), {
		"content-type": "application/x-www-form-urlencoded",
		host: "localhost:6006",
	});
}

export function register(server: TestApp, body: Fields): Promise<Answer> {
	return server.call(
		"POST",
		"/oauth2/register",
		{ client_name: "Test program", redirect_uris: ["http://127.0.0.1/callback"], ...body },
		{ host: "localhost:6006" },
	);
}

export function bearer({ access_token }: Pick<Tokens, "access_token">): { readonly authorization: string } {
	return { authorization: `Bearer ${access_token}` };
}
