import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestServer } from "../server.ts";

const MAIN = join(import.meta.dirname, "../../apps/server/src/main.ts");
const CERTIFICATES = join(import.meta.dirname, "../certificates");
const SECRET = "settings-test-secret-0123456789-abcdef";
const OTHER_SECRET = "another-test-secret-0123456789-ghijkl";
const EXIT_SETTINGS = 78;

const ON = { SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: SECRET, SERVICE_HOST: "127.0.0.1" };
const TLS = {
	SERVICE_TLS_ENABLED: "true",
	SERVICE_TLS_CERT_FILE: join(CERTIFICATES, "server.pem"),
	SERVICE_TLS_KEY_FILE: join(CERTIFICATES, "server.key"),
};

/** Variables of the provider ACME, by their suffixes. */
function acme(settings: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
	const all: Readonly<Record<string, string>> = {
		CLIENT_ID: "a-client",
		CLIENT_SECRET: "hunter22",
		OIDC_CONFIG_URL: "https://login.example.com/.well-known/openid-configuration",
		...settings,
	};
	return Object.fromEntries(Object.entries(all).map(([suffix, value]) => [`SERVICE_OAUTH2_ACME_${suffix}`, value]));
}

/** Variables of LDAP, by what follows SERVICE_LDAP_. */
function ldap(settings: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
	const all: Readonly<Record<string, string>> = {
		HOST: "ldap.example.com",
		BIND_DN: "cn=reader,dc=example,dc=com",
		BIND_PASSWORD: "hunter22",
		USER_SEARCH_BASE_DNS: '["ou=people,dc=example,dc=com"]',
		GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "MEMBER"}]',
		ATTR_EMAIL: "mail",
		...settings,
	};
	return Object.fromEntries(Object.entries(all).map(([name, value]) => [`SERVICE_LDAP_${name}`, value]));
}

let folder: string;
/** The ports that the servers are to listen on are taken: one that gets as far as listening ends with another exit code. */
let http: Server;
let grpc: Server;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-settings-"));
	[http, grpc] = await Promise.all([occupyPort(), occupyPort()]);
	await writeFile(join(folder, "empty.pem"), "");
	await writeFile(join(folder, "no.pem"), "hello\n");
});
afterAll(async () => {
	http.close();
	grpc.close();
	await rm(folder, { recursive: true, force: true });
});

async function occupyPort(): Promise<Server> {
	const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
	await once(server, "listening");
	return server;
}

function portOf(server: Server): string {
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	return String(address.port);
}

interface Ended {
	readonly code: number;
	readonly output: string;
}

/** What a start in the test's own process does with settings. */
async function start(env: Readonly<Record<string, string>>): Promise<Ended> {
	await using server = await createTestServer({
		authentication: false,
		workingDir: await mkdtemp(join(folder, "data-")),
		env: { SERVICE_PORT: portOf(http), SERVICE_GRPC_PORT: portOf(grpc), ...env },
		inProcess: true,
	});
	const code = await server.start().then(
		() => 0,
		(error: Error) => Number(/the server ended with (\d+)/.exec(error.message)?.[1]),
	);
	return { code, output: server.output };
}

/** The same in a process, as an operator sees it. */
async function run(env: Readonly<Record<string, string>>): Promise<Ended> {
	const child = spawn(process.execPath, [MAIN], {
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			PATH: process.env["PATH"],
			SERVICE_WORKING_DIR: await mkdtemp(join(folder, "data-")),
			SERVICE_PORT: portOf(http),
			SERVICE_GRPC_PORT: portOf(grpc),
			...env,
		},
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
	}
	const [code] = await once(child, "close");
	return { code, output };
}

/** Case, what is set, what the message has to say, and what it must not show. */
type Case = readonly [
	string,
	() => Readonly<Record<string, string>>,
	readonly (string | RegExp)[],
	(readonly string[])?,
];

const file = (name: string) => join(folder, name);
const pem = (name: string) => join(CERTIFICATES, name);

