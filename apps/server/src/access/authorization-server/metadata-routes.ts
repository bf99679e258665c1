import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { requireIssuer, resourceUrl } from "./issuer.ts";
import { areProgramsOn, metadataSuffixes } from "./parts.ts";

const CACHED = "public, max-age=300";

/** A JSON Web Key Set (RFC 7517, 5) of a server that signs nothing. */
const NO_KEYS = "/oauth2/jwks";

/**
 * What OpenID Connect Discovery 1.0, 3 requires besides, of a server that has no ID tokens. The client of the MCP SDK finds
 * no other metadata below a root path, and refuses them without.
 */
function withoutIdTokens(issuer: string) {
	return { jwks_uri: issuer + NO_KEYS, subject_types_supported: [], id_token_signing_alg_values_supported: [] };
}

/** @param hide of a further address for the same */
function ofServer(hide: boolean) {
	const schema = {
		...{ operationId: "getAuthorizationServerMetadata", tags: ["programs"], hide },
		summary: "How programs ask to be let in (RFC 8414)",
		response: { 200: z.looseObject({ issuer: z.string() }) },
	};
	return { config: { access: "public", home: "none" }, schema } as const;
}

/** @param hide of a further address for the same */
function ofResource(hide: boolean) {
	const schema = {
		...{ operationId: "getProtectedResourceMetadata", tags: ["programs"], hide },
		summary: "Where programs ask to be let in (RFC 9728)",
		response: { 200: z.looseObject({ resource: z.string(), authorization_servers: z.array(z.string()) }) },
	};
	return { config: { access: "public", home: "none" }, schema } as const;
}

/** What programs read first: RFC 8414 and RFC 9728, and a page about both. */
export function authorizationMetadataRoutes(app: App, context: WritingContext): void {
	const { config } = context;
	if (!areProgramsOn(context)) return;
	const options = { config: { access: "public", home: "none" }, schema: { hide: true } } as const;
	const isDeviceOn = config.SERVICE_OAUTH2_DEVICE_FLOW;
	const suffixes = metadataSuffixes(config);

	const server = (request: FastifyRequest) => {
		const issuer = requireIssuer(config, request);
		return {
			issuer,
			authorization_endpoint: `${issuer}/oauth2/authorize`,
			token_endpoint: `${issuer}/oauth2/token`,
			revocation_endpoint: `${issuer}/oauth2/revoke`,
			...(config.SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION === "disabled"
				? {}
				: { registration_endpoint: `${issuer}/oauth2/register` }),
			...(isDeviceOn ? { device_authorization_endpoint: `${issuer}/oauth2/device_authorization` } : {}),
			response_types_supported: ["code"],
			response_modes_supported: ["query"],
			grant_types_supported: [
				...["authorization_code", "refresh_token"],
				...(isDeviceOn ? ["urn:ietf:params:oauth:grant-type:device_code"] : []),
			],
			code_challenge_methods_supported: ["S256"],
			token_endpoint_auth_methods_supported: ["none"],
			revocation_endpoint_auth_methods_supported: ["none"],
			authorization_response_iss_parameter_supported: true,
			...(config.SERVICE_OAUTH2_CLIENT_METADATA_HOSTS.length > 0
				? { client_id_metadata_document_supported: true }
				: {}),
			service_documentation: `${issuer}/auth.md`,
		};
	};
	for (const suffix of suffixes) {
		app.get(`/.well-known/oauth-authorization-server${suffix}`, ofServer(suffix !== ""), async (request, reply) => {
			void reply.header("cache-control", CACHED);
			return server(request);
		});
		app.get(`/.well-known/openid-configuration${suffix}`, ofServer(true), async (request, reply) => {
			void reply.header("cache-control", CACHED);
			return { ...server(request), ...withoutIdTokens(requireIssuer(config, request)) };
		});
	}
	app.get(NO_KEYS, options, async (_request, reply) => {
		void reply.header("cache-control", CACHED);
		return { keys: [] };
	});

	const resource = (request: FastifyRequest, audience: "api" | "mcp") => {
		const issuer = requireIssuer(config, request);
		return {
			resource: resourceUrl(issuer, audience),
			resource_name: "Spanward",
			authorization_servers: [issuer],
			bearer_methods_supported: ["header"],
			resource_documentation: `${issuer}/auth.md`,
		};
	};
	for (const suffix of suffixes) {
		app.get(`/.well-known/oauth-protected-resource${suffix}`, ofResource(suffix !== ""), async (request, reply) => {
			void reply.header("cache-control", CACHED);
			return resource(request, "api");
		});
		app.get(`/.well-known/oauth-protected-resource${suffix}/mcp`, options, async (request, reply) => {
			if (!app.hasRoute({ method: "POST", url: "/mcp" })) return reply.callNotFound();
			void reply.header("cache-control", CACHED);
			return resource(request, "mcp");
		});
	}

	app.get("/auth.md", options, async (request, reply) =>
		reply.type("text/markdown; charset=utf-8").send(describe(requireIssuer(config, request), isDeviceOn)),
	);
}

function describe(issuer: string, isDeviceOn: boolean): string {
	return `# Authentication

Spanward, ${issuer}. Send a token or an API key with every request:

    Authorization: Bearer <token>

## Tokens, with OAuth 2.1

A program asks a user, in the browser, to let it in. It gets the permissions of the user who approved, as they are at each
moment, cut to what that user chose: permissions, projects, an end.

- Metadata: ${issuer}/.well-known/oauth-authorization-server (RFC 8414)
- Flow: authorization code with PKCE, S256${isDeviceOn ? "; or device authorization (RFC 8628)" : ""}
- Clients are public: no secrets, \`token_endpoint_auth_method\` \`none\`
- Scopes: \`read\` looks at everything, \`ingest\` sends spans, \`annotate\` writes annotations, \`write\` changes (with both),
  \`admin\` is for admins. Ask for what you need, or for none and let the user choose.
- \`resource\` (RFC 8707): ${issuer}, or the address of the MCP endpoint, if there is one
- Refresh tokens are used once each. One that comes a second time ends the authorization.
- 401: get a token, or refresh it. 403 with \`insufficient_scope\`: ask the user again, with the scope that it names.

## API keys

A user makes one in Settings, API keys. Nothing can make one with a token.
`;
}
