import { isIP } from "node:net";
import { canonicalDn } from "../ldap-syntax/dn.ts";
import { filterProblem } from "../ldap-syntax/filter.ts";
import { type GivenRole, roleNamed } from "../roles.ts";
import { shown } from "./setting.ts";
import { items, oneOf, valueKind, type Wrong } from "./value-kinds.ts";

/** Names and addresses of servers; an IPv6 address also in brackets. */
export const hostList = valueKind("host names or addresses, separated by commas", (value, wrong): readonly string[] => {
	const hosts = items(value).map((item) => item.replace(/^\[(.*)\]$/, "$1"));
	if (hosts.length === 0) wrong("must name at least one host");
	const bad = hosts.find((host) => isIP(host) === 0 && !/^[A-Za-z0-9_]([\w.-]{0,252})$/.test(host));
	if (bad !== undefined) {
		wrong(
			`must be names or addresses of servers, separated by commas, without ldap:// and port, which SERVICE_LDAP_TLS_MODE and SERVICE_LDAP_PORT set; ${shown(bad)} is none`,
		);
	}
	return hosts;
});

export const tlsMode = valueKind(
	oneOf(["starttls", "ldaps", "none"]),
	(value, wrong): "starttls" | "ldaps" | "none" => {
		const mode = value.toLowerCase();
		if (mode === "starttls" || mode === "ldaps" || mode === "none") return mode;
		wrong("must be starttls, ldaps or none");
		return "starttls";
	},
);

function isDn(text: string): boolean {
	return (canonicalDn(text) ?? "") !== "";
}

const DN_ARRAY_EXAMPLE = '["ou=people,dc=example,dc=com"]';

export const dnArray = valueKind("a JSON array of DNs", (value, wrong): readonly string[] => {
	const form = `must be a JSON array of DNs such as ${DN_ARRAY_EXAMPLE}`;
	return jsonArray(value, form, wrong).flatMap((item, index) => {
		if (typeof item === "string" && isDn(item)) return [item];
		wrong(`${form}; entry ${index}, ${shown(typeof item === "string" ? item : JSON.stringify(item))}, is not a DN`);
		return [];
	});
});

/** The entries of a JSON array that is not empty; anything else is reported as wrong. */
function jsonArray(value: string, form: string, wrong: Wrong): readonly unknown[] {
	let parsed: unknown;
	try {
		parsed = JSON.parse(value);
	} catch {
		wrong(`${form}; this is not JSON`);
		return [];
	}
	if (!Array.isArray(parsed)) wrong(`${form}; this is not an array`);
	else if (parsed.length === 0) wrong(`${form}; this array is empty`);
	return Array.isArray(parsed) ? parsed : [];
}

/** Members of this group have this role; the first mapping that matches counts. */
export interface GroupRoleMapping {
	/** A DN, or `*` for everybody whose password was right. */
	readonly groupDn: string;
	readonly role: GivenRole;
}

const MAPPING_FORM =
	'must be a JSON array such as [{"group_dn": "cn=admins,ou=groups,dc=example,dc=com", "role": "ADMIN"}, {"group_dn": "*", "role": "VIEWER"}]';

export const groupRoleMappings = valueKind(
	"a JSON array of objects with `group_dn` and `role`",
	(value, wrong): readonly GroupRoleMapping[] =>
		jsonArray(value, MAPPING_FORM, wrong).flatMap((item, index) => {
			const read = readMapping(item);
			if (typeof read !== "string") return [read];
			wrong(`${MAPPING_FORM}; in entry ${index} ${read}`);
			return [];
		}),
);

/** A mapping, or what is wrong with it. */
function readMapping(item: unknown): GroupRoleMapping | string {
	if (typeof item !== "object" || item === null || Array.isArray(item)) return "there is no object";
	const { group_dn: groupDn, role: roleText }: Readonly<Record<string, unknown>> = { ...item };
	if (typeof groupDn !== "string") return 'there is no text "group_dn"';
	if (typeof roleText !== "string") return 'there is no text "role"';
	const group = groupDn.trim();
	if (group !== "*" && !isDn(group)) return `the group_dn ${shown(groupDn)} is neither a DN nor *`;
	const role = roleNamed(roleText.trim());
	return role === undefined
		? `the role ${shown(roleText)} is none of ADMIN, MEMBER and VIEWER`
		: { groupDn: group, role };
}

/** An account to search with: a DN, or a name in Active Directory's forms `user@realm` and `DOMAIN\user`. */
export const bindName = valueKind("a DN, or a name that the directory accepts", (value, wrong): string => {
	const isOfActiveDirectory = /^[^\s@=,\\]+@[\w.-]+$/.test(value) || /^[^\s@=,\\/]+\\[^@=,\\/]+$/.test(value);
	if (!isOfActiveDirectory && !isDn(value)) {
		wrong("must be a DN such as cn=reader,dc=example,dc=com, or user@domain or DOMAIN\\user");
	}
	return value;
});

export const searchFilter = valueKind("an LDAP filter", (value, wrong): string => {
	const problem = filterProblem(value);
	if (problem !== undefined) wrong(problem);
	return value;
});

const ATTRIBUTE = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)(?:;[A-Za-z0-9-]+)*$/;

/** An attribute description (RFC 4512, 2.5). */
export const attribute = valueKind("the name of an attribute", (value, wrong): string => {
	checkAttribute(value, wrong);
	return value;
});

/** Only the literal `null` turns emails off. */
export const emailAttribute = valueKind("the name of an attribute, or `null`", (value, wrong): string | null => {
	if (value === "null") return null;
	checkAttribute(value, wrong);
	return value;
});

function checkAttribute(value: string, wrong: Wrong): void {
	if (ATTRIBUTE.test(value)) return;
	const without = value.replace(/\s+/g, "");
	const hint = ATTRIBUTE.test(without) ? `; did you mean ${without}?` : "";
	wrong(`must be the name of an attribute: letters, digits and -, no white space${hint}`);
}