const CASES: readonly Case[] = [
	[
		"V01 a switch that is neither true nor false",
		() => ({ SERVICE_ENABLE_AUTH: "yes" }),
		["SERVICE_ENABLE_AUTH", /true or false/, '"yes"'],
	],
	["V02 a port out of range", () => ({ SERVICE_GRPC_PORT: "65536" }), ["SERVICE_GRPC_PORT", "65535", '"65536"']],
	["V02 a number with an exponent", () => ({ SERVICE_SMTP_PORT: "1e3" }), ["SERVICE_SMTP_PORT", '"1e3"']],
	[
		"V02 a port set by Kubernetes",
		() => ({ SERVICE_PORT: "tcp://10.0.0.1:6006" }),
		["SERVICE_PORT", "Kubernetes", "enableServiceLinks"],
	],
	[
		"V03 authentication without a secret",
		() => ({ SERVICE_ENABLE_AUTH: "true" }),
		["SERVICE_ENABLE_AUTH", "SERVICE_SECRET"],
	],
	[
		"V04 a secret that breaks every rule",
		() => ({ SERVICE_SECRET: "HUNTER TWO Ü" }),
		["SERVICE_SECRET", /32 characters.*white space.*ASCII.*digit.*lower-case/],
		["HUNTER", "TWO"],
	],
	[
		"V04 an admin secret without a digit",
		() => ({ SERVICE_SECRET: SECRET, SERVICE_ADMIN_SECRET: "abcdefghijklmnopqrstuvwxyz-abcdefghij" }),
		["SERVICE_ADMIN_SECRET", "digit"],
		["abcdefghij", SECRET],
	],
	[
		"V05 an admin secret alone",
		() => ({ SERVICE_ADMIN_SECRET: SECRET }),
		["SERVICE_ADMIN_SECRET must not be set unless SERVICE_SECRET is"],
		[SECRET],
	],
	[
		"V06 equal secrets",
		() => ({ SERVICE_SECRET: SECRET, SERVICE_ADMIN_SECRET: SECRET }),
		["SERVICE_ADMIN_SECRET", "different", "SERVICE_SECRET"],
		[SECRET],
	],
	[
		"V07 a life of 0 minutes",
		() => ({ SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: "0" }),
		["SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES", "> 0"],
	],
	[
		"V07 a negative life",
		() => ({ SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: "-1" }),
		["SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES", "> 0"],
	],
	[
		"V07 a link that lives for two days",
		() => ({ SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES: "2880" }),
		["SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES", "1440"],
	],
	[
		"V08 no attempts",
		() => ({ SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS: "0" }),
		["SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS", "from 1"],
	],
	[
		"V09 a first password that breaks the policy",
		() => ({
			...ON,
			SERVICE_ENABLE_STRONG_PASSWORD_POLICY: "true",
			SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: "hunter22",
		}),
		["SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD", /12 characters.*upper-case/],
		["hunter22", SECRET],
	],
	[
		"V10 a trusted origin without scheme",
		() => ({ SERVICE_CSRF_TRUSTED_ORIGINS: "https://good.example,bad.example" }),
		["SERVICE_CSRF_TRUSTED_ORIGINS", '"bad.example"'],
	],
	[
		"V10 a trusted origin with a path",
		() => ({ SERVICE_CSRF_TRUSTED_ORIGINS: "https://good.example/path" }),
		["SERVICE_CSRF_TRUSTED_ORIGINS", "/path"],
	],
	["V11 every origin allowed", () => ({ SERVICE_ALLOWED_ORIGINS: "*" }), ["SERVICE_ALLOWED_ORIGINS", "credentials"]],
	[
		"V12 a root path without slash",
		() => ({ SERVICE_HOST_ROOT_PATH: "traces" }),
		["SERVICE_HOST_ROOT_PATH must start with /"],
	],
	[
		"V12 a root path with a slash at its end",
		() => ({ SERVICE_HOST_ROOT_PATH: "/traces/" }),
		["SERVICE_HOST_ROOT_PATH must not end with /"],
	],
	["V13 a root address that is none", () => ({ SERVICE_ROOT_URL: "traces.example.com" }), ["SERVICE_ROOT_URL", "http"]],
	[
		"V13 a root address with another path",
		() => ({ SERVICE_ROOT_URL: "https://a.example/b", SERVICE_HOST_ROOT_PATH: "/c" }),
		["SERVICE_ROOT_URL", "SERVICE_HOST_ROOT_PATH", '"/b"', '"/c"'],
	],
	[
		"V14 a management address that runs a script",
		() => ({ SERVICE_MANAGEMENT_URL: "javascript:alert(1)" }),
		["SERVICE_MANAGEMENT_URL"],
	],
	["V14 a support address that is none", () => ({ SERVICE_SUPPORT_EMAIL: "nobody" }), ["SERVICE_SUPPORT_EMAIL"]],
	[
		"V15 an admin without an email",
		() => ({ SERVICE_ADMINS: "ann=ann@example.com;bob" }),
		["SERVICE_ADMINS", "username=email", '"bob"'],
	],
	["V15 an admin with an email that is none", () => ({ SERVICE_ADMINS: "bob=bob" }), ["SERVICE_ADMINS", '"bob=bob"']],
	[
		"V15 two admins of one email",
		() => ({ SERVICE_ADMINS: "ann=a@example.com;bob=A@Example.com" }),
		["SERVICE_ADMINS", '"a@example.com"', "twice"],
	],
	[
		"V15 two admins of one name",
		() => ({ SERVICE_ADMINS: "ann=a@example.com;Ann=b@example.com" }),
		["SERVICE_ADMINS", "twice"],
	],
	[
		"V16 no way to sign in",
		() => ({ ...ON, SERVICE_DISABLE_BASIC_AUTH: "true" }),
		["SERVICE_DISABLE_BASIC_AUTH", "SERVICE_OAUTH2_", "SERVICE_LDAP_HOST"],
		[SECRET],
	],
	[
		"V17 a mail server without a user",
		() => ({ SERVICE_SMTP_HOSTNAME: "mail.example.com", SERVICE_SMTP_PASSWORD: "hunter22" }),
		["SERVICE_SMTP_HOSTNAME", "SERVICE_SMTP_USERNAME"],
		["hunter22"],
	],
	[
		"V17 a mail server without a password",
		() => ({ SERVICE_SMTP_HOSTNAME: "mail.example.com", SERVICE_SMTP_USERNAME: "me" }),
		["SERVICE_SMTP_HOSTNAME", "SERVICE_SMTP_PASSWORD"],
	],
	["V19 TLS without files", () => ({ SERVICE_TLS_ENABLED: "true" }), ["SERVICE_TLS_CERT_FILE", "SERVICE_TLS_KEY_FILE"]],
	[
		"V19 a certificate that is missing",
		() => ({ ...TLS, SERVICE_TLS_CERT_FILE: file("absent.pem") }),
		["SERVICE_TLS_CERT_FILE", "absent.pem", "does not exist"],
	],
	[
		"V19 a certificate that is a folder",
		() => ({ ...TLS, SERVICE_TLS_CERT_FILE: folder }),
		["SERVICE_TLS_CERT_FILE", "folder"],
	],
	[
		"V19 an empty key",
		() => ({ ...TLS, SERVICE_TLS_KEY_FILE: file("empty.pem") }),
		["SERVICE_TLS_KEY_FILE", "empty.pem", "is empty"],
	],
	[
		"V19 a key that is none",
		() => ({ ...TLS, SERVICE_TLS_KEY_FILE: file("no.pem") }),
		["SERVICE_TLS_KEY_FILE", "no.pem", "no private key"],
	],
	[
		"V19 a certificate that is none",
		() => ({ ...TLS, SERVICE_TLS_CERT_FILE: file("no.pem") }),
		["SERVICE_TLS_CERT_FILE", "no.pem", "no certificate"],
	],
	[
		"V19 an encrypted key without its password",
		() => ({ ...TLS, SERVICE_TLS_KEY_FILE: pem("server-encrypted.key") }),
		["SERVICE_TLS_KEY_FILE", "SERVICE_TLS_KEY_FILE_PASSWORD"],
	],
	[
		"V19 an encrypted key with another password",
		() => ({ ...TLS, SERVICE_TLS_KEY_FILE: pem("server-encrypted.key"), SERVICE_TLS_KEY_FILE_PASSWORD: "hunter22" }),
		["SERVICE_TLS_KEY_FILE", "decrypted"],
		["hunter22"],
	],
	[
		"V19 the key of another certificate",
		() => ({ ...TLS, SERVICE_TLS_KEY_FILE: pem("expired.key") }),
		["SERVICE_TLS_KEY_FILE", "SERVICE_TLS_CERT_FILE", "expired.key"],
	],
	[
		"V19 client certificates without an authority",
		() => ({ ...TLS, SERVICE_TLS_VERIFY_CLIENT: "true" }),
		["SERVICE_TLS_VERIFY_CLIENT", "SERVICE_TLS_CA_FILE"],
	],
	[
		"V20 a provider without a client id",
		() => acme({ CLIENT_ID: "" }),
		["SERVICE_OAUTH2_ACME_CLIENT_ID must be set", "provider ACME"],
	],
	["V21 a provider without an address", () => acme({ OIDC_CONFIG_URL: "" }), ["SERVICE_OAUTH2_ACME_OIDC_CONFIG_URL"]],
	[
		"V21 a provider without https",
		() => acme({ OIDC_CONFIG_URL: "http://login.example.com/.well-known/openid-configuration" }),
		["SERVICE_OAUTH2_ACME_OIDC_CONFIG_URL must begin with https://", "localhost, 127.0.0.1 or ::1"],
	],
	[
		"V22 a provider without a secret",
		() => acme({ CLIENT_SECRET: "" }),
		["SERVICE_OAUTH2_ACME_CLIENT_SECRET must be set", "SERVICE_OAUTH2_ACME_TOKEN_ENDPOINT_AUTH_METHOD"],
	],
	[
		"V22 a secret and a file with one",
		() => acme({ CLIENT_SECRET_FILE: file("no.pem") }),
		["SERVICE_OAUTH2_ACME_CLIENT_SECRET and SERVICE_OAUTH2_ACME_CLIENT_SECRET_FILE are both set"],
	],
	[
		"V23 an unknown method",
		() => acme({ TOKEN_ENDPOINT_AUTH_METHOD: "private_key_jwt" }),
		[
			"SERVICE_OAUTH2_ACME_TOKEN_ENDPOINT_AUTH_METHOD",
			"client_secret_basic, client_secret_post, client_assertion_jwt, none",
			'"private_key_jwt"',
		],
	],
	[
		"V24 an assertion without a file",
		() => acme({ TOKEN_ENDPOINT_AUTH_METHOD: "client_assertion_jwt" }),
		["SERVICE_OAUTH2_ACME_CLIENT_ASSERTION_FILE", "SERVICE_OAUTH2_ACME_CLIENT_ASSERTION_FILE_ENV_VAR"],
	],
	[
		"V24 an assertion in a variable that holds no path",
		() => ({
			...acme({ TOKEN_ENDPOINT_AUTH_METHOD: "client_assertion_jwt", CLIENT_ASSERTION_FILE_ENV_VAR: "MY_TOKEN" }),
			MY_TOKEN: "eyJhbGciOiJSUzI1NiJ9",
		}),
		["SERVICE_OAUTH2_ACME_CLIENT_ASSERTION_FILE_ENV_VAR", "absolute path"],
		["eyJhbGciOiJSUzI1NiJ9", "MY_TOKEN"],
	],
	[
		"V25 groups without their path",
		() => acme({ ALLOWED_GROUPS: "traces" }),
		["SERVICE_OAUTH2_ACME_ALLOWED_GROUPS needs SERVICE_OAUTH2_ACME_GROUPS_ATTRIBUTE_PATH"],
	],
	[
		"V25 a path of groups without groups",
		() => acme({ GROUPS_ATTRIBUTE_PATH: "groups" }),
		["SERVICE_OAUTH2_ACME_GROUPS_ATTRIBUTE_PATH needs SERVICE_OAUTH2_ACME_ALLOWED_GROUPS"],
	],
	[
		"V25 groups that are only commas",
		() => acme({ ALLOWED_GROUPS: " , " }),
		["SERVICE_OAUTH2_ACME_ALLOWED_GROUPS", "SERVICE_OAUTH2_ACME_GROUPS_ATTRIBUTE_PATH"],
	],
	[
		"V26 a path that is none",
		() => acme({ ALLOWED_GROUPS: "traces", GROUPS_ATTRIBUTE_PATH: "cognito:groups" }),
		["SERVICE_OAUTH2_ACME_GROUPS_ATTRIBUTE_PATH", '"cognito:groups"', "character 8", "double quotes"],
	],
	[
		"V27 a mapping without a colon",
		() => acme({ ROLE_ATTRIBUTE_PATH: "role", ROLE_MAPPING: "boss" }),
		["SERVICE_OAUTH2_ACME_ROLE_MAPPING", '"boss"', "ADMIN"],
	],
	[
		"V27 a mapping to an unknown role",
		() => acme({ ROLE_ATTRIBUTE_PATH: "role", ROLE_MAPPING: "boss:OWNER" }),
		["SERVICE_OAUTH2_ACME_ROLE_MAPPING", '"OWNER"', "ADMIN, MEMBER and VIEWER"],
	],
	[
		"V28 a mapping to SYSTEM",
		() => acme({ ROLE_ATTRIBUTE_PATH: "role", ROLE_MAPPING: "boss:System" }),
		["SERVICE_OAUTH2_ACME_ROLE_MAPPING", "cannot be assigned through OAuth2"],
	],
	[
		"V29 a role mapped twice",
		() => acme({ ROLE_ATTRIBUTE_PATH: "role", ROLE_MAPPING: "boss:ADMIN, boss:VIEWER" }),
		["SERVICE_OAUTH2_ACME_ROLE_MAPPING", '"boss"', "twice"],
	],
	[
		"V30 roles that are not to be set again, without any",
		() => acme({ ROLE_RESYNC: "false" }),
		["SERVICE_OAUTH2_ACME_ROLE_RESYNC=false needs SERVICE_OAUTH2_ACME_ROLE_ATTRIBUTE_PATH"],
	],
	[
		"V31 two providers to go to at once",
		() => ({
			...acme({ AUTO_LOGIN: "true" }),
			SERVICE_OAUTH2_OTHER_CLIENT_ID: "b-client",
			SERVICE_OAUTH2_OTHER_CLIENT_SECRET: "hunter22",
			SERVICE_OAUTH2_OTHER_OIDC_CONFIG_URL: "https://other.example.com/.well-known/openid-configuration",
			SERVICE_OAUTH2_OTHER_AUTO_LOGIN: "true",
		}),
		["SERVICE_OAUTH2_ACME_AUTO_LOGIN", "SERVICE_OAUTH2_OTHER_AUTO_LOGIN", "acme or other"],
	],
	[
		"V32 a provider whose label is taken",
		() => ({ SERVICE_OAUTH2_TOKEN_CLIENT_SECRET: "hunter22" }),
		["SERVICE_OAUTH2_TOKEN_CLIENT_SECRET", "authorize, token, revoke, register, consent"],
	],
	["V32 a provider without a label", () => ({ SERVICE_OAUTH2_CLIENT_ID: "x" }), ["SERVICE_OAUTH2_CLIENT_ID", "<IDP>"]],
	[
		"V33 a provider that is wrong while authentication is off",
		() => ({ SERVICE_ENABLE_AUTH: "false", ...acme({ CLIENT_ID: "" }) }),
		["SERVICE_OAUTH2_ACME_CLIENT_ID"],
	],
	["V34 a directory without a host", () => ldap({ HOST: " , " }), ["SERVICE_LDAP_HOST", "at least one host"]],
	[
		"V35 no base of users",
		() => ldap({ USER_SEARCH_BASE_DNS: "" }),
		["SERVICE_LDAP_USER_SEARCH_BASE_DNS", '["ou=people,dc=example,dc=com"]'],
	],
	[
		"V35 a base of users that is no DN",
		() => ldap({ USER_SEARCH_BASE_DNS: '["dc=example,dc=com", "example.com"]' }),
		["SERVICE_LDAP_USER_SEARCH_BASE_DNS", "entry 1", "example.com"],
	],
	[
		"V36 no mapping",
		() => ldap({ GROUP_ROLE_MAPPINGS: "[]" }),
		["SERVICE_LDAP_GROUP_ROLE_MAPPINGS", '"group_dn": "*"'],
	],
	[
		"V36 a mapping to SYSTEM",
		() => ldap({ GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "SYSTEM"}]' }),
		["SERVICE_LDAP_GROUP_ROLE_MAPPINGS", "entry 0", '"SYSTEM"'],
	],
	["V37 another mode", () => ldap({ TLS_MODE: "ssl" }), ["SERVICE_LDAP_TLS_MODE", "starttls, ldaps or none", '"ssl"']],
	[
		"V38 a client certificate without its key",
		() => ldap({ TLS_CLIENT_CERT_FILE: pem("client.pem") }),
		["SERVICE_LDAP_TLS_CLIENT_CERT_FILE needs SERVICE_LDAP_TLS_CLIENT_KEY_FILE"],
	],
	[
		"V38 an authority that is missing",
		() => ldap({ TLS_CA_CERT_FILE: file("absent.pem") }),
		["SERVICE_LDAP_TLS_CA_CERT_FILE", "absent.pem", "does not exist"],
	],
	[
		"V38 an authority that is none",
		() => ldap({ TLS_CA_CERT_FILE: file("no.pem") }),
		["SERVICE_LDAP_TLS_CA_CERT_FILE", "no.pem", "no certificate"],
	],
	[
		"V39 a password without an account",
		() => ldap({ BIND_DN: "" }),
		["SERVICE_LDAP_BIND_PASSWORD needs SERVICE_LDAP_BIND_DN"],
	],
	["V39 an account that is none", () => ldap({ BIND_DN: "reader" }), ["SERVICE_LDAP_BIND_DN", '"reader"']],
	[
		"V40 a filter without a place for the name",
		() => ldap({ USER_SEARCH_FILTER: "(uid=ann)" }),
		["SERVICE_LDAP_USER_SEARCH_FILTER", "%s", '"(uid=ann)"'],
	],
	[
		"V40 a filter that is none",
		() => ldap({ USER_SEARCH_FILTER: "(&(uid=%s)" }),
		["SERVICE_LDAP_USER_SEARCH_FILTER", '"(&(uid=%s)"'],
	],
	[
		"V41 a group filter without bases",
		() => ldap({ GROUP_SEARCH_FILTER: "(member=%s)" }),
		["SERVICE_LDAP_GROUP_SEARCH_FILTER", "SERVICE_LDAP_GROUP_SEARCH_BASE_DNS"],
	],
	[
		"V42 a user attribute without a group filter",
		() => ldap({ GROUP_SEARCH_FILTER_USER_ATTR: "dn" }),
		["SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR", "SERVICE_LDAP_GROUP_SEARCH_FILTER,"],
	],
	[
		"V43 an attribute with a space",
		() => ldap({ ATTR_MEMBER_OF: "member Of" }),
		["SERVICE_LDAP_ATTR_MEMBER_OF", "did you mean memberOf?"],
	],
	["V44 no email attribute", () => ldap({ ATTR_EMAIL: "" }), ["SERVICE_LDAP_ATTR_EMAIL", "mail", "null"]],
	[
		"V45 no email and no unique id",
		() => ldap({ ATTR_EMAIL: "null" }),
		["SERVICE_LDAP_ATTR_EMAIL", "SERVICE_LDAP_ATTR_UNIQUE_ID"],
	],
	[
		"V46 no email and no sign-up",
		() => ldap({ ATTR_EMAIL: "null", ATTR_UNIQUE_ID: "entryUUID", ALLOW_SIGN_UP: "false" }),
		["SERVICE_LDAP_ATTR_EMAIL", "SERVICE_LDAP_ALLOW_SIGN_UP"],
	],
	[
		"V47 no email and admins with one",
		() => ({ ...ldap({ ATTR_EMAIL: "null", ATTR_UNIQUE_ID: "entryUUID" }), SERVICE_ADMINS: "ann=ann@example.com" }),
		["SERVICE_ADMINS", "SERVICE_LDAP_ATTR_EMAIL", "SERVICE_LDAP_GROUP_ROLE_MAPPINGS"],
	],
	[
		"V49 two identities at PostgreSQL",
		() => ({ SERVICE_POSTGRES_USE_AWS_IAM_AUTH: "true", SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY: "true" }),
		["SERVICE_POSTGRES_USE_AWS_IAM_AUTH", "SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY"],
	],
	[
		"V49 a password beside an identity",
		() => ({ SERVICE_POSTGRES_USE_AWS_IAM_AUTH: "true", SERVICE_POSTGRES_PASSWORD: "hunter22" }),
		["SERVICE_POSTGRES_PASSWORD"],
		["hunter22"],
	],
	[
		"V49 host and user without a password",
		() => ({ SERVICE_POSTGRES_HOST: "db", SERVICE_POSTGRES_USER: "me" }),
		["SERVICE_POSTGRES_HOST", "SERVICE_POSTGRES_PASSWORD"],
	],
	[
		"two passwords for ClickHouse, and a wrong number",
		() => ({
			SERVICE_CLICKHOUSE_URL: "http://u:hunter22@localhost:8123",
			SERVICE_CLICKHOUSE_PASSWORD: "hunter22",
			SERVICE_CLICKHOUSE_INSERT_ROWS: "many",
		}),
		["SERVICE_CLICKHOUSE_URL has a password and SERVICE_CLICKHOUSE_PASSWORD", "SERVICE_CLICKHOUSE_INSERT_ROWS"],
	],
	[
		"V49 no capacity",
		() => ({ SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: "0" }),
		["SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES"],
	],
	[
		"V49 a share above 100 %",
		() => ({ SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE: "100.5" }),
		["SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE", "100"],
	],
	["V49 no queue", () => ({ SERVICE_MAX_SPANS_QUEUE_SIZE: "0" }), ["SERVICE_MAX_SPANS_QUEUE_SIZE"]],
	[
		"V49 a negative retention",
		() => ({ SERVICE_DEFAULT_RETENTION_POLICY_DAYS: "-1" }),
		["SERVICE_DEFAULT_RETENTION_POLICY_DAYS"],
	],
	[
		"a secret given twice",
		() => ({ SERVICE_SECRET: SECRET, SERVICE_SECRET_FILE: file("no.pem") }),
		["SERVICE_SECRET", "SERVICE_SECRET_FILE"],
		[SECRET],
	],
	[
		"a secret in a file that is missing",
		() => ({ SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET_FILE: file("absent") }),
		["SERVICE_SECRET_FILE", "absent", "does not exist"],
	],
	[
		"a cookie path beside the root path",
		() => ({ SERVICE_HOST_ROOT_PATH: "/a", SERVICE_COOKIES_PATH: "/b" }),
		["SERVICE_COOKIES_PATH", "SERVICE_HOST_ROOT_PATH"],
	],
	[
		"an access token that outlives the session",
		() => ({ SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: "20", SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: "10" }),
		["SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES", "SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES"],
	],
	[
		"a proxy that is no network",
		() => ({ SERVICE_TRUSTED_PROXIES: "10.0.0.0/33" }),
		["SERVICE_TRUSTED_PROXIES", "10.0.0.0/33"],
	],
];

