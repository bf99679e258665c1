import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from "jose";
import { Client } from "../access/accounts.ts";
import type { TestServer } from "../server.ts";

export type SigningAlgorithm = "RS256" | "PS256" | "ES256" | "ES384" | "EdDSA";
type Claims = Readonly<Record<string, unknown>>;
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Endpoint = "discovery" | "jwks" | "authorize" | "token" | "userinfo";

/** What the provider does other than an honest one; everything may be changed between two requests. */
export interface Behaviour {
	/** Claims of the person in ID token and userinfo, over those of Mallory. */
	claims?: Claims;
	/** Claims of the ID token alone, over all; undefined takes one out. */
	idToken?: Claims;
	/** Claims of userinfo alone, over all; undefined takes one out. */
	userinfo?: Claims;
	/** Leaves everything but `sub` out of the ID token. */
	claimsOnlyInUserinfo?: boolean;
	/** Signs the answer of userinfo: as it should, by a key that nobody knows, or not at all. */
	signUserinfo?: "honest" | "other-key" | "none";
	algorithm?: SigningAlgorithm;
	/** Members of the JOSE header of the ID token, over the honest ones; undefined takes one out. */
	header?: Claims;
	/** How the ID token is signed; `embedded-key` by a key that is in its header. */
	sign?: "honest" | "none" | "hs256-public-key" | "hs256-client-secret" | "other-key" | "embedded-key" | "broken";
	/** Members of the answer to a code, over the honest ones; undefined takes one out. */
	tokens?: Claims;
	/** Members of the discovery document, over the honest ones; undefined takes one out. */
	metadata?: Claims;
	/** Parameters of the way back to the service, over the honest ones; undefined takes one out. */
	callback?: Readonly<Record<string, string | undefined>>;
	/** Answers an endpoint in place of the provider. */
	answers?: Partial<Record<Endpoint, Answer>>;
	/** Whether a code may be used again. */
	reusableCodes?: boolean;
	/** Seconds its clock goes wrong. */
	clock?: number;
}

export interface HostileProviderOptions {
	readonly port?: number;
	/** Folder of the issuer, such as `/realms/main`. */
	readonly path?: string;
	/** Serves https with this certificate of e2e/certificates. */
	readonly certificate?: "server" | "untrusted" | "expired" | "wrong-host";
	readonly clientId?: string;
	readonly clientSecret?: string;
	/** How the client has to prove that it is the client. */
	readonly clientAuthentication?: "client_secret_basic" | "client_secret_post" | "none" | "client_assertion_jwt";
	/** Refuses a start without a challenge; without it one that has a challenge. */
	readonly pkce?: "required" | "refused";
}

interface Code {
	readonly nonce: string | null;
	readonly redirectUri: string;
	readonly challenge: string | null;
}

const MALLORY: Claims = { sub: "mallory-1", email: "mallory@example.com", email_verified: true, name: "Mallory" };
const CERTIFICATES = join(import.meta.dirname, "../certificates");
const MAX_AGE_SECONDS = 300;

/**
 * An OpenID provider of this process that speaks the real protocol and misbehaves where `behaviour` says so:
 *
 *     await using provider = await HostileProvider.start();
 *     await using server = await startWithAuth(provider.settings());
 *     provider.behaviour = { claims: { email: "bob@example.com", groups: ["eng"] } };
 *     const { response, client } = await signInWith(server, provider);
 *     expect(response.headers.get("location")).toBe("/");
 *
 * Whoever comes to its page is logged in at once as the person of `behaviour.claims`, Mallory unless it says otherwise.
 * Codes count once; the client, the redirect address and PKCE are checked as they should be.
 */
export class HostileProvider implements AsyncDisposable {
	behaviour: Behaviour = {};
	/** Method and path of each request, in order. */
	readonly requests: string[] = [];
	/** Bodies of the requests for tokens, with the `Authorization` header, in order. */
	readonly tokenRequests: { readonly body: URLSearchParams; readonly authorization: string | undefined }[] = [];
	readonly clientId: string;
	readonly clientSecret: string;
	readonly #options: HostileProviderOptions;
	readonly #server: Server;
	readonly #codes = new Map<string, Code>();
	#keys: Promise<Map<SigningAlgorithm, SigningKey>> = makeKeys();

