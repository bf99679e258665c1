/// <reference path="./oidc-provider-package.d.ts" />
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import Provider from "oidc-provider";
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js";
import { freePort } from "../server.ts";

/** Claims of somebody the provider knows, by their `sub`. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface OidcProviderOptions {
	/** Origins, with root path, of the servers that may send people here; set later with `allow` when not known yet. */
	readonly origins?: readonly string[];
	readonly people?: People;
	/** Claims of scopes stay out of the ID token and are only in the answer of userinfo, as the specification has it. */
	readonly claimsOnlyInUserinfo?: boolean;
	/** Further settings of the package. */
	readonly configuration?: Readonly<Record<string, unknown>>;
}

export const CLIENT_SECRET = "service-secret: 50% + a bit, -._~*!'()service";
const PEOPLE: People = {
	alice: {
		email: "alice@example.com",
		email_verified: true,
		name: "Alice",
		groups: ["eng", "admins"],
		role: "Owner",
	},
	bob: { email: "bob@example.com", email_verified: false, name: "Bob", groups: ["sales"] },
};
/** Client ids by how they authenticate; the characters are those that clients encode wrongly. */
const CLIENTS = {
	client_secret_basic: "service:basic %+",
	client_secret_post: "service:post %+",
	none: "service-public",
} as const;

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const JWKS = { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "first", alg: "RS256", use: "sig" }] };

/** The package warns of its own one. */
class Store extends MemoryAdapter {}

type AuthMethod = keyof typeof CLIENTS;

/** A certified OpenID provider in this process: whoever `logIn` names is logged in, without a page. */
export class OidcProvider implements AsyncDisposable {
	readonly issuer: string;
	/** Who is logged in by the next visit. */
	logIn = "alice";
	/** Method and path of each request, in order. */
	readonly requests: string[] = [];
	readonly #port: number;
	readonly #people: People;
	readonly #options: OidcProviderOptions;
	readonly #server: Server;
	#provider: Provider;
	#handle: RequestListener;

	private constructor(port: number, options: OidcProviderOptions) {
		this.#port = port;
		// Another site than 127.0.0.1, where the servers of the tests are: browsers treat cookies as between any two sites.
		this.issuer = `http://localhost:${port}`;
		this.#options = options;
		this.#people = options.people ?? PEOPLE;
		this.#provider = this.#create(options.origins ?? []);
		this.#handle = this.#provider.callback();
		this.#server = createServer((request, response) => {
			this.requests.push(`${request.method} ${request.url}`);
			if (request.url?.startsWith("/interaction/")) void this.#interact(request, response);
			else this.#handle(request, response);
		});
	}

	static async start(options: OidcProviderOptions): Promise<OidcProvider> {
		const provider = new OidcProvider(await freePort(), options);
		await provider.start();
		return provider;
	}

	/** Starts it again on the same port. */
	async start(): Promise<void> {
		await once(this.#server.listen(this.#port, "127.0.0.1"), "listening");
	}

	async stop(): Promise<void> {
		this.#server.close();
		this.#server.closeAllConnections();
		await once(this.#server, "close");
	}

	/** Lets these servers send people here; `id` is the provider's id in their settings. */
	allow(origins: readonly string[]): void {
		this.#provider = this.#create(origins);
		this.#handle = this.#provider.callback();
	}

	/** What a server of ours needs to know for the provider OIDC; `SERVICE_OAUTH2_OIDC_…` in `env` go before. */
	settings(method: AuthMethod = "client_secret_basic"): Readonly<Record<string, string>> {
		return {
			SERVICE_OAUTH2_OIDC_CLIENT_ID: CLIENTS[method],
			...(method === "none" ? {} : { SERVICE_OAUTH2_OIDC_CLIENT_SECRET: CLIENT_SECRET }),
			SERVICE_OAUTH2_OIDC_TOKEN_ENDPOINT_AUTH_METHOD: method,
			SERVICE_OAUTH2_OIDC_OIDC_CONFIG_URL: `${this.issuer}/.well-known/openid-configuration`,
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#server.listening) await this.stop();
	}

	#create(origins: readonly string[]): Provider {
		const redirectUris = origins.map((origin) => `${origin}/oauth2/oidc/tokens`);
		const clients = Object.entries(CLIENTS).map(([method, id]) => ({
			client_id: id,
			...(method === "none" ? {} : { client_secret: CLIENT_SECRET }),
			redirect_uris: redirectUris.length === 0 ? ["http://127.0.0.1:9/oauth2/oidc/tokens"] : redirectUris,
			token_endpoint_auth_method: method,
		}));
		return new Provider(this.issuer, {
			adapter: Store,
			jwks: JWKS,
			clients,
			claims: {
				openid: ["sub"],
				email: ["email", "email_verified"],
				profile: ["name", "picture"],
				groups: ["groups", "role"],
			},
			scopes: ["openid", "email", "profile", "groups"],
			conformIdTokenClaims: this.#options.claimsOnlyInUserinfo ?? false,
			pkce: {
				required: (_context: unknown, client: { clientAuthMethod: string }) => client.clientAuthMethod === "none",
			},
			findAccount: (_context: unknown, id: string) => {
				const claims = this.#people[id];
				return claims && { accountId: id, claims: () => ({ sub: id, ...claims }) };
			},
			ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
			features: { devInteractions: { enabled: false } },
			interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
			...this.#options.configuration,
		});
	}

	async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			const { params, prompt, session } = await this.#provider.interactionDetails(request, response);
			if (prompt.name === "login") {
				const result = { login: { accountId: params.login_hint ?? this.logIn, remember: false } };
				await this.#provider.interactionFinished(request, response, result);
				return;
			}
			const accountId = session?.accountId ?? this.logIn;
			const grant = new this.#provider.Grant({ accountId, clientId: params.client_id });
			grant.addOIDCScope(params.scope ?? "openid");
			const consent = { grantId: await grant.save() };
			await this.#provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
		} catch (error) {
			response.writeHead(500).end(String(error));
		}
	}
}

/** `await using provider = await startOidcProvider();`, then `provider.allow([server.url])`. */
export function startOidcProvider(options: OidcProviderOptions = {}): Promise<OidcProvider> {
	return OidcProvider.start(options);
}
