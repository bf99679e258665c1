import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgetSecrets, readConfig } from "../config.ts";
import { problems, warnings } from "./test-settings.ts";

const CERTIFICATES = join(import.meta.dirname, "../../../../../e2e/certificates");
const ON = {
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_SECRET: "unit-test-secret-0123456789-abcdefghij",
	SERVICE_HOST: "127.0.0.1",
};

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "spanward-"));
	writeFileSync(join(folder, "no.pem"), "hello\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Variables = Readonly<Record<string, string>>;

/** Variables of LDAP by what follows SERVICE_LDAP_, with the required ones unless they are given. */
function ldap(settings: Variables = {}): Record<string, string> {
	const all: Variables = {
		HOST: "ldap.example.com",
		USER_SEARCH_BASE_DNS: '["ou=people,dc=example,dc=com"]',
		GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "MEMBER"}]',
		ATTR_EMAIL: "mail",
		...settings,
	};
	return Object.fromEntries(Object.entries(all).map(([name, value]) => [`SERVICE_LDAP_${name}`, value]));
}

test("reads hosts, bases, mappings and the email attribute", () => {
	const config = readConfig(
		ldap({
			HOST: " dc1.example.com, 10.0.0.7,[fd00::1] ,::1",
			USER_SEARCH_BASE_DNS: '["ou=a,dc=x", "ou=b\\\\,c,dc=x"]',
			GROUP_ROLE_MAPPINGS: '[{"group_dn": "cn=Admins,dc=x", "role": "Admin"}, {"group_dn": "*", "role": "viewer"}]',
			TLS_MODE: "LDAPS",
		}),
	);
	expect(config).toMatchObject({
		SERVICE_LDAP_HOST: ["dc1.example.com", "10.0.0.7", "fd00::1", "::1"],
		SERVICE_LDAP_PORT: null,
		SERVICE_LDAP_TLS_MODE: "ldaps",
		SERVICE_LDAP_TLS_VERIFY: true,
		SERVICE_LDAP_USER_SEARCH_BASE_DNS: ["ou=a,dc=x", "ou=b\\,c,dc=x"],
		SERVICE_LDAP_USER_SEARCH_FILTER: "(&(objectClass=user)(sAMAccountName=%s))",
		SERVICE_LDAP_GROUP_ROLE_MAPPINGS: [
			{ groupDn: "cn=Admins,dc=x", role: "ADMIN" },
			{ groupDn: "*", role: "VIEWER" },
		],
		SERVICE_LDAP_ATTR_EMAIL: "mail",
		SERVICE_LDAP_ATTR_DISPLAY_NAME: "displayName",
		SERVICE_LDAP_ATTR_MEMBER_OF: "memberOf",
		SERVICE_LDAP_ALLOW_SIGN_UP: true,
	});
	expect(readConfig(ldap({ ATTR_EMAIL: "null", ATTR_UNIQUE_ID: "entryUUID" })).SERVICE_LDAP_ATTR_EMAIL).toBeNull();
});

const NULL_EMAIL = { ATTR_EMAIL: "null", ATTR_UNIQUE_ID: "objectGUID" };
const EXAMPLE = /\["ou=people,dc=example,dc=com"\]/;