describe("T204 the start ends with exit code 78, says why and shows no secret, before anything listens:", () => {
	test.each(CASES.map(([name, env, says, hides = []]) => ({ name, env, says, hides })))(
		"$name",
		async ({ env, says, hides }) => {
			const { code, output } = await start(env());
			expect(output).toMatch(/^Spanward cannot start:\n {2}- /m);
			expect(code).toBe(EXIT_SETTINGS);
			for (const part of says) {
				if (typeof part === "string") expect(output).toContain(part);
				else expect(output).toMatch(part);
			}
			for (const part of ["hunter22", ...hides]) expect(output).not.toContain(part);
		},
	);

	test("V19 a key that may not be read", async ({ skip }) => {
		if (process.getuid?.() === 0) skip("root may read every file");
		const path = file("locked.pem");
		await writeFile(path, "x");
		await chmod(path, 0);
		const { code, output } = await start({ ...TLS, SERVICE_TLS_KEY_FILE: path });
		expect(output).toContain("cannot be read by the user");
		expect(code).toBe(EXIT_SETTINGS);
	});

	test("all that is wrong at once, a line each", async () => {
		const { code, output } = await run({
			SERVICE_ENABLE_AUTH: "1",
			SERVICE_SECRET: "hunter22",
			SERVICE_ROOT_URL: "nowhere",
			SERVICE_TLS_ENABLED: "true",
		});
		expect(output.trim().split("\n")).toHaveLength(6);
		for (const name of ["ENABLE_AUTH", "SECRET", "ROOT_URL", "TLS_CERT_FILE", "TLS_KEY_FILE"]) {
			expect(output).toContain(`SERVICE_${name}`);
		}
		expect(output).not.toContain("hunter22");
		expect(code).toBe(EXIT_SETTINGS);
	});
});

