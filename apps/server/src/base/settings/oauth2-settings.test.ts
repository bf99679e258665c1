import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgetSecrets, readConfig } from "../config.ts";
import { problems, warnings } from "./test-settings.ts";

const CERTIFICATES = join(import.meta.dirname, "../../../../../e2e/certificates");
const ON = { SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: "unit-test-secret-0123456789-abcdefghij" };

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "spanward-"));
	writeFileSync(join(folder, "secret"), "hunter2-of-a-file\n");
	writeFileSync(join(folder, "no.pem"), "hello\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Variables = Readonly<Record<string, string>>;

/** Variables of a provider by their suffixes, with the required ones unless they are given. */
function provider(label: string, settings: Variables = {}): Record<string, string> {
	const all: Variables = {
		CLIENT_ID: "a-client",
		CLIENT_SECRET: "hunter2",
		OIDC_CONFIG_URL: "https://login.example.com/.well-known/openid-configuration",
		...settings,
	};
	return Object.fromEntries(Object.entries(all).map(([suffix, value]) => [`SERVICE_OAUTH2_${label}_${suffix}`, value]));
}

test("reads a provider with the defaults, and with everything set", () => {
	const { OAUTH2_PROVIDERS } = readConfig({
		...provider("GOOGLE"),
		...provider("ACME", {
			DISPLAY_NAME: "Acme Login",
			ALLOW_SIGN_UP: "False",
			AUTO_LOGIN: "true",
			USE_PKCE: "true",
			TOKEN_ENDPOINT_AUTH_METHOD: "Client_Secret_Post",
			SCOPES: "groups  email offline_access",
			EMAIL_ATTRIBUTE_PATH: "mail",
			GROUPS_ATTRIBUTE_PATH: '"cognito:groups"',
			ALLOWED_GROUPS: " a, b ,,a",
			ROLE_ATTRIBUTE_PATH: "'MEMBER'",
			ROLE_MAPPING: "Boss:admin, staff : Member,Staff:VIEWER",
			ROLE_ATTRIBUTE_STRICT: "true",
			ROLE_RESYNC: "false",
			TRUST_EMAIL: "true",
			ALLOW_ISSUER_MISMATCH: "true",
			CA_CERT_FILE: join(CERTIFICATES, "authority.pem"),
		}),
	});
	expect(OAUTH2_PROVIDERS.map(({ id }) => id)).toEqual(["acme", "google"]);
	expect(OAUTH2_PROVIDERS[1]).toMatchObject({
		prefix: "SERVICE_OAUTH2_GOOGLE_",
		displayName: "Google",
		clientId: "a-client",
		configUrl: "https://login.example.com/.well-known/openid-configuration",
		authMethod: "client_secret_basic",
		assertionFile: null,
		usePkce: false,
		scopes: ["openid", "email", "profile"],
		allowSignUp: true,
		autoLogin: false,
		groupsPath: null,
		rolePath: null,
		roleMapping: null,
		roleStrict: false,
		roleResync: true,
		trustEmail: false,
		ca: undefined,
		allowIssuerMismatch: false,
	});
	expect(OAUTH2_PROVIDERS[1]?.clientSecret?.reveal()).toBe("hunter2");
	expect(OAUTH2_PROVIDERS[1]?.emailPath.search({ email: "a@b.example" })).toBe("a@b.example");
	const acme = OAUTH2_PROVIDERS[0];
	expect(acme).toMatchObject({
		displayName: "Acme Login",
		authMethod: "client_secret_post",
		scopes: ["openid", "email", "profile", "groups", "offline_access"],
		allowSignUp: false,
		autoLogin: true,
		usePkce: true,
		roleStrict: true,
		roleResync: false,
		trustEmail: true,
		allowIssuerMismatch: true,
	});
	expect([...(acme?.allowedGroups ?? [])]).toEqual(["a", "b"]);
	expect([...(acme?.roleMapping ?? [])]).toEqual([
		["Boss", "ADMIN"],
		["staff", "MEMBER"],
		["Staff", "VIEWER"],
	]);
	expect(acme?.groupsPath?.search({ "cognito:groups": ["a"] })).toEqual(["a"]);
	expect(acme?.ca).toContain("BEGIN CERTIFICATE");
});

test.each([
	["GOOGLE", "google", "Google"],
	["FOO_CLIENT", "foo_client", "Foo Client"],
	["MY_OWN_IDP_2", "my_own_idp_2", "My Own Idp 2"],
	["AWS_COGNITO", "aws_cognito", "AWS Cognito"],
	["MICROSOFT_ENTRA_ID", "microsoft_entra_id", "Microsoft Entra ID"],
	["ALLOWED", "allowed", "Allowed"],
	["X_ROLE", "x_role", "X Role"],
])("calls the provider of %s %s, shown as %s", (label, id, displayName) => {
	const { OAUTH2_PROVIDERS } = readConfig(provider(label, { ALLOWED_GROUPS: "a", GROUPS_ATTRIBUTE_PATH: "groups" }));
	expect(OAUTH2_PROVIDERS).toHaveLength(1);
	expect(OAUTH2_PROVIDERS[0]).toMatchObject({ id, displayName, prefix: `SERVICE_OAUTH2_${label}_` });
});

test("treats empty variables as unset, and those of log-in for programs as those of no provider", () => {
	const empty = Object.fromEntries(Object.keys(provider("GOOGLE")).map((name) => [name, " "]));
	const environment = {
		...empty,
		SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS: "app.example.com, *.example.org",
		SERVICE_OAUTH2_GRANT_EXPIRY_DAYS: "0.5",
		SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION: "local_only",
		SERVICE_OAUTH2_DCR_RATE_LIMIT_PER_HOUR: "1",
		SERVICE_OAUTH2_CONSENT_ORIGIN_CHECK: "off",
		SERVICE_OAUTH2_CLIENT_METADATA_HOSTS: "clients.example.com",
		SERVICE_OAUTH2_DEVICE_FLOW: "false",
	};
	expect(readConfig(environment)).toMatchObject({
		OAUTH2_PROVIDERS: [],
		SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS: ["app.example.com", "*.example.org"],
		SERVICE_OAUTH2_GRANT_EXPIRY_DAYS: 0.5,
		SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION: "local_only",
	});
	expect(warnings(environment)).toEqual([]);
	expect(
		problems({
			SERVICE_OAUTH2_GRANT_EXPIRY_DAYS: "0",
			SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS: "https://app.example.com",
		}),
	).toEqual([
		expect.stringMatching(/^SERVICE_OAUTH2_GRANT_EXPIRY_DAYS must be a number of days > 0/),
		expect.stringMatching(/^SERVICE_OAUTH2_ALLOWED_REDIRECT_HOSTS must be host names/),
	]);
});

describe("the secret of a provider", () => {
	test("comes from a file as well, and only once", () => {
		const { SERVICE_OAUTH2_A_CLIENT_SECRET: _, ...rest } = provider("A");
		const file = { SERVICE_OAUTH2_A_CLIENT_SECRET_FILE: join(folder, "secret") };
		expect(readConfig({ ...rest, ...file }).OAUTH2_PROVIDERS[0]?.clientSecret?.reveal()).toBe("hunter2-of-a-file");
		expect(problems({ ...provider("A"), ...file })).toEqual([
			"SERVICE_OAUTH2_A_CLIENT_SECRET and SERVICE_OAUTH2_A_CLIENT_SECRET_FILE are both set; keep one of them",
		]);
		expect(problems({ ...rest, SERVICE_OAUTH2_A_CLIENT_SECRET_FILE: join(folder, "absent") })).toEqual([
			expect.stringMatching(/^SERVICE_OAUTH2_A_CLIENT_SECRET_FILE: the file .* does not exist$/),
		]);
	});

	test("shows in no dump of the settings, and leaves the environment", () => {
		const environment: Record<string, string | undefined> = provider("A");
		const config = readConfig(environment);
		expect(`${inspect(config, { depth: 9, showHidden: true })}${JSON.stringify(config)}`).not.toContain("hunter2");
		forgetSecrets(environment);
		expect(Object.keys(environment)).toEqual(["SERVICE_OAUTH2_A_CLIENT_ID", "SERVICE_OAUTH2_A_OIDC_CONFIG_URL"]);
	});

	test("is not kept with the methods that use none", () => {
		const [kept] = readConfig(provider("A", { TOKEN_ENDPOINT_AUTH_METHOD: "none" })).OAUTH2_PROVIDERS;
		expect(kept?.clientSecret).toBeNull();
	});
});

const ASSERTION = { CLIENT_SECRET: "", TOKEN_ENDPOINT_AUTH_METHOD: "client_assertion_jwt" };

test("finds the file of an assertion, named or in a variable that is named", () => {
	const fileOf = (environment: Variables) => readConfig(environment).OAUTH2_PROVIDERS[0]?.assertionFile;
	expect(fileOf(provider("A", { ...ASSERTION, CLIENT_ASSERTION_FILE: "/run/token" }))).toBe("/run/token");
	expect(
		fileOf({ ...provider("A", { ...ASSERTION, CLIENT_ASSERTION_FILE_ENV_VAR: "TOKEN_FILE" }), TOKEN_FILE: "/run/t" }),
	).toBe("/run/t");
	expect(fileOf(provider("A", { CLIENT_ASSERTION_FILE: "/run/token" }))).toBeNull();
});

const LIST = { GROUPS_ATTRIBUTE_PATH: "groups", ALLOWED_GROUPS: "a" };

/** The settings of provider A, and the one message about them. */
test.each<[string, Variables, RegExp]>([
	[
		"V20 no client id",
		{ CLIENT_ID: "" },
		/^SERVICE_OAUTH2_A_CLIENT_ID must be set: the provider A has SERVICE_OAUTH2_A_CLIENT_SECRET/,
	],
	["V21 no address", { OIDC_CONFIG_URL: "" }, /^SERVICE_OAUTH2_A_OIDC_CONFIG_URL must be set/],
	["V21 no scheme", { OIDC_CONFIG_URL: "login.example.com/x" }, /OIDC_CONFIG_URL must be the absolute address/],
	["V21 no host", { OIDC_CONFIG_URL: "https:///x" }, /OIDC_CONFIG_URL must be the absolute address/],
	["V21 another scheme", { OIDC_CONFIG_URL: "file:///etc/passwd" }, /OIDC_CONFIG_URL must be the absolute address/],
	[
		"V21 http",
		{ OIDC_CONFIG_URL: "http://login.example.com/x" },
		/OIDC_CONFIG_URL must begin with https:\/\/ unless the host is localhost, 127.0.0.1 or ::1/,
	],
	[
		"V21 http to what begins like this machine",
		{ OIDC_CONFIG_URL: "http://localhost.evil.example/x" },
		/must begin with https/,
	],
	[
		"V21 http with a user that is a host",
		{ OIDC_CONFIG_URL: "http://localhost@evil.example/x" },
		/must be the absolute address/,
	],
	[
		"V22 no secret",
		{ CLIENT_SECRET: "" },
		/^SERVICE_OAUTH2_A_CLIENT_SECRET must be set, unless SERVICE_OAUTH2_A_TOKEN_ENDPOINT_AUTH_METHOD is none/,
	],
	[
		"V22 no secret to post",
		{ CLIENT_SECRET: "", TOKEN_ENDPOINT_AUTH_METHOD: "client_secret_post" },
		/CLIENT_SECRET must be set/,
	],
	[
		"V23 an unknown method",
		{ TOKEN_ENDPOINT_AUTH_METHOD: "private_key_jwt" },
		/TOKEN_ENDPOINT_AUTH_METHOD must be one of client_secret_basic, client_secret_post, client_assertion_jwt, none \(it is "private_key_jwt"\)/,
	],
	[
		"V24 no assertion",
		ASSERTION,
		/needs SERVICE_OAUTH2_A_CLIENT_ASSERTION_FILE or SERVICE_OAUTH2_A_CLIENT_ASSERTION_FILE_ENV_VAR/,
	],
	[
		"V24 two assertions",
		{ ...ASSERTION, CLIENT_ASSERTION_FILE: "/a", CLIENT_ASSERTION_FILE_ENV_VAR: "PATH" },
		/are both set/,
	],
	[
		"V24 an assertion in a variable that is unset",
		{ ...ASSERTION, CLIENT_ASSERTION_FILE_ENV_VAR: "HUNTER2_TOKEN" },
		/CLIENT_ASSERTION_FILE_ENV_VAR names a variable that is not set$/,
	],
	[
		"V24 an assertion in a relative path",
		{ ...ASSERTION, CLIENT_ASSERTION_FILE: "hunter2" },
		/CLIENT_ASSERTION_FILE must be an absolute path$/,
	],
	[
		"V24 a variable that every object has",
		{ ...ASSERTION, CLIENT_ASSERTION_FILE_ENV_VAR: "__proto__" },
		/names a variable that is not set$/,
	],
	[
		"V24 a variable without a path",
		{ ...ASSERTION, CLIENT_ASSERTION_FILE_ENV_VAR: "SERVICE_OAUTH2_A_CLIENT_ID" },
		/contains no absolute path$/,
	],
	[
		"V25 groups without their path",
		{ ALLOWED_GROUPS: "a" },
		/^SERVICE_OAUTH2_A_ALLOWED_GROUPS needs SERVICE_OAUTH2_A_GROUPS_ATTRIBUTE_PATH.*remove/,
	],
	[
		"V25 a path without groups",
		{ GROUPS_ATTRIBUTE_PATH: "groups" },
		/^SERVICE_OAUTH2_A_GROUPS_ATTRIBUTE_PATH needs SERVICE_OAUTH2_A_ALLOWED_GROUPS.*remove/,
	],
	[
		"V25 groups that are none",
		{ ALLOWED_GROUPS: " , " },
		/^SERVICE_OAUTH2_A_ALLOWED_GROUPS names no group.*remove.*SERVICE_OAUTH2_A_GROUPS_ATTRIBUTE_PATH/,
	],
	["V25 groups that are none with their path", { ...LIST, ALLOWED_GROUPS: "," }, /ALLOWED_GROUPS names no group/],
	[
		"V26 a role path",
		{ ROLE_ATTRIBUTE_PATH: "resource_access.my-client.roles" },
		/^SERVICE_OAUTH2_A_ROLE_ATTRIBUTE_PATH .*double quotes.*\(it is "resource_access/,
	],
	[
		"V26 a groups path",
		{ ...LIST, GROUPS_ATTRIBUTE_PATH: "https://x.example/groups" },
		/GROUPS_ATTRIBUTE_PATH is not a JMESPath expression: : at character 6 .*double quotes/,
	],
	["V26 an email path", { EMAIL_ATTRIBUTE_PATH: "emails[" }, /EMAIL_ATTRIBUTE_PATH is not a JMESPath expression/],
	["V26 a legacy literal", { ROLE_ATTRIBUTE_PATH: "`ADMIN`" }, /single quotes, such as 'ADMIN'/],
	[
		"V27 a pair without a colon",
		{ ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: "a:ADMIN,boss" },
		/ROLE_MAPPING must be pairs.*in "boss" there is no colon/,
	],
	[
		"V27 an empty role of the provider",
		{ ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: ":ADMIN" },
		/in ":ADMIN" the provider's role is empty/,
	],
	[
		"V27 an unknown role",
		{ ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: "boss:OWNER" },
		/the role "OWNER" is none of ADMIN, MEMBER and VIEWER/,
	],
	[
		"V27 a role with a look-alike letter",
		{ ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: "boss:adm\u0131n" },
		/is none of ADMIN, MEMBER and VIEWER/,
	],
	[
		"V27 a role with a colon",
		{ ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: "a:b:ADMIN" },
		/the role "b:ADMIN" is none.*colon/,
	],
	["V27 no pair", { ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: "," }, /ROLE_MAPPING must be pairs/],
	[
		"V28 a mapping to SYSTEM",
		{ ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: "boss:system" },
		/must not map to SYSTEM, which cannot be assigned through OAuth2; "boss:system"/,
	],
	[
		"V29 a role twice",
		{ ROLE_ATTRIBUTE_PATH: "r", ROLE_MAPPING: "boss:ADMIN,boss:VIEWER" },
		/names the provider's role "boss" twice/,
	],
	[
		"V30 no resync without a path",
		{ ROLE_RESYNC: "false" },
		/^SERVICE_OAUTH2_A_ROLE_RESYNC=false needs SERVICE_OAUTH2_A_ROLE_ATTRIBUTE_PATH/,
	],
	[
		"V38 an authority that is missing",
		{ CA_CERT_FILE: "/absent.pem" },
		/^SERVICE_OAUTH2_A_CA_CERT_FILE: the file "\/absent.pem" does not exist/,
	],
	["a scope that is none", { SCOPES: 'gro"ups' }, /SCOPES must be scopes/],
	["V01 a switch", { USE_PKCE: "yes" }, /USE_PKCE must be true or false/],
])("refuses %s", (_, settings, message) => {
	const found = problems(provider("A", settings));
	expect(found).toEqual([expect.stringMatching(message)]);
	expect(found.join("\n")).not.toMatch(/hunter2/i);
});

test("V38: refuses a file of an authority without a certificate", () => {
	expect(problems(provider("A", { CA_CERT_FILE: join(folder, "no.pem") }))).toEqual([
		expect.stringMatching(/^SERVICE_OAUTH2_A_CA_CERT_FILE: the file .* has no certificate in PEM/),
	]);
});

test.each([
	"http://localhost:8080/.well-known/openid-configuration",
	"http://127.0.0.1/.well-known/openid-configuration",
	"http://[::1]:8080/x/.well-known/openid-configuration",
	"https://x.example/.well-known/openid-configuration?p=policy",
])("V21: accepts %s", (url) => {
	expect(problems(provider("A", { OIDC_CONFIG_URL: url }))).toEqual([]);
	expect(warnings({ ...ON, SERVICE_HOST: "127.0.0.1", ...provider("A", { OIDC_CONFIG_URL: url }) })).toEqual([]);
});

test("V31: refuses two providers with automatic log-in, naming both", () => {
	expect(
		problems({
			...provider("A", { AUTO_LOGIN: "true" }),
			...provider("B_C", { AUTO_LOGIN: "true" }),
			...provider("D"),
		}),
	).toEqual([
		expect.stringMatching(/^SERVICE_OAUTH2_A_AUTO_LOGIN and SERVICE_OAUTH2_B_C_AUTO_LOGIN are true: .*a or b_c$/),
	]);
});

test("V32: refuses a provider without a label, and one with a label that is taken", () => {
	expect(problems({ SERVICE_OAUTH2_CLIENT_ID: "x" })).toEqual([
		"SERVICE_OAUTH2_CLIENT_ID names no provider: write SERVICE_OAUTH2_<IDP>_CLIENT_ID with a label for it, such as GOOGLE",
	]);
	expect(problems({ SERVICE_OAUTH2___CLIENT_ID: "x" })).toHaveLength(1);
	for (const label of ["AUTHORIZE", "TOKEN", "REVOKE", "REGISTER", "CONSENT"]) {
		expect(problems(provider(label))).toEqual([
			expect.stringMatching(/must not be called authorize, token, revoke, register, consent/),
		]);
	}
});

test("a label may be in lower case, and is the same in any case", () => {
	const { OAUTH2_PROVIDERS: providers } = readConfig({ ...ON, ...provider("Acme_1f"), ...provider("OTHER") });
	expect(providers).toMatchObject([{ id: "acme_1f", prefix: "SERVICE_OAUTH2_Acme_1f_" }, { id: "other" }]);
	expect(problems({ ...provider("google", { AUTO_LOGIN: "true" }), ...provider("B", { AUTO_LOGIN: "true" }) })).toEqual(
		[expect.stringMatching(/^SERVICE_OAUTH2_B_AUTO_LOGIN and SERVICE_OAUTH2_google_AUTO_LOGIN are true/)],
	);
	expect(problems({ ...provider("GOOGLE"), ...provider("A"), ...provider("google") })).toEqual([
		expect.stringMatching(/SERVICE_OAUTH2_GOOGLE_.*SERVICE_OAUTH2_google_.*google: write its label the same way$/),
	]);
});

test("V16: one provider is enough to switch passwords off, and a wrong one is reported once", () => {
	const off = { ...ON, SERVICE_DISABLE_BASIC_AUTH: "true" };
	expect(problems(off)).toEqual([expect.stringMatching(/SERVICE_OAUTH2_<IDP>_CLIENT_ID.*SERVICE_LDAP_HOST/)]);
	expect(problems({ ...off, ...provider("A") })).toEqual([]);
	expect(problems({ ...off, ...provider("A", { CLIENT_ID: "" }) })).toHaveLength(1);
});

test("names all that is wrong with all providers at once", () => {
	expect(
		problems({
			...provider("A", { CLIENT_ID: "", USE_PKCE: "1", ROLE_RESYNC: "false" }),
			...provider("B", { CLIENT_SECRET: "" }),
		}),
	).toHaveLength(4);
});

describe("warns", () => {
	const quiet = { ...ON, SERVICE_HOST: "127.0.0.1" };
	test.each<[string, Variables, RegExp]>([
		[
			"V30 of a mapping without a role path",
			provider("A", { ROLE_MAPPING: "a:ADMIN" }),
			/^SERVICE_OAUTH2_A_ROLE_MAPPING has no effect: SERVICE_OAUTH2_A_ROLE_ATTRIBUTE_PATH is unset/,
		],
		[
			"V30 of strictness without a role path",
			provider("A", { ROLE_ATTRIBUTE_STRICT: "true" }),
			/^SERVICE_OAUTH2_A_ROLE_ATTRIBUTE_STRICT has no effect/,
		],
		[
			"of a public client without PKCE",
			provider("A", { CLIENT_SECRET: "", TOKEN_ENDPOINT_AUTH_METHOD: "none" }),
			/^SERVICE_OAUTH2_A_USE_PKCE is not true although/,
		],
		[
			"of an address that is not that of a discovery document",
			provider("A", { OIDC_CONFIG_URL: "https://login.example.com/" }),
			/^SERVICE_OAUTH2_A_OIDC_CONFIG_URL does not end in/,
		],
		[
			"of a secret that is not used",
			provider("A", { USE_PKCE: "true", TOKEN_ENDPOINT_AUTH_METHOD: "none" }),
			/^SERVICE_OAUTH2_A_CLIENT_SECRET has no effect/,
		],
		[
			"of a function that does not exist",
			provider("A", { ROLE_ATTRIBUTE_PATH: "shout(role)" }),
			/^SERVICE_OAUTH2_A_ROLE_ATTRIBUTE_PATH calls shout\(\)/,
		],
		[
			"of a constant in the wrong quotes",
			provider("A", { ROLE_ATTRIBUTE_PATH: '"MEMBER"' }),
			/^SERVICE_OAUTH2_A_ROLE_ATTRIBUTE_PATH looks for a claim.*single quotes/,
		],
		[
			"of a misspelt suffix",
			{ ...provider("A"), SERVICE_OAUTH2_A_CLIENT_SECRTE: "x" },
			/^SERVICE_OAUTH2_A_CLIENT_SECRTE is not a setting.*did you mean SERVICE_OAUTH2_A_CLIENT_SECRET\?$/,
		],
		[
			"of a misspelt suffix alone",
			{ SERVICE_OAUTH2_MY_IDP_ALLOW_SIGNUP: "x" },
			/did you mean SERVICE_OAUTH2_MY_IDP_ALLOW_SIGN_UP\?$/,
		],
		[
			"of an unknown suffix",
			{ SERVICE_OAUTH2_A_COLOR: "x" },
			/^SERVICE_OAUTH2_A_COLOR is not a setting of this version and has no effect/,
		],
	])("%s", (_, environment, message) => {
		expect(warnings({ ...quiet, ...environment })).toEqual([expect.stringMatching(message)]);
	});

	test("V33: while authentication is off, and checks all the same", () => {
		expect(warnings(provider("A"))).toEqual([
			"SERVICE_OAUTH2_A_CLIENT_ID and its other settings have no effect: SERVICE_ENABLE_AUTH is not true",
		]);
		expect(problems(provider("A", { CLIENT_ID: "" }))).toHaveLength(1);
	});

	test("without SERVICE_ROOT_URL where others than this machine come", () => {
		const open = { ...ON, ...provider("A"), SERVICE_HOST: "0.0.0.0" };
		expect(warnings(open)).toEqual([
			expect.stringMatching(/^SERVICE_ROOT_URL is unset: OAuth2 .*SERVICE_CSRF_TRUSTED_ORIGINS/),
		]);
		expect(warnings({ ...open, SERVICE_ROOT_URL: "http://traces.example.com" })).toEqual([]);
		expect(warnings({ ...open, SERVICE_HOST: "127.0.0.1" })).toEqual([]);
	});
});
