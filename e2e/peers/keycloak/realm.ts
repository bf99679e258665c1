/** The realm that the tests sign in at: its people, groups and clients. */

export const CLIENT_SECRET = "service-secret: 50% + a bit";

const everywhere = { "id.token.claim": "true", "access.token.claim": "true", "userinfo.token.claim": "true" };
const onlyInUserinfo = { "id.token.claim": "false", "access.token.claim": "false", "userinfo.token.claim": "true" };

function mapper(name: string, protocolMapper: string, config: Readonly<Record<string, string>>) {
	return { name, protocol: "openid-connect", protocolMapper, config };
}

function scope(name: string, ...protocolMappers: readonly object[]) {
	return { name, protocol: "openid-connect", attributes: { "include.in.token.scope": "true" }, protocolMappers };
}

function attribute(attributeName: string, claim: string, type = "String") {
	const config = { "user.attribute": attributeName, "claim.name": claim, "jsonType.label": type, ...everywhere };
	const kind = type === "boolean" ? "oidc-usermodel-property-mapper" : "oidc-usermodel-attribute-mapper";
	return mapper(claim, kind, config);
}

const SCOPES = [
	scope("basic", mapper("sub", "oidc-sub-mapper", { "access.token.claim": "true" })),
	scope("email", attribute("email", "email"), attribute("emailVerified", "email_verified", "boolean")),
	scope("profile", mapper("name", "oidc-full-name-mapper", everywhere), attribute("username", "preferred_username")),
	scope(
		"groups",
		mapper("groups", "oidc-group-membership-mapper", { "claim.name": "groups", "full.path": "false", ...everywhere }),
	),
	scope(
		"groups-in-userinfo",
		mapper("groups", "oidc-group-membership-mapper", {
			"claim.name": "groups",
			"full.path": "true",
			...onlyInUserinfo,
		}),
	),
	scope(
		"client-roles",
		mapper("roles", "oidc-usermodel-client-role-mapper", {
			// biome-ignore lint/suspicious/noTemplateCurlyInString: Keycloak puts the client's id in
			"claim.name": "resource_access.${client_id}.roles",
			"jsonType.label": "String",
			multivalued: "true",
			...everywhere,
		}),
	),
];

function client(clientId: string, of: Readonly<Record<string, unknown>> = {}) {
	return {
		clientId,
		secret: CLIENT_SECRET,
		publicClient: false,
		redirectUris: ["http://127.0.0.1:*", "https://127.0.0.1:*"],
		defaultClientScopes: ["basic", "profile", "email", "groups", "client-roles"],
		...of,
	};
}

const forcedPkce = { attributes: { "pkce.code.challenge.method": "S256" } };
const signedWith = (algorithm: string) => ({ attributes: { "id.token.signed.response.alg": algorithm } });

const CLIENTS = {
	service: {},
	/** An id whose characters clients encode wrongly. */
	"service:odd %+": {},
	"service-pkce": forcedPkce,
	"service-public": { ...forcedPkce, publicClient: true, secret: undefined },
	/** Groups with full paths, and only in the answer of userinfo. */
	"service-userinfo": { defaultClientScopes: ["basic", "profile", "email", "groups-in-userinfo"] },
	"service-es256": signedWith("ES256"),
	"service-ps256": signedWith("PS256"),
	"service-noemail": { defaultClientScopes: ["basic", "profile"] },
	/** Sends nobody back to a server of the tests. */
	"service-elsewhere": { redirectUris: ["https://elsewhere.example/*"] },
} as const;

export type ClientId = keyof typeof CLIENTS;

function person(username: string, email: string, of: Readonly<Record<string, unknown>> = {}) {
	return {
		username,
		email,
		emailVerified: true,
		enabled: true,
		firstName: username,
		lastName: "Example",
		credentials: [{ type: "password", value: `${username}-pw`, temporary: false }],
		...of,
	};
}

export const REALM = {
	realm: "service",
	enabled: true,
	sslRequired: "none",
	loginWithEmailAllowed: true,
	roles: { client: { service: [{ name: "owner" }, { name: "developer" }] } },
	groups: [{ name: "engineering", subGroups: [{ name: "platform" }] }, { name: "contractors" }],
	clientScopes: SCOPES,
	clients: Object.entries(CLIENTS).map(([clientId, of]) => client(clientId, of)),
	users: [
		person("alice", "Alice@Example.com", {
			groups: ["/engineering", "/engineering/platform"],
			clientRoles: { service: ["owner"] },
		}),
		person("bob", "bob@example.com", { groups: ["/engineering"], clientRoles: { service: ["developer"] } }),
		person("carol", "carol@example.com", { groups: ["/contractors"] }),
		person("mallory", "victim@example.com", { emailVerified: false }),
	],
};