/** Mounts a route without a policy beside the others, as somebody would who forgot it. */
const FORGOTTEN_ROUTE = `
	import { registerHooks } from "node:module";
	registerHooks({
		load(url, context, next) {
			const loaded = next(url, context);
			if (!url.endsWith("/server/src/app.ts")) return loaded;
			const source = String(loaded.source).replace("serveWebApp(app,", 'app.get("/v1/forgotten", async () => "open"); $&');
			return { ...loaded, source };
		},
	});
`;

test("T204 V52 a route without a policy stops the start, named, before anything listens", async () => {
	const options = `--import=data:text/javascript,${encodeURIComponent(FORGOTTEN_ROUTE)}`;
	const { code, output } = await run({ NODE_OPTIONS: options });
	expect(output).toMatch(/Spanward cannot start:.*GET /s);
	expect(output).toContain("/v1/forgotten");
	expect(code).toBe(EXIT_SETTINGS);
});

test("T204 without anything wrong the same start gets as far as listening", async () => {
	const { code, output } = await run(ON);
	expect(output).toMatch(/cannot start.*listen|is in use/s);
	expect(code).toBe(1);
});

test("T204 V51 another secret stops the start, the former one beside it does not, and then it alone is enough", async () => {
	const env = { ...ON, SERVICE_WORKING_DIR: await mkdtemp(join(folder, "rotated-")) };
	const listens = (ended: Ended) => ended.code === 1 && !ended.output.includes("SERVICE_SECRET");
	expect(listens(await start(env))).toBe(true);

	const refused = await start({ ...env, SERVICE_SECRET: OTHER_SECRET });
	expect(refused.code).toBe(EXIT_SETTINGS);
	expect(refused.output).toMatch(/SERVICE_SECRET .*SERVICE_SECRET_PREVIOUS.*forget-secrets/);
	expect(refused.output).not.toContain(OTHER_SECRET);

	expect(listens(await start({ ...env, SERVICE_SECRET: OTHER_SECRET, SERVICE_SECRET_PREVIOUS: SECRET }))).toBe(true);
	expect(listens(await start({ ...env, SERVICE_SECRET: OTHER_SECRET }))).toBe(true);
	expect((await start(env)).code).toBe(EXIT_SETTINGS);
});