test.each<[string, Variables, RegExp]>([
	["V34 hosts that are none", { HOST: " , " }, /^SERVICE_LDAP_HOST must name at least one host/],
	[
		"a host that is an address with a scheme",
		{ HOST: "ldap://a.example:389" },
		/^SERVICE_LDAP_HOST .*without ldap:\/\/ and port.*"ldap:\/\/a.example:389" is none/,
	],
	["a host with a port", { HOST: "a.example,b.example:636" }, /"b.example:636" is none/],
	["V35 no bases", { USER_SEARCH_BASE_DNS: "" }, /^SERVICE_LDAP_HOST needs SERVICE_LDAP_USER_SEARCH_BASE_DNS/],
	[
		"V35 bases that are not JSON",
		{ USER_SEARCH_BASE_DNS: "ou=people,dc=x" },
		/USER_SEARCH_BASE_DNS .*not JSON.*"ou=people,dc=x"/,
	],
	["V35 bases that are no array", { USER_SEARCH_BASE_DNS: '"ou=people"' }, /not an array/],
	["V35 no base in the array", { USER_SEARCH_BASE_DNS: "[]" }, /array is empty/],
	["V35 a base that is no text", { USER_SEARCH_BASE_DNS: '["dc=x", 5]' }, /entry 1, "5", is not a DN/],
	[
		"V35 a base that is no DN",
		{ USER_SEARCH_BASE_DNS: '["dc=x", "example.com"]' },
		/entry 1, .*example.com.*, is not a DN/,
	],
	["V35 a base that is empty", { USER_SEARCH_BASE_DNS: '[""]' }, EXAMPLE],
	["V36 no mappings", { GROUP_ROLE_MAPPINGS: "" }, /^SERVICE_LDAP_HOST needs SERVICE_LDAP_GROUP_ROLE_MAPPINGS.*"\*"/],
	["V36 mappings that are no JSON", { GROUP_ROLE_MAPPINGS: "*:ADMIN" }, /^SERVICE_LDAP_GROUP_ROLE_MAPPINGS .*not JSON/],
	["V36 mappings that are no array", { GROUP_ROLE_MAPPINGS: "{}" }, /not an array/],
	["V36 no mapping in the array", { GROUP_ROLE_MAPPINGS: "[]" }, /array is empty/],
	["V36 an entry that is no object", { GROUP_ROLE_MAPPINGS: '["*"]' }, /in entry 0 there is no object/],
	[
		"V36 an entry without a group",
		{ GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "VIEWER"}, {"group": "*", "role": "ADMIN"}]' },
		/in entry 1 there is no text "group_dn".*|\*/,
	],
	["V36 an entry without a role", { GROUP_ROLE_MAPPINGS: '[{"group_dn": "*"}]' }, /in entry 0 there is no text "role"/],
	[
		"V36 an empty group",
		{ GROUP_ROLE_MAPPINGS: '[{"group_dn": " ", "role": "ADMIN"}]' },
		/in entry 0 the group_dn " " is neither a DN nor \*/,
	],
	[
		"V36 a group that is not a DN",
		{ GROUP_ROLE_MAPPINGS: '[{"group_dn": "admins", "role": "ADMIN"}]' },
		/the group_dn "admins"/,
	],
	[
		"V36 an unknown role",
		{ GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "OWNER"}]' },
		/the role "OWNER" is none of ADMIN, MEMBER and VIEWER/,
	],
	["V36 the role SYSTEM", { GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "SYSTEM"}]' }, /the role "SYSTEM"/],
	["V37 another mode", { TLS_MODE: "ssl" }, /^SERVICE_LDAP_TLS_MODE must be starttls, ldaps or none \(it is "ssl"\)/],
	[
		"V38 an authority that is missing",
		{ TLS_CA_CERT_FILE: "/absent.pem" },
		/^SERVICE_LDAP_TLS_CA_CERT_FILE: the file "\/absent.pem" does not exist/,
	],
	[
		"V38 a certificate without a key",
		{ TLS_CLIENT_CERT_FILE: join(CERTIFICATES, "client.pem") },
		/^SERVICE_LDAP_TLS_CLIENT_CERT_FILE needs SERVICE_LDAP_TLS_CLIENT_KEY_FILE/,
	],
	[
		"V38 a key without a certificate",
		{ TLS_CLIENT_KEY_FILE: join(CERTIFICATES, "client.key") },
		/^SERVICE_LDAP_TLS_CLIENT_KEY_FILE needs SERVICE_LDAP_TLS_CLIENT_CERT_FILE/,
	],
	[
		"V38 the key of another certificate",
		{ TLS_CLIENT_CERT_FILE: join(CERTIFICATES, "client.pem"), TLS_CLIENT_KEY_FILE: join(CERTIFICATES, "server.key") },
		/TLS_CLIENT_KEY_FILE: the key in .*server.key.* is not that of/,
	],
	[
		"V38 an encrypted key",
		{
			TLS_CLIENT_CERT_FILE: join(CERTIFICATES, "server.pem"),
			TLS_CLIENT_KEY_FILE: join(CERTIFICATES, "server-encrypted.key"),
		},
		/TLS_CLIENT_KEY_FILE: .*encrypted/,
	],
	[
		"V39 an account without a password",
		{ BIND_DN: "cn=reader,dc=x" },
		/^SERVICE_LDAP_BIND_DN needs SERVICE_LDAP_BIND_PASSWORD/,
	],
	[
		"V39 a password without an account",
		{ BIND_PASSWORD: "hunter2" },
		/^SERVICE_LDAP_BIND_PASSWORD needs SERVICE_LDAP_BIND_DN/,
	],
	[
		"V39 an account that is invalid",
		{ BIND_DN: "reader", BIND_PASSWORD: "hunter2" },
		/^SERVICE_LDAP_BIND_DN must be a DN.*user@domain.*\(it is "reader"\)/,
	],
	[
		"V40 a filter without a placeholder",
		{ USER_SEARCH_FILTER: "(uid=ann)" },
		/^SERVICE_LDAP_USER_SEARCH_FILTER must have %s/,
	],
	[
		"V40 a filter that is invalid",
		{ USER_SEARCH_FILTER: "(&(uid=%s)" },
		/^SERVICE_LDAP_USER_SEARCH_FILTER must be a filter.*the end/,
	],
	[
		"V40 a group filter that is invalid",
		{ GROUP_SEARCH_FILTER: "member=%s", GROUP_SEARCH_BASE_DNS: '["dc=x"]' },
		/^SERVICE_LDAP_GROUP_SEARCH_FILTER must be a filter/,
	],
	[
		"V41 a group filter without bases",
		{ GROUP_SEARCH_FILTER: "(member=%s)" },
		/^SERVICE_LDAP_GROUP_SEARCH_FILTER needs SERVICE_LDAP_GROUP_SEARCH_BASE_DNS/,
	],
	[
		"V41 group bases that are invalid",
		{ GROUP_SEARCH_FILTER: "(member=%s)", GROUP_SEARCH_BASE_DNS: '["x"]' },
		/^SERVICE_LDAP_GROUP_SEARCH_BASE_DNS .*entry 0/,
	],
	[
		"V42 a user attribute without a group filter",
		{ GROUP_SEARCH_FILTER_USER_ATTR: "dn" },
		/^SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR needs SERVICE_LDAP_GROUP_SEARCH_FILTER/,
	],
	[
		"V43 an attribute with a space",
		{ ATTR_DISPLAY_NAME: "display Name" },
		/^SERVICE_LDAP_ATTR_DISPLAY_NAME must be the name of an attribute.*did you mean displayName\?/,
	],
	[
		"V43 an attribute that is invalid",
		{ ATTR_MEMBER_OF: "member_of" },
		/^SERVICE_LDAP_ATTR_MEMBER_OF must be the name of an attribute/,
	],
	["V43 an email attribute with a space", { ATTR_EMAIL: "mail address" }, /^SERVICE_LDAP_ATTR_EMAIL .*mailaddress/],
	["V44 no email attribute", { ATTR_EMAIL: "" }, /^SERVICE_LDAP_HOST needs SERVICE_LDAP_ATTR_EMAIL: mail .*null/],
	[
		"V45 no email and no unique id",
		{ ATTR_EMAIL: "null" },
		/^SERVICE_LDAP_ATTR_EMAIL=null needs SERVICE_LDAP_ATTR_UNIQUE_ID/,
	],
	[
		"V46 no email and no sign-up",
		{ ...NULL_EMAIL, ALLOW_SIGN_UP: "false" },
		/^SERVICE_LDAP_ATTR_EMAIL=null needs SERVICE_LDAP_ALLOW_SIGN_UP=true/,
	],
])("refuses %s", (_, settings, message) => {
	const found = problems(ldap(settings));
	expect(found).toEqual([expect.stringMatching(message)]);
	expect(found.join("\n")).not.toContain("hunter2");
});

