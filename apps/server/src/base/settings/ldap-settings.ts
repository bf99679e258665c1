import type { SecretText } from "../secret-text.ts";
import {
	attribute,
	bindName,
	dnArray,
	emailAttribute,
	type GroupRoleMapping,
	groupRoleMappings,
	hostList,
	searchFilter,
	tlsMode,
} from "./ldap-kinds.ts";
import { setting } from "./setting.ts";
import { boolean, port, secret, text } from "./value-kinds.ts";

export const LDAP = {
	SERVICE_LDAP_HOST: setting<readonly string[]>(
		hostList,
		[],
		"Directory servers, separated by commas, tried in this order until one answers. Switches LDAP on.",
	),
	SERVICE_LDAP_PORT: setting<number | null>(port(1), null, "Port of the directory servers.", {
		defaultText: "636 with ldaps, else 389",
	}),
	SERVICE_LDAP_TLS_MODE: setting<"starttls" | "ldaps" | "none">(
		tlsMode,
		"starttls",
		"How the connection to the directory is encrypted; none is for tests only.",
	),
	SERVICE_LDAP_TLS_VERIFY: setting(boolean, true, "Check the directory's certificate."),
	SERVICE_LDAP_TLS_CA_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the CA certificate for that certificate.",
	),
	SERVICE_LDAP_TLS_CLIENT_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with a client certificate; needs SERVICE_LDAP_TLS_CLIENT_KEY_FILE.",
	),
	SERVICE_LDAP_TLS_CLIENT_KEY_FILE: setting<string | null>(
		text,
		null,
		"PEM file with its key; needs SERVICE_LDAP_TLS_CLIENT_CERT_FILE.",
	),
	SERVICE_LDAP_BIND_DN: setting<string | null>(
		bindName,
		null,
		"Account that searches: a DN, user@domain or DOMAIN\\user. If unset, searches are anonymous.",
	),
	SERVICE_LDAP_BIND_PASSWORD: setting<SecretText | null>(secret, null, "Its password.", { secret: true }),
	SERVICE_LDAP_USER_SEARCH_BASE_DNS: setting<readonly string[]>(
		dnArray,
		[],
		"JSON array of the DNs below which users are searched for, in this order until one is found.",
		{ defaultText: "required with LDAP" },
	),
	SERVICE_LDAP_USER_SEARCH_FILTER: setting(
		searchFilter,
		"(&(objectClass=user)(sAMAccountName=%s))",
		"Filter that finds a user; %s is the typed name, escaped.",
	),
	SERVICE_LDAP_ATTR_EMAIL: setting<string | null | undefined>(
		emailAttribute,
		undefined,
		"Attribute with the email, such as mail; null for accounts without email, which needs SERVICE_LDAP_ATTR_UNIQUE_ID.",
		{ defaultText: "required with LDAP" },
	),
	SERVICE_LDAP_ATTR_DISPLAY_NAME: setting(attribute, "displayName", "Attribute that becomes the name of new users."),
	SERVICE_LDAP_ATTR_MEMBER_OF: setting(
		attribute,
		"memberOf",
		"Attribute with the DNs of a user's groups; not used with SERVICE_LDAP_GROUP_SEARCH_FILTER.",
	),
	SERVICE_LDAP_ATTR_UNIQUE_ID: setting<string | null>(
		attribute,
		null,
		"Attribute that never changes, such as objectGUID or entryUUID, which identifies users.",
	),
	SERVICE_LDAP_GROUP_SEARCH_BASE_DNS: setting<readonly string[]>(
		dnArray,
		[],
		"JSON array of the DNs below which groups are searched for.",
	),
	SERVICE_LDAP_GROUP_SEARCH_FILTER: setting<string | null>(
		searchFilter,
		null,
		"Filter that finds the groups of a user, instead of their member-of attribute; %s is the user.",
	),
	SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR: setting<string | null>(
		attribute,
		null,
		"Attribute of the user whose value replaces %s; dn and distinguishedName mean the entry's DN on every server.",
		{ defaultText: "the login name" },
	),
	SERVICE_LDAP_GROUP_ROLE_MAPPINGS: setting<readonly GroupRoleMapping[]>(
		groupRoleMappings,
		[],
		'JSON array of {"group_dn", "role"}; the first match sets the role; the group * matches everybody.',
		{ defaultText: "required with LDAP" },
	),
	SERVICE_LDAP_ALLOW_SIGN_UP: setting(boolean, true, "Create users at their first log-in."),
};
