import type { Expression } from "../jmespath/expression.ts";
import type { GivenRole } from "../roles.ts";
import type { SecretText } from "../secret-text.ts";
import {
	type ClientAuthMethod,
	clientAuthMethod,
	discoveryUrl,
	expression,
	groupSet,
	roleMapping,
	scopeList,
} from "./oauth2-kinds.ts";
import { setting } from "./setting.ts";
import { boolean, secret, text } from "./value-kinds.ts";

/** An OpenID provider, as the variables `SERVICE_OAUTH2_<IDP>_…` describe it. */
export interface OAuth2Provider {
	/** `<IDP>` in lower case, as it stands in addresses. */
	readonly id: string;
	/** `SERVICE_OAUTH2_<IDP>_`: with a suffix it names a variable in messages. */
	readonly prefix: string;
	readonly displayName: string;
	readonly clientId: string;
	/** Null with the methods that need none. */
	readonly clientSecret: SecretText | null;
	/** Address of the discovery document, as set. */
	readonly configUrl: string;
	readonly authMethod: ClientAuthMethod;
	/** Absolute path of the file with the assertion, read anew for each request; null without that method. */
	readonly assertionFile: string | null;
	readonly usePkce: boolean;
	/** All that are asked for, `openid email profile` first. */
	readonly scopes: readonly string[];
	readonly allowSignUp: boolean;
	readonly autoLogin: boolean;
	readonly emailPath: Expression;
	/** Set together with `allowedGroups`. */
	readonly groupsPath: Expression | null;
	readonly allowedGroups: ReadonlySet<string>;
	readonly rolePath: Expression | null;
	/** Null when unset: then ADMIN, MEMBER and VIEWER themselves are roles, in any case. */
	readonly roleMapping: ReadonlyMap<string, GivenRole> | null;
	readonly roleStrict: boolean;
	readonly roleResync: boolean;
	readonly trustEmail: boolean;
	/** PEM of authorities to trust besides the system's; undefined when unset. */
	readonly ca: string | undefined;
	readonly allowIssuerMismatch: boolean;
}

export const OAUTH2_PREFIX = "SERVICE_OAUTH2_";

/** The settings of each provider, by what follows `SERVICE_OAUTH2_<IDP>_`. */
export const OAUTH2 = {
	CLIENT_ID: setting<string | null>(text, null, "Client id at the provider.", { defaultText: "required" }),
	CLIENT_SECRET: setting<SecretText | null>(
		secret,
		null,
		"Client secret at the provider; not used with the methods none and client_assertion_jwt.",
		{ secret: true, defaultText: "required" },
	),
	OIDC_CONFIG_URL: setting<string | null>(
		discoveryUrl,
		null,
		"Address of the provider's discovery document, https://…/.well-known/openid-configuration; http only on this machine.",
		{ defaultText: "required" },
	),
	DISPLAY_NAME: setting<string | null>(text, null, "Name on the button of the log-in page.", {
		defaultText: "made from `<IDP>`",
	}),
	ALLOW_SIGN_UP: setting(
		boolean,
		true,
		"Create users at their first log-in; otherwise only existing accounts can sign in.",
	),
	AUTO_LOGIN: setting(
		boolean,
		false,
		"Redirect to this provider instead of showing the log-in page, which remains available at /login?local=1; for one provider at most.",
	),
	USE_PKCE: setting(boolean, false, "Send a PKCE challenge (S256) with each log-in."),
	TOKEN_ENDPOINT_AUTH_METHOD: setting<ClientAuthMethod>(
		clientAuthMethod,
		"client_secret_basic",
		"How this client authenticates to the provider: client_secret_basic, client_secret_post, client_assertion_jwt or none.",
	),
	CLIENT_ASSERTION_FILE: setting<string | null>(
		text,
		null,
		"Absolute path of the file with the JWT for client_assertion_jwt, read for each log-in.",
	),
	CLIENT_ASSERTION_FILE_ENV_VAR: setting<string | null>(
		text,
		null,
		"Name of an environment variable that contains that path instead, such as AZURE_FEDERATED_TOKEN_FILE.",
	),
	SCOPES: setting<readonly string[]>(
		scopeList,
		[],
		"Scopes to request in addition to openid email profile, separated by spaces.",
	),
	EMAIL_ATTRIBUTE_PATH: setting<Expression | null>(
		expression,
		null,
		"JMESPath expression that finds the email in the claims of ID token and userinfo.",
		{ defaultText: "`email`" },
	),
	GROUPS_ATTRIBUTE_PATH: setting<Expression | null>(
		expression,
		null,
		"JMESPath expression that finds the user's groups; needs ALLOWED_GROUPS. Put claims with special characters in double quotes.",
	),
	ALLOWED_GROUPS: setting<ReadonlySet<string> | null>(
		groupSet,
		null,
		"Groups, separated by commas; a user must be in one of them to sign in. Needs GROUPS_ATTRIBUTE_PATH.",
	),
	ROLE_ATTRIBUTE_PATH: setting<Expression | null>(
		expression,
		null,
		"JMESPath expression that yields the user's role, a path or a constant such as 'MEMBER'. If unset, new users are viewers and others keep their role.",
	),
	ROLE_MAPPING: setting<ReadonlyMap<string, GivenRole> | null>(
		roleMapping,
		null,
		"The provider's roles and the roles they map to, such as traces-admins:ADMIN,staff:MEMBER. If unset, ADMIN, MEMBER and VIEWER are accepted as they are, ignoring case.",
	),
	ROLE_ATTRIBUTE_STRICT: setting(boolean, false, "Refuse users without a valid role; otherwise they are viewers."),
	ROLE_RESYNC: setting(
		boolean,
		true,
		"Set the role at every log-in, not only at the first; false needs ROLE_ATTRIBUTE_PATH.",
	),
	TRUST_EMAIL: setting(
		boolean,
		false,
		"With ALLOW_ISSUER_MISMATCH: match an existing account by email even if the provider does not say that the email is verified.",
	),
	CA_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the CA certificate for the provider's certificate, trusted in addition to the system's.",
	),
	ALLOW_ISSUER_MISMATCH: setting(
		boolean,
		false,
		"Accept a discovery document whose issuer differs from its address, as with several tenants behind one address.",
	),
};

export type OAuth2Suffix = keyof typeof OAUTH2;
