import { type Check, when } from "./check.ts";
import type { Config } from "./settings.ts";
import { checkKeyPair, parseCertificates, readPem } from "./tls-material.ts";

/** A rule that holds while LDAP is on. */
function whileOn(uses: Check["uses"], problems: Check["problems"]): Check {
	return {
		uses: ["SERVICE_LDAP_HOST", ...uses],
		problems: (config) => (config.SERVICE_LDAP_HOST.length > 0 ? problems(config) : []),
	};
}

export const LDAP_CHECKS: readonly Check[] = [
	whileOn(["SERVICE_LDAP_USER_SEARCH_BASE_DNS"], (config) =>
		when(
			config.SERVICE_LDAP_USER_SEARCH_BASE_DNS.length === 0,
			`SERVICE_LDAP_HOST needs SERVICE_LDAP_USER_SEARCH_BASE_DNS, a JSON array of DNs such as ["ou=people,dc=example,dc=com"]`,
		),
	),
	whileOn(["SERVICE_LDAP_GROUP_ROLE_MAPPINGS"], (config) =>
		when(
			config.SERVICE_LDAP_GROUP_ROLE_MAPPINGS.length === 0,
			`SERVICE_LDAP_HOST needs SERVICE_LDAP_GROUP_ROLE_MAPPINGS with at least one entry, such as [{"group_dn": "*", "role": "MEMBER"}] for everybody`,
		),
	),
	whileOn(["SERVICE_LDAP_ATTR_EMAIL"], (config) =>
		when(
			config.SERVICE_LDAP_ATTR_EMAIL === undefined,
			"SERVICE_LDAP_HOST needs SERVICE_LDAP_ATTR_EMAIL: mail in most directories, or null for users without email",
		),
	),
	whileOn(
		["SERVICE_LDAP_ATTR_EMAIL", "SERVICE_LDAP_ATTR_UNIQUE_ID", "SERVICE_LDAP_ALLOW_SIGN_UP", "SERVICE_ADMINS"],
		nullEmailProblems,
	),
	whileOn(["SERVICE_LDAP_BIND_DN", "SERVICE_LDAP_BIND_PASSWORD"], (config) =>
		needEachOther(
			["SERVICE_LDAP_BIND_DN", config.SERVICE_LDAP_BIND_DN !== null],
			["SERVICE_LDAP_BIND_PASSWORD", config.SERVICE_LDAP_BIND_PASSWORD !== null],
		),
	),
	whileOn(["SERVICE_LDAP_GROUP_SEARCH_FILTER", "SERVICE_LDAP_GROUP_SEARCH_BASE_DNS"], (config) =>
		when(
			config.SERVICE_LDAP_GROUP_SEARCH_FILTER !== null && config.SERVICE_LDAP_GROUP_SEARCH_BASE_DNS.length === 0,
			`SERVICE_LDAP_GROUP_SEARCH_FILTER needs SERVICE_LDAP_GROUP_SEARCH_BASE_DNS, a JSON array of DNs such as ["ou=groups,dc=example,dc=com"]`,
		),
	),
	whileOn(["SERVICE_LDAP_GROUP_SEARCH_FILTER", "SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR"], (config) =>
		when(
			config.SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR !== null && config.SERVICE_LDAP_GROUP_SEARCH_FILTER === null,
			"SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR needs SERVICE_LDAP_GROUP_SEARCH_FILTER, in which it replaces %s",
		),
	),
	whileOn(
		["SERVICE_LDAP_TLS_CA_CERT_FILE", "SERVICE_LDAP_TLS_CLIENT_CERT_FILE", "SERVICE_LDAP_TLS_CLIENT_KEY_FILE"],
		fileProblems,
	),
];

/** Users without email are known by their unique id, and only LDAP can create them. */
function nullEmailProblems(config: Config): readonly string[] {
	if (config.SERVICE_LDAP_ATTR_EMAIL !== null) return [];
	return [
		...when(
			config.SERVICE_LDAP_ATTR_UNIQUE_ID === null,
			"SERVICE_LDAP_ATTR_EMAIL=null needs SERVICE_LDAP_ATTR_UNIQUE_ID, which identifies users without email: objectGUID in Active Directory, entryUUID in most others",
		),
		...when(
			!config.SERVICE_LDAP_ALLOW_SIGN_UP,
			"SERVICE_LDAP_ATTR_EMAIL=null needs SERVICE_LDAP_ALLOW_SIGN_UP=true: users created beforehand are found by their email",
		),
		...when(
			config.SERVICE_ADMINS.length > 0,
			"SERVICE_ADMINS must be unset with SERVICE_LDAP_ATTR_EMAIL=null, because its entries are found by their email: SERVICE_LDAP_GROUP_ROLE_MAPPINGS can assign admins",
		),
	];
}

function needEachOther(
	[a, hasA]: readonly [string, boolean],
	[b, hasB]: readonly [string, boolean],
): readonly string[] {
	return [...when(hasA && !hasB, `${a} needs ${b}`), ...when(hasB && !hasA, `${b} needs ${a}`)];
}

function fileProblems(config: Config): readonly string[] {
	const {
		SERVICE_LDAP_TLS_CA_CERT_FILE: caFile,
		SERVICE_LDAP_TLS_CLIENT_CERT_FILE: certFile,
		SERVICE_LDAP_TLS_CLIENT_KEY_FILE: keyFile,
	} = config;
	const [certName, keyName] = ["SERVICE_LDAP_TLS_CLIENT_CERT_FILE", "SERVICE_LDAP_TLS_CLIENT_KEY_FILE"] as const;
	const problems = [...needEachOther([certName, certFile !== null], [keyName, keyFile !== null])];
	const ca = readPem("SERVICE_LDAP_TLS_CA_CERT_FILE", caFile, problems);
	if (ca !== undefined) parseCertificates("SERVICE_LDAP_TLS_CA_CERT_FILE", ca, problems);
	checkKeyPair(
		{ name: certName, file: readPem(certName, certFile, problems) },
		{ name: keyName, file: readPem(keyName, keyFile, problems) },
		problems,
	);
	return problems;
}