test("T204 V09 a first password that breaks the policy is no matter once the account exists", async () => {
	const env = { ...ON, SERVICE_WORKING_DIR: await mkdtemp(join(folder, "seeded-")) };
	expect((await start(env)).code).toBe(1);
	const again = await start({ ...env, SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: "x" });
	expect(again.output).not.toContain("SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD must");
	expect(again.code).toBe(1);
});

test("T204 V16 one other way to sign in is enough without passwords", async () => {
	const env = { ...ON, SERVICE_DISABLE_BASIC_AUTH: "true" };
	expect((await start({ ...env, ...acme() })).code).toBe(1);
	expect((await start({ ...env, ...ldap() })).code).toBe(1);
});

test("T204 V18, V49, V50 what has no effect is named in a warning, and the server runs", async () => {
	await using server = await createTestServer({
		authentication: false,
		inProcess: true,
		env: {
			...ON,
			SERVICE_ENABLE_AUHT: "true",
			SERVICE_OAUTH2_ACME_CLIENT_IDD: "a-client",
			SERVICE_LDAP_BIND_PASSWORD: "hunter22",
			SERVICE_MAX_SPANS_QUEUE_SIZE: "30",
			SERVICE_POSTGRES_TLS_MODE: "disable",
			SERVICE_CLICKHOUSE_PASSWORD: "hunter22",
			SERVICE_HOST: "0.0.0.0",
			SERVICE_SMTP_HOSTNAME: "127.0.0.1",
			SERVICE_API_KEY: "of a client",
			SERVICE_SERVICE_PORT: "6006",
		},
	});
	await server.start();
	const warnings = server.output
		.split("\n")
		.filter((line) => line.includes('"level":40'))
		.join("\n");
	expect(warnings).toContain(
		"SERVICE_ENABLE_AUHT is not a setting of this version and has no effect; did you mean SERVICE_ENABLE_AUTH?",
	);
	expect(warnings).toContain("did you mean SERVICE_OAUTH2_ACME_CLIENT_ID?");
	expect(warnings).toContain("SERVICE_LDAP_BIND_PASSWORD has no effect: SERVICE_LDAP_HOST is unset");
	expect(warnings).toMatch(/SERVICE_MAX_SPANS_QUEUE_SIZE is recognized, but/);
	expect(warnings).toMatch(/SERVICE_POSTGRES_TLS_MODE has no effect: SERVICE_SQL_DATABASE_URL is not set/);
	expect(warnings).toContain("SERVICE_CLICKHOUSE_PASSWORD has no effect: SERVICE_CLICKHOUSE_URL is not set");
	expect(warnings).toMatch(/SERVICE_SMTP_HOSTNAME is set without SERVICE_ROOT_URL/);
	expect(warnings).not.toMatch(/SERVICE_API_KEY|SERVICE_SERVICE_PORT/);
	expect(server.output).not.toMatch(/hunter22|a-client/);
});