	private constructor(options: HostileProviderOptions) {
		this.#options = options;
		this.clientId = options.clientId ?? "spanward";
		this.clientSecret = options.clientSecret ?? "hostile-client-secret-6b1f";
		const listener = (request: IncomingMessage, response: ServerResponse) => {
			void this.#answer(request, response).catch((error: unknown) => {
				if (!response.headersSent) response.writeHead(500);
				response.end(String(error));
			});
		};
		const { certificate } = options;
		this.#server =
			certificate === undefined
				? createServer(listener)
				: createSecureServer(
						{
							cert: readFileSync(join(CERTIFICATES, `${certificate}.pem`)),
							key: readFileSync(join(CERTIFICATES, `${certificate}.key`)),
						},
						listener,
					);
	}

	static async start(options: HostileProviderOptions = {}): Promise<HostileProvider> {
		const provider = new HostileProvider(options);
		provider.#server.listen(options.port ?? 0, "127.0.0.1");
		await once(provider.#server, "listening");
		return provider;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	get issuer(): string {
		const scheme = this.#options.certificate === undefined ? "http" : "https";
		return `${scheme}://127.0.0.1:${this.port}${this.#options.path ?? ""}`;
	}

	/** What a server needs to know of it as the provider `idp`; add `SERVICE_OAUTH2_<IDP>_…` of your own. */
	settings(idp = "HOSTILE"): Record<string, string> {
		const method = this.#options.clientAuthentication ?? "client_secret_basic";
		const hasSecret = method.startsWith("client_secret");
		return {
			[`SERVICE_OAUTH2_${idp}_CLIENT_ID`]: this.clientId,
			...(hasSecret ? { [`SERVICE_OAUTH2_${idp}_CLIENT_SECRET`]: this.clientSecret } : {}),
			[`SERVICE_OAUTH2_${idp}_TOKEN_ENDPOINT_AUTH_METHOD`]: method,
			[`SERVICE_OAUTH2_${idp}_OIDC_CONFIG_URL`]: `${this.issuer}/.well-known/openid-configuration`,
		};
	}

	/** Signs with new keys from now on, and publishes only those. */
	rotateKeys(): void {
		this.#keys = makeKeys();
	}

	/** How often an endpoint was asked. */
	count(path: string): number {
		return this.requests.filter((request) => request.split(/[ ?]/)[1] === `${this.#options.path ?? ""}${path}`).length;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		this.#server.close();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.requests.push(`${request.method} ${request.url}`);
		response.setHeader("date", new Date(this.#now()).toUTCString());
		const url = new URL(request.url ?? "/", this.issuer);
		const path = url.pathname.slice((this.#options.path ?? "").length);
		const endpoint = ENDPOINTS[path];
		if (endpoint === undefined) {
			response.writeHead(404).end();
			return;
		}
		const instead = this.behaviour.answers?.[endpoint];
		if (instead !== undefined) return instead(request, response);
		switch (endpoint) {
			case "discovery":
				return sendJson(response, 200, this.#metadata());
			case "jwks":
				return sendJson(response, 200, { keys: [...(await this.#keys).values()].map(({ jwk }) => jwk) });
			case "authorize":
				return this.#authorize(url.searchParams, response);
			case "token":
				return await this.#exchange(request, response);
			case "userinfo":
				return await this.#sendUserinfo(request, response);
		}
	}

	#metadata(): Claims {
		return over(
			{
				issuer: this.issuer,
				authorization_endpoint: `${this.issuer}/authorize`,
				token_endpoint: `${this.issuer}/token`,
				userinfo_endpoint: `${this.issuer}/userinfo`,
				jwks_uri: `${this.issuer}/jwks`,
				response_types_supported: ["code"],
				subject_types_supported: ["public"],
				id_token_signing_alg_values_supported: ["RS256", "PS256", "ES256", "ES384", "EdDSA"],
				code_challenge_methods_supported: ["S256"],
			},
			this.behaviour.metadata,
		);
	}

	#authorize(asked: URLSearchParams, response: ServerResponse): void {
		const redirectUri = asked.get("redirect_uri") ?? "";
		const challenge = asked.get("code_challenge");
		const error = this.#startError(asked);
		const code = randomBytes(16).toString("hex");
		this.#codes.set(code, { nonce: asked.get("nonce"), redirectUri, challenge });
		const back = over(
			{ ...(error === undefined ? { code } : { error }), state: asked.get("state") ?? undefined },
			this.behaviour.callback,
		);
		const location = new URL(redirectUri);
		for (const [name, value] of Object.entries(back)) location.searchParams.set(name, String(value));
		response.writeHead(302, { location: location.href }).end();
	}

	#startError(asked: URLSearchParams): string | undefined {
		if (asked.get("client_id") !== this.clientId) return "unauthorized_client";
		if (asked.get("response_type") !== "code") return "unsupported_response_type";
		const hasChallenge = asked.get("code_challenge_method") === "S256" && asked.has("code_challenge");
		if (this.#options.pkce === "required" && !hasChallenge) return "invalid_request";
		if (this.#options.pkce === "refused" && asked.has("code_challenge")) return "invalid_request";
		return undefined;
	}

	async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = new URLSearchParams(await readBody(request));
		const { authorization } = request.headers;
		this.tokenRequests.push({ body, authorization });
		if (!this.#isClient(body, authorization)) return sendJson(response, 401, { error: "invalid_client" });
		const code = this.#codes.get(body.get("code") ?? "");
		if (this.behaviour.reusableCodes !== true) this.#codes.delete(body.get("code") ?? "");
		const isRight =
			code !== undefined &&
			body.get("grant_type") === "authorization_code" &&
			body.get("redirect_uri") === code.redirectUri &&
			(code.challenge === null
				? !body.has("code_verifier")
				: sha256(body.get("code_verifier") ?? "") === code.challenge);
		if (!isRight) return sendJson(response, 400, { error: "invalid_grant" });
		const tokens = {
			access_token: "hostile-access-token",
			token_type: "Bearer",
			expires_in: MAX_AGE_SECONDS,
			id_token: await this.#signIdToken(code.nonce),
		};
		sendJson(response, 200, over(tokens, this.behaviour.tokens));
	}

	#isClient(body: URLSearchParams, authorization: string | undefined): boolean {
		const form = (text: string) => new URLSearchParams({ text }).toString().slice("text=".length);
		switch (this.#options.clientAuthentication ?? "client_secret_basic") {
			case "client_secret_basic": {
				const pair = `${form(this.clientId)}:${form(this.clientSecret)}`;
				const sent = Buffer.from(authorization?.replace(/^Basic /, "") ?? "", "base64").toString();
				const plain = sent.split(":").map((part) => new URLSearchParams(`text=${part}`).get("text"));
				return sent === pair || (plain[0] === this.clientId && plain[1] === this.clientSecret && plain.length === 2);
			}
			case "client_secret_post":
				return body.get("client_id") === this.clientId && body.get("client_secret") === this.clientSecret;
			case "none":
				return body.get("client_id") === this.clientId && !body.has("client_secret") && authorization === undefined;
			case "client_assertion_jwt":
				return (
					body.get("client_assertion_type") === "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" &&
					body.get("client_assertion") !== null
				);
		}
	}

	async #signIdToken(nonce: string | null): Promise<string> {
		const { behaviour } = this;
		const person = { ...MALLORY, ...behaviour.claims };
		const now = Math.floor(this.#now() / 1_000);
		const claims = over(
			{
				...(behaviour.claimsOnlyInUserinfo === true ? { sub: person["sub"] } : person),
				iss: this.issuer,
				aud: this.clientId,
				iat: now,
				exp: now + MAX_AGE_SECONDS,
				...(nonce === null ? {} : { nonce }),
			},
			behaviour.idToken,
		);
		const algorithm = behaviour.algorithm ?? "RS256";
		const honest = await this.#key(algorithm);
		const header = (alg: string) => over({ alg, kid: honest.jwk.kid, typ: "JWT" }, behaviour.header);
		switch (behaviour.sign ?? "honest") {
			case "honest":
				return await signed(header(algorithm), claims, honest.privateKey);
			case "none":
				return `${encoded(header("none"))}.${encoded(claims)}.`;
			case "hs256-public-key":
				return signedByText(header("HS256"), claims, await exportSPKI(honest.publicKey));
			case "hs256-client-secret":
				return signedByText(header("HS256"), claims, this.clientSecret);
			case "other-key":
				return await signed(header(algorithm), claims, (await makeKey(algorithm)).privateKey);
			case "embedded-key": {
				const other = await makeKey(algorithm);
				return await signed({ ...header(algorithm), jwk: other.jwk }, claims, other.privateKey);
			}
			case "broken": {
				const [head, , signature] = (await signed(header(algorithm), claims, honest.privateKey)).split(".");
				return `${head}.${encoded({ ...claims, email: "admin@localhost" })}.${signature}`;
			}
		}
	}

	async #sendUserinfo(request: IncomingMessage, response: ServerResponse): Promise<void> {
		if (request.headers.authorization !== "Bearer hostile-access-token") {
			response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end();
			return;
		}
		const { behaviour } = this;
		const claims = over({ ...MALLORY, ...behaviour.claims }, behaviour.userinfo);
		if (behaviour.signUserinfo === undefined) return sendJson(response, 200, claims);
		const key = await this.#key("RS256");
		const payload = { iss: this.issuer, aud: this.clientId, ...claims };
		const jwt =
			behaviour.signUserinfo === "none"
				? `${encoded({ alg: "none" })}.${encoded(payload)}.`
				: await signed(
						{ alg: "RS256", kid: key.jwk.kid },
						payload,
						behaviour.signUserinfo === "honest" ? key.privateKey : (await makeKey("RS256")).privateKey,
					);
		response.writeHead(200, { "content-type": "application/jwt" }).end(jwt);
	}

	async #key(algorithm: SigningAlgorithm): Promise<SigningKey> {
		const key = (await this.#keys).get(algorithm);
		if (key === undefined) throw new Error(`no key for ${algorithm}`);
		return key;
	}

	#now(): number {
		return Date.now() + (this.behaviour.clock ?? 0) * 1_000;
	}
}

export interface SignIn {
	/** The answer of the service to the browser that comes back from the provider. */
	readonly response: Response;
	/** The browser, logged in when all went well. */
	readonly client: Client;
	/** Where the provider sent the browser back to. */
	readonly callback: string;
}

/** Goes through the log-in with a provider as a browser does: `/oauth2/<idp>/login`, the provider, and back. */
export async function signInWith(
	server: TestServer,
	provider: HostileProvider,
	{ idp = "hostile", query = "", client = new Client(server) }: { idp?: string; query?: string; client?: Client } = {},
): Promise<SignIn> {
	const callback = await visitProvider(await startSignIn(client, idp, query), provider);
	return { response: await client.send("GET", callback), client, callback };
}

/** @returns the address at the provider that the browser is sent to */
export async function startSignIn(client: Client, idp = "hostile", query = ""): Promise<string> {
	const start = await client.send("GET", `/oauth2/${idp}/login${query}`);
	const location = start.headers.get("location");
	if (start.status !== 302 || location === null) throw new Error(`the start answered ${start.status}`);
	return location;
}

/** @returns path and query, below the root path, that the provider sends the browser back to */
export async function visitProvider(address: string, provider: HostileProvider): Promise<string> {
	if (!address.startsWith(provider.issuer)) throw new Error(`the browser was sent to ${address}`);
	const response = await fetch(address, { redirect: "manual" });
	const back = response.headers.get("location");
	if (back === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
	const { pathname, search } = new URL(back);
	return pathname.slice(pathname.indexOf("/oauth2/")) + search;
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
	"/.well-known/openid-configuration": "discovery",
	"/jwks": "jwks",
	"/authorize": "authorize",
	"/token": "token",
	"/userinfo": "userinfo",
};

interface SigningKey {
	readonly privateKey: CryptoKey;
	readonly publicKey: CryptoKey;
	readonly jwk: JWK;
}

async function makeKeys(): Promise<Map<SigningAlgorithm, SigningKey>> {
	const algorithms = ["RS256", "PS256", "ES256", "ES384", "EdDSA"] as const;
	return new Map(
		await Promise.all(algorithms.map(async (algorithm) => [algorithm, await makeKey(algorithm)] as const)),
	);
}

async function makeKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
	const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
	const kid = randomBytes(8).toString("hex");
	return { publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" } };
}

async function signed(header: Claims, claims: Claims, key: CryptoKey): Promise<string> {
	const crit = Object.fromEntries([header["crit"] ?? []].flat().map((name) => [String(name), true]));
	return await new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", ...header }).sign(key, { crit });
}

function signedByText(header: Claims, claims: Claims, secret: string): string {
	const text = `${encoded(header)}.${encoded(claims)}`;
	return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

function encoded(value: Claims): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("base64url");
}

/** `changes` over `base`; what is undefined there is taken out. */
function over(base: Claims, changes: Claims = {}): Record<string, unknown> {
	return Object.fromEntries(Object.entries({ ...base, ...changes }).filter(([, value]) => value !== undefined));
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
}
