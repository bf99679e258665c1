import type { GivenRole } from "#base/roles.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";

/** Who a provider says has signed in; every check of tokens, groups and role has passed. */
export interface OAuth2Identity {
	readonly method: "OAUTH2";
	readonly provider: OAuth2Provider;
	/** Issuer of the ID token; together with `subject` it identifies the person for ever. */
	readonly issuer: string;
	readonly subject: string;
	/** Canonical. */
	readonly email: string;
	/** Undefined when the provider does not say. */
	readonly emailVerified: boolean | undefined;
	/** The `name` claim, cleaned; undefined when nothing is left of it. */
	readonly name: string | undefined;
	/** An https address a browser may be sent to. */
	readonly picture: string | undefined;
	readonly role: {
		readonly forNew: GivenRole;
		/** Undefined: an account that exists keeps its role. */
		readonly forExisting: GivenRole | undefined;
	};
}

/** Who a directory says has signed in: the password was right, and a mapping matched. */
export interface LdapIdentity {
	readonly method: "LDAP";
	/** Canonical addresses of the entry, in its order; only the first counts without `uniqueId`. Empty when email is off. */
	readonly emails: readonly string[];
	/** As it is stored: lower case. */
	readonly uniqueId: string | undefined;
	/** The display name, or what was typed. */
	readonly name: string;
	readonly role: GivenRole;
}

export type ExternalIdentity = OAuth2Identity | LdapIdentity;
