import type { SecretText } from "../auth/secret-text.ts";
import type { Expression } from "../oauth2/expression.ts";
import type { UserRole } from "../storage/schema.ts";

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
	readonly authMethod: "client_secret_basic" | "client_secret_post" | "client_assertion_jwt" | "none";
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
	readonly roleMapping: ReadonlyMap<string, Exclude<UserRole, "SYSTEM">> | null;
	readonly roleStrict: boolean;
	readonly roleResync: boolean;
	readonly trustEmail: boolean;
	/** PEM of authorities to trust besides the system's; undefined when unset. */
	readonly ca: string | undefined;
	readonly allowIssuerMismatch: boolean;
}