test("V38: refuses a file of an authority without a certificate", () => {
	expect(problems(ldap({ TLS_CA_CERT_FILE: join(folder, "no.pem") }))).toEqual([
		expect.stringMatching(/^SERVICE_LDAP_TLS_CA_CERT_FILE: the file .* has no certificate in PEM/),
	]);
});

test("V47: refuses users without email beside a list of admins, who have one", () => {
	expect(problems({ ...ldap(NULL_EMAIL), SERVICE_ADMINS: "ann=ann@example.com" })).toEqual([
		expect.stringMatching(
			/^SERVICE_ADMINS must be unset with SERVICE_LDAP_ATTR_EMAIL=null.*SERVICE_LDAP_GROUP_ROLE_MAPPINGS/,
		),
	]);
});

test.each<Variables>([
	{ BIND_DN: "reader@example.com", BIND_PASSWORD: "x" },
	{ BIND_DN: "EXAMPLE\\reader", BIND_PASSWORD: "x" },
	{ BIND_DN: "cn=reader+uid=r,ou=Data\\, Science,dc=x", BIND_PASSWORD: "x" },
	{ ATTR_UNIQUE_ID: "1.2.840.113556.1.4.2", ATTR_DISPLAY_NAME: "cn;lang-de" },
	{
		GROUP_SEARCH_FILTER: "(member:1.2.840.113556.1.4.1941:=%s)",
		GROUP_SEARCH_BASE_DNS: '["dc=x"]',
		GROUP_SEARCH_FILTER_USER_ATTR: "distinguishedName",
	},
	{
		TLS_CA_CERT_FILE: join(CERTIFICATES, "authority.pem"),
		TLS_CLIENT_CERT_FILE: join(CERTIFICATES, "client.pem"),
		TLS_CLIENT_KEY_FILE: join(CERTIFICATES, "client.key"),
	},
	NULL_EMAIL,
])("accepts %j", (settings) => {
	expect(problems(ldap(settings))).toEqual([]);
	expect(warnings({ ...ON, ...ldap(settings) })).toEqual([]);
});