test("T204 V33 providers and directory are named in a warning while authentication is off, and the server runs", async () => {
	await using server = await createTestServer({
		authentication: false,
		inProcess: true,
		env: { ...acme(), ...ldap() },
	});
	await server.start();
	expect(server.output).toMatch(
		/SERVICE_OAUTH2_ACME_CLIENT_ID and its other settings have no effect: SERVICE_ENABLE_AUTH/,
	);
	expect(server.output).toMatch(/SERVICE_LDAP_HOST has no effect: SERVICE_ENABLE_AUTH is not true/);
	expect(server.output).not.toContain("hunter22");
});

test("T204 V30, V48 what may be meant and is seldom wise is named in a warning at every start", async () => {
	await using server = await createTestServer({
		authentication: true,
		inProcess: true,
		env: {
			...acme({ ROLE_MAPPING: "boss:ADMIN", TOKEN_ENDPOINT_AUTH_METHOD: "none" }),
			...ldap({ TLS_MODE: "none" }),
			SERVICE_HOST: "0.0.0.0",
		},
	});
	await server.start();
	expect(server.output).toMatch(/SERVICE_OAUTH2_ACME_ROLE_MAPPING has no effect/);
	expect(server.output).toMatch(/SERVICE_OAUTH2_ACME_USE_PKCE is not true/);
	expect(server.output).toMatch(/SERVICE_LDAP_TLS_MODE=none/);
	expect(server.output).toMatch(/SERVICE_ROOT_URL is unset: OAuth2/);
	expect(server.output).not.toContain("hunter22");
});

test("secrets come from files", async () => {
	const path = file("secret");
	await writeFile(path, `${SECRET}\n`);
	const { code } = await run({ SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET_FILE: path, SERVICE_HOST: "127.0.0.1" });
	expect(code).toBe(1);
});
