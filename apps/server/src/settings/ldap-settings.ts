import { z } from "zod";
import type { SecretText } from "../auth/secret-text.ts";
import type { UserRole } from "../storage/schema.ts";
import { setting } from "./setting.ts";
import { boolean, items, port, secret, text, valueKind } from "./value-kinds.ts";

/** Who is in this group has this role; the first that matches counts. */
export interface GroupRoleMapping {
	/** A DN, or `*` for everybody whose password was right. */
	readonly groupDn: string;
	readonly role: Exclude<UserRole, "SYSTEM">;
}

const hosts = valueKind((value): readonly string[] => items(value));

const dnArray = valueKind((value, wrong): readonly string[] => {
	const parsed = z.array(z.string()).safeParse(JSON.parse(value));
	if (!parsed.success) wrong("must be a JSON array of DNs");
	return parsed.data ?? [];
});

const mappings = valueKind((value, wrong): readonly GroupRoleMapping[] => {
	const entry = z.object({ group_dn: z.string(), role: z.enum(["ADMIN", "MEMBER", "VIEWER"]) });
	const parsed = z.array(entry).safeParse(JSON.parse(value));
	if (!parsed.success) wrong("must be a JSON array of group_dn and role");
	return (parsed.data ?? []).map(({ group_dn: groupDn, role }) => ({ groupDn, role }));
});

const attribute = text;

/** Only the literal `null` turns emails off. */
const emailAttribute = valueKind((value): string | null => (value === "null" ? null : value));

export const LDAP = {
	SERVICE_LDAP_HOST: setting<readonly string[]>(
		hosts,
		[],
		"Directory servers, separated by commas, asked in this order: the next one when one does not answer. Switches LDAP on.",
	),
	SERVICE_LDAP_PORT: setting<number | null>(port(1), null, "Port of the directory servers.", {
		defaultText: "636 with ldaps, else 389",
	}),
	SERVICE_LDAP_TLS_MODE: setting<"starttls" | "ldaps" | "none">(
		z.enum(["starttls", "ldaps", "none"], { error: "must be starttls, ldaps or none" }),
		"starttls",
		"How the connection to the directory is encrypted; none is for tests.",
	),
	SERVICE_LDAP_TLS_VERIFY: setting(boolean, true, "Check the directory's certificate."),
	SERVICE_LDAP_TLS_CA_CERT_FILE: setting<string | null>(text, null, "PEM file of the authority of that certificate."),
	SERVICE_LDAP_TLS_CLIENT_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file of a client certificate; needs SERVICE_LDAP_TLS_CLIENT_KEY_FILE.",
	),
	SERVICE_LDAP_TLS_CLIENT_KEY_FILE: setting<string | null>(
		text,
		null,
		"PEM file of its key; needs SERVICE_LDAP_TLS_CLIENT_CERT_FILE.",
	),
	SERVICE_LDAP_BIND_DN: setting<string | null>(
		text,
		null,
		"Account that searches: a DN, user@domain or DOMAIN\\user. Unset: anonymous.",
	),
	SERVICE_LDAP_BIND_PASSWORD: setting<SecretText | null>(secret, null, "Its password.", { secret: true }),
	SERVICE_LDAP_USER_SEARCH_BASE_DNS: setting<readonly string[]>(
		dnArray,
		[],
		"JSON array of the DNs below which users are searched, in this order until one is found.",
	),
	SERVICE_LDAP_USER_SEARCH_FILTER: setting(
		text,
		"(&(objectClass=user)(sAMAccountName=%s))",
		"Filter that finds a user; %s is the name that was typed, escaped.",
	),
	SERVICE_LDAP_ATTR_EMAIL: setting<string | null | undefined>(
		emailAttribute,
		undefined,
		"Attribute with the email, such as mail; null for accounts without email, which needs SERVICE_LDAP_ATTR_UNIQUE_ID.",
	),
	SERVICE_LDAP_ATTR_DISPLAY_NAME: setting(attribute, "displayName", "Attribute with the name of new users."),
	SERVICE_LDAP_ATTR_MEMBER_OF: setting(
		attribute,
		"memberOf",
		"Attribute with the DNs of a user's groups; not used with SERVICE_LDAP_GROUP_SEARCH_FILTER.",
	),
	SERVICE_LDAP_ATTR_UNIQUE_ID: setting<string | null>(
		attribute,
		null,
		"Attribute that never changes, such as objectGUID or entryUUID, by which users are known again.",
	),
	SERVICE_LDAP_GROUP_SEARCH_BASE_DNS: setting<readonly string[]>(
		dnArray,
		[],
		"JSON array of the DNs below which groups are searched.",
	),
	SERVICE_LDAP_GROUP_SEARCH_FILTER: setting<string | null>(
		text,
		null,
		"Filter that finds the groups of a user, instead of their member-of attribute; %s is the user.",
	),
	SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR: setting<string | null>(
		attribute,
		null,
		"Attribute of the user whose value is put in for %s; dn and distinguishedName are the entry's DN on every server.",
		{ defaultText: "the login name" },
	),
	SERVICE_LDAP_GROUP_ROLE_MAPPINGS: setting<readonly GroupRoleMapping[]>(
		mappings,
		[],
		'JSON array of {"group_dn", "role"}, of which the first that matches counts; the group * is everybody.',
	),
	SERVICE_LDAP_ALLOW_SIGN_UP: setting(boolean, true, "Create users at their first log-in."),
};