test("V16: LDAP is enough to switch passwords off", () => {
	expect(problems({ ...ON, ...ldap(), SERVICE_DISABLE_BASIC_AUTH: "true" })).toEqual([]);
});

test("asks for nothing while no host is set, and names all that is wrong at once when one is", () => {
	expect(problems({ SERVICE_LDAP_BIND_DN: "cn=x", SERVICE_LDAP_ATTR_EMAIL: "null" })).toEqual([]);
	expect(problems({ SERVICE_LDAP_HOST: "ldap.example.com" })).toHaveLength(3);
});

test("takes the password out of the environment", () => {
	const environment: Record<string, string | undefined> = { SERVICE_LDAP_BIND_PASSWORD: "hunter2" };
	forgetSecrets(environment);
	expect(environment).toEqual({});
});

describe("warns", () => {
	test.each<[string, Variables, RegExp]>([
		["V48 of passwords that are not encrypted", { TLS_MODE: "none" }, /^SERVICE_LDAP_TLS_MODE=none/],
		["V48 of a certificate that is not checked", { TLS_VERIFY: "false" }, /^SERVICE_LDAP_TLS_VERIFY=false/],
		[
			"of the port of another mode",
			{ PORT: "636" },
			/^SERVICE_LDAP_PORT=636 is not the port of SERVICE_LDAP_TLS_MODE=starttls.*ldaps/,
		],
		[
			"of mappings that are never reached",
			{ GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "VIEWER"}, {"group_dn": "cn=a", "role": "ADMIN"}]' },
			/^SERVICE_LDAP_GROUP_ROLE_MAPPINGS has entries after entry 0/,
		],
	])("%s", (_, settings, message) => {
		expect(warnings({ ...ON, ...ldap(settings) })).toEqual([expect.stringMatching(message)]);
	});

	test("V33: while authentication is off, and checks all the same", () => {
		expect(warnings(ldap())).toEqual(["SERVICE_LDAP_HOST has no effect: SERVICE_ENABLE_AUTH is not true"]);
		expect(problems(ldap({ ATTR_EMAIL: "" }))).toHaveLength(1);
	});

	test("of settings without a host, secrets in files among them", () => {
		const environment = {
			...ON,
			SERVICE_LDAP_TLS_MODE: "none",
			SERVICE_LDAP_BIND_PASSWORD_FILE: join(folder, "no.pem"),
		};
		expect(warnings(environment)).toEqual([
			"SERVICE_LDAP_TLS_MODE has no effect: SERVICE_LDAP_HOST is unset",
			"SERVICE_LDAP_BIND_PASSWORD_FILE has no effect: SERVICE_LDAP_HOST is unset",
		]);
	});
});
