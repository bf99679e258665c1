import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgetLibraryVariables, forgetSecrets, readConfig, settingWarnings } from "./config.ts";
import { mailSender } from "./settings/derived.ts";
import { SETTINGS } from "./settings/settings.ts";
import { problems } from "./settings/test-settings.ts";

const SECRET = "unit-test-secret-0123456789-abcdefghij";
const OTHER_SECRET = "other-test-secret-0123456789-abcdefghij";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "spanward-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("gives every setting its default when nothing is set, and takes an empty or blank variable for unset", () => {
	const config = readConfig({ SERVICE_PORT: "", SERVICE_ENABLE_AUTH: "  ", SERVICE_SECRET: "" });
	expect(config.SERVICE_PORT).toBe(6006);
	expect(config.SERVICE_ENABLE_AUTH).toBe(false);
	expect(config.OAUTH2_PROVIDERS).toEqual([]);
	expect(Object.keys(config).sort()).toEqual([...Object.keys(SETTINGS), "OAUTH2_PROVIDERS"].sort());
});

test("reads numbers, switches, paths and lists, trimmed", () => {
	const config = readConfig({
		SERVICE_PORT: " 8080\n",
		SERVICE_ENABLE_PROMETHEUS: "TRUE",
		SERVICE_ENABLE_TEXT_INDEX: "False",
		SERVICE_HOST_ROOT_PATH: "/traces",
		SERVICE_ROOT_URL: "https://Example.com/traces/",
		SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: "0.5",
		SERVICE_CSRF_TRUSTED_ORIGINS: "https://Good.example:443/, http://localhost:8080 ,",
		SERVICE_TRUSTED_PROXIES: "10.0.0.0/8,::1,fd00::/8",
	});
	expect(config).toMatchObject({
		SERVICE_PORT: 8080,
		SERVICE_ENABLE_PROMETHEUS: true,
		SERVICE_ENABLE_TEXT_INDEX: false,
		SERVICE_HOST_ROOT_PATH: "/traces",
		SERVICE_ROOT_URL: "https://example.com/traces",
		SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: 0.5,
		SERVICE_CSRF_TRUSTED_ORIGINS: ["https://good.example", "http://localhost:8080"],
		SERVICE_TRUSTED_PROXIES: ["10.0.0.0/8", "::1", "fd00::/8"],
	});
});

test("splits the admin list at semicolons and at the last equals sign, and folds addresses", () => {
	const { SERVICE_ADMINS } = readConfig({ SERVICE_ADMINS: " a=b=Ann@Example.com ; bob=bob@example.com;; " });
	expect(SERVICE_ADMINS).toEqual([
		{ username: "a=b", email: "ann@example.com" },
		{ username: "bob", email: "bob@example.com" },
	]);
});

test("names every wrong variable at once, with what it is and what it must be", () => {
	const found = problems({
		SERVICE_PORT: "65536",
		SERVICE_ENABLE_PROMETHEUS: "maybe",
		SERVICE_HOST_ROOT_PATH: "traces",
	});
	expect(found).toHaveLength(3);
	expect(found.join("\n")).toMatch(/SERVICE_PORT must be a port, a whole number from 0 to 65535 \(it is "65536"\)/);
	expect(found.join("\n")).toMatch(/SERVICE_ENABLE_PROMETHEUS must be true or false.* \(it is "maybe"\)/);
	expect(found.join("\n")).toMatch(/SERVICE_HOST_ROOT_PATH must start with \//);
});

test.each([
	["SERVICE_ENABLE_AUTH", ["1", "yes", "on", "truee", "tru e"]],
	["SERVICE_PORT", ["-1", "1e3", "0x50", "80.5", "NaN", "Infinity", "+80", "٣", "65536"]],
	["SERVICE_SMTP_PORT", ["0", "70000"]],
	[
		"SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES",
		["0", "0.0", "-1", "1e1", "0x10", "NaN", "Infinity", ".5", "1,5", "9".repeat(400)],
	],
	["SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES", ["0", "1441", "1440.1"]],
	["SERVICE_SESSION_MAX_DAYS", ["0", "-1"]],
	["SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS", ["0", "-5", "2.5", "five"]],
	[
		"SERVICE_CSRF_TRUSTED_ORIGINS",
		[
			"example.com",
			"https://",
			"https://a.example/path",
			"ftp://a.example",
			"null",
			"https://a.example?x",
			"https://u@a.example",
			"*",
			"https://*.example",
		],
	],
	["SERVICE_ALLOWED_ORIGINS", ["*", "https://a.example,*"]],
	["SERVICE_HOST_ROOT_PATH", ["traces", "/traces/", "/", "//", "/a//b", "/a/../b", "/a b", "/a?b"]],
	[
		"SERVICE_ROOT_URL",
		[
			"example.com",
			"ftp://example.com",
			"https://",
			"https:example.com",
			"https://u:p@example.com",
			"https://example.com?x=1",
			"https://example.com#x",
			"https://example.com/other",
		],
	],
	["SERVICE_MANAGEMENT_URL", ["javascript:alert(1)", "example.com", "//example.com", "https://a.example\\@b.example"]],
	["SERVICE_SUPPORT_EMAIL", ["nobody", "a@b", "a b@example.com", "a@example.com,b@example.com"]],
	["SERVICE_SMTP_MAIL_FROM", ["nobody", "a@b@c.example", "a\r\nBcc: x@example.com"]],
	["SERVICE_COOKIES_PATH", ["traces", "/traces", "/a;Domain=x", "/traces/"]],
	[
		"SERVICE_TRUSTED_PROXIES",
		["10.0.0.0/33", "::1/129", "example.com", "10.0.0", "10.0.0.0/", "fe80::1%eth0", "10.0.0.1/8/8"],
	],
	[
		"SERVICE_ADMINS",
		[
			"ann",
			"=ann@example.com",
			"ann=nobody",
			"ann=a@example.com;bob=A@EXAMPLE.com",
			"Ann=a@example.com;ann=b@example.com",
		],
	],
	["SERVICE_MAX_SPANS_QUEUE_SIZE", ["0"]],
	["SERVICE_DEFAULT_RETENTION_POLICY_DAYS", ["-1"]],
	["SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE", ["101", "-1"]],
	["SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES", ["0", "-1"]],
])("%s refuses what it must, naming itself", (name, values) => {
	for (const value of values) {
		const found = problems({ [name]: value });
		expect(found, `${name}=${value}`).toHaveLength(1);
		expect(found[0]).toContain(name);
	}
});

describe("secrets", () => {
	test.each([
		["short1", /at least 32 characters/],
		["ABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789", /a lower-case letter/],
		["abcdefghijklmnopqrstuvwxyz-abcdefghijk", /a digit/],
		["abcdefghijklmnopq rstuvwxyz-0123456789", /no white space/],
		["abcdefghijklmnöpqrstuvwxyz-0123456789", /ASCII/],
		["SHORT ONE", /at least 32 characters, have no white space, have a digit, have a lower-case letter/],
	])("%s is refused with every unmet rule and never shown", (secret, message) => {
		for (const name of ["SERVICE_SECRET", "SERVICE_ADMIN_SECRET"]) {
			const found = problems({ SERVICE_SECRET: SECRET, [name]: secret });
			expect(found.join("\n")).toMatch(message);
			expect(found.join("\n")).toContain(name);
			expect(found.join("\n")).not.toContain(secret);
		}
	});

	test("are checked while authentication is off", () => {
		expect(problems({ SERVICE_SECRET: "short" })).toHaveLength(1);
	});

	test("are read from files, and a variable set twice is refused", () => {
		const file = join(folder, "secret");
		writeFileSync(file, `${SECRET}\n`);
		expect(readConfig({ SERVICE_SECRET_FILE: file }).SERVICE_SECRET?.reveal()).toBe(SECRET);
		expect(problems({ SERVICE_SECRET_FILE: file, SERVICE_SECRET: OTHER_SECRET })).toEqual([
			"SERVICE_SECRET and SERVICE_SECRET_FILE are both set; keep one of them",
		]);
	});

	test("of files that cannot be used are reported with file and reason, and cause no further problems", () => {
		const empty = join(folder, "empty");
		const large = join(folder, "large");
		const binary = join(folder, "binary");
		writeFileSync(empty, " \n");
		writeFileSync(large, "a1".repeat(40_000));
		writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x80]));
		const reasons: readonly (readonly [string, RegExp])[] = [
			[join(folder, "absent"), /does not exist/],
			[folder, /is not a file/],
			[empty, /is empty/],
			[large, /larger than 65536 bytes/],
			[binary, /not UTF-8 text/],
		];
		for (const [file, reason] of reasons) {
			const found = problems({ SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET_FILE: file });
			expect(found).toHaveLength(1);
			expect(found[0]).toMatch(/^SERVICE_SECRET_FILE: the file /);
			expect(found[0]).toMatch(reason);
		}
	});

	test("former ones may have commas, as the current one may", () => {
		const { SERVICE_SECRET_PREVIOUS } = readConfig({ SERVICE_SECRET: SECRET, SERVICE_SECRET_PREVIOUS: "a,b" });
		expect(SERVICE_SECRET_PREVIOUS.map((secret) => secret.reveal())).toEqual(["a", "b", "a,b"]);
	});

	test("show in no dump of the settings, and leave the environment", () => {
		const environment: Record<string, string | undefined> = { SERVICE_SECRET: SECRET, SERVICE_PORT: "1" };
		const config = readConfig(environment);
		expect(
			`${inspect(config, { depth: 9, showHidden: true })}${JSON.stringify(config)}${config.SERVICE_SECRET}`,
		).not.toContain(SECRET);
		forgetSecrets(environment);
		expect(environment).toEqual({ SERVICE_PORT: "1" });
	});
});

test("E02 leaves libraries that speak to models nothing in the environment", () => {
	const environment = {
		...{ OPENAI_API_KEY: "key", OPENAI_BASE_URL: "", ANTHROPIC_BASE_URL: " ", GOOGLE_GENERATIVE_AI_API_KEY: "key" },
		...{ AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: "key", PATH: "/bin", SERVICE_PORT: "1" },
	};
	forgetLibraryVariables(environment);
	expect(environment).toEqual({ PATH: "/bin", SERVICE_PORT: "1" });
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
	["authentication without a secret", { SERVICE_ENABLE_AUTH: "true" }, /SERVICE_ENABLE_AUTH.*SERVICE_SECRET/],
	[
		"an admin secret alone",
		{ SERVICE_ADMIN_SECRET: SECRET },
		/SERVICE_ADMIN_SECRET must not be set unless SERVICE_SECRET is/,
	],
	[
		"equal secrets",
		{ SERVICE_SECRET: SECRET, SERVICE_ADMIN_SECRET: ` ${SECRET}` },
		/must be different from SERVICE_SECRET/,
	],
	[
		"an admin secret that was the secret",
		{ SERVICE_SECRET: SECRET, SERVICE_SECRET_PREVIOUS: OTHER_SECRET, SERVICE_ADMIN_SECRET: OTHER_SECRET },
		/SERVICE_SECRET_PREVIOUS/,
	],
	[
		"an access token that outlives the refresh token",
		{ SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: "60", SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: "60" },
		/SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES \(60\) must be less than SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES/,
	],
	[
		"cookies for another path",
		{ SERVICE_HOST_ROOT_PATH: "/traces", SERVICE_COOKIES_PATH: "/tra" },
		/SERVICE_COOKIES_PATH.*SERVICE_HOST_ROOT_PATH/,
	],
	[
		"a root address with another path",
		{ SERVICE_HOST_ROOT_PATH: "/a", SERVICE_ROOT_URL: "https://x.example/b" },
		/SERVICE_ROOT_URL.*SERVICE_HOST_ROOT_PATH/,
	],
	[
		"passwords off and nothing else",
		{ SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: SECRET, SERVICE_DISABLE_BASIC_AUTH: "true" },
		/SERVICE_DISABLE_BASIC_AUTH.*SERVICE_OAUTH2_.*SERVICE_LDAP_HOST/,
	],
	[
		"a mail server without a user",
		{ SERVICE_SMTP_HOSTNAME: "mail.example.com", SERVICE_SMTP_PASSWORD: "x" },
		/SERVICE_SMTP_HOSTNAME needs SERVICE_SMTP_USERNAME;/,
	],
	[
		"a mail server without a password",
		{ SERVICE_SMTP_HOSTNAME: "mail.example.com", SERVICE_SMTP_USERNAME: "x" },
		/SERVICE_SMTP_HOSTNAME needs SERVICE_SMTP_PASSWORD;/,
	],
	[
		"two cloud identities",
		{ SERVICE_POSTGRES_USE_AWS_IAM_AUTH: "true", SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY: "true" },
		/SERVICE_POSTGRES_USE_AWS_IAM_AUTH and SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY/,
	],
	[
		"a password beside a cloud identity",
		{ SERVICE_POSTGRES_USE_AWS_IAM_AUTH: "true", SERVICE_POSTGRES_PASSWORD: "x" },
		/SERVICE_POSTGRES_PASSWORD must be unset/,
	],
	[
		"a database user without a password",
		{ SERVICE_POSTGRES_HOST: "db", SERVICE_POSTGRES_USER: "x" },
		/needs SERVICE_POSTGRES_PASSWORD/,
	],
])("refuses %s", (_, environment, message) => {
	const found = problems(environment);
	expect(found).toHaveLength(1);
	expect(found[0]).toMatch(message);
	expect(found[0]).not.toContain(SECRET);
});

test("accepts values that only look wrong", () => {
	const right = [
		{ SERVICE_HOST_ROOT_PATH: "/a/b", SERVICE_COOKIES_PATH: "/a", SERVICE_ROOT_URL: "https://x.example" },
		{ SERVICE_SMTP_HOSTNAME: "127.0.0.1" },
		{ SERVICE_SMTP_HOSTNAME: "mail.example.com", SERVICE_SMTP_TLS_MODE: "none" },
		{ SERVICE_DISABLE_BASIC_AUTH: "true" },
		{ SERVICE_ROOT_URL: "http://[::1]:8080/" },
	];
	for (const environment of right) expect(problems(environment)).toEqual([]);
});

test("explains a port that Kubernetes has set", () => {
	expect(problems({ SERVICE_PORT: "tcp://10.0.0.7:6006" })[0]).toMatch(
		/SERVICE_PORT was set by Kubernetes.*enableServiceLinks/,
	);
});

test("hides a password in an address that it shows", () => {
	const [found] = problems({ SERVICE_ROOT_URL: "https://me:hunter2@example.com" });
	expect(found).toContain("SERVICE_ROOT_URL");
	expect(found).not.toContain("hunter2");
});

test("shows no characters that act on a terminal", () => {
	expect(problems({ SERVICE_ENABLE_AUTH: "\u001b[31m\u202e\r\nx" })[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("warns about variables that are not settings, with the nearest one, and not about those of clients and Kubernetes", () => {
	const environment = {
		SERVICE_PORTT: "8080",
		SERVICE_ENABLE_AUTHENTICATION: "true",
		SERVICE_SOMETHING_ELSE_ENTIRELY: "secret value",
		SERVICE_MASK_INTERNAL_SERVER_ERRORS: "false",
		SERVICE_MAX_SPANS_QUEUE_SIZE: "30",
		SERVICE_API_KEY: "sw_u_x",
		SERVICE_CLIENT_HEADERS: "a=b",
		SERVICE_COLLECTOR_ENDPOINT: "http://localhost:6006",
		SERVICE_SERVICE_HOST: "10.0.0.1",
		SERVICE_PORT_6006_TCP_ADDR: "10.0.0.1",
		SERVICE_MAIL_PORT: "tcp://10.0.0.1:25",
		PATH: "/bin",
		KUBERNETES_SERVICE_HOST: "10.0.0.1",
	};
	const warnings = settingWarnings(readConfig(environment), environment);
	expect(warnings).toEqual([
		"SERVICE_PORTT is not a setting of this version and has no effect; did you mean SERVICE_PORT?",
		"SERVICE_ENABLE_AUTHENTICATION is not a setting of this version and has no effect",
		"SERVICE_SOMETHING_ELSE_ENTIRELY is not a setting of this version and has no effect",
		expect.stringMatching(/^SERVICE_MASK_INTERNAL_SERVER_ERRORS has no effect: internal errors are always masked/),
		"SERVICE_MAX_SPANS_QUEUE_SIZE is recognized, but this version ignores it",
	]);
});

test("takes thresholds of the storage only with its capacity", () => {
	const thresholds = {
		SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE: "80",
		SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE: "90.5",
	};
	for (const name of Object.keys(thresholds)) {
		expect(() => readConfig(thresholds)).toThrow(`${name} needs SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES`);
	}
	const limited = { ...thresholds, SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: "0.5" };
	expect(readConfig(limited)).toMatchObject({
		SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: 0.5,
		SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE: 90.5,
	});
	expect(settingWarnings(readConfig(limited), limited)).toEqual([
		expect.stringMatching(/EMAIL_WARNING_THRESHOLD_PERCENTAGE sends no mails: SERVICE_SMTP_HOSTNAME is not set/),
	]);
});

test("warns of mails without an address to link to, of secure cookies left off, and of everybody let in", () => {
	const warningsOf = (environment: Readonly<Record<string, string>>) =>
		settingWarnings(readConfig(environment), environment).join("\n");
	const open = { SERVICE_HOST: "0.0.0.0", SERVICE_ENABLE_AUTH: "false" };
	expect(warningsOf({ SERVICE_SMTP_HOSTNAME: "127.0.0.1", ...open })).toMatch(/SERVICE_ROOT_URL/);
	expect(
		warningsOf({ SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: SECRET, SERVICE_ROOT_URL: "https://x.example" }),
	).toMatch(/SERVICE_USE_SECURE_COOKIES/);
	expect(warningsOf(open)).toMatch(/authentication is off/);
	expect(warningsOf({ PHOENIX_ENABLE_AUTH: "True" })).toMatch(
		/^PHOENIX_ENABLE_AUTH has no effect: set SERVICE_ENABLE_AUTH/,
	);
	expect(warningsOf({ SERVICE_ADMINS: "ann=ann@example.com" })).toBe(
		"SERVICE_ADMINS has no effect: SERVICE_ENABLE_AUTH is not true",
	);
	expect(warningsOf({})).toBe("");
});

describe("on an address that other machines reach", () => {
	const hosts = ["0.0.0.0", "::", "192.0.2.7", "spanward", "127.0.0.1.example.com", "localhost.example.com"];

	test.each(hosts)("%s: whether credentials are asked for has to be written out", (host) => {
		for (const unset of [{}, { SERVICE_ENABLE_AUTH: "" }, { SERVICE_ENABLE_AUTH: "  " }]) {
			const found = problems({ SERVICE_HOST: host, ...unset });
			expect(found).toHaveLength(1);
			expect(found[0]).toContain(`SERVICE_HOST=${host}`);
			expect(found[0]).toContain("SERVICE_ENABLE_AUTH=true");
			expect(found[0]).toContain("SERVICE_ENABLE_AUTH=false");
		}
		expect(problems({ SERVICE_HOST: host, SERVICE_ENABLE_AUTH: "false" })).toEqual([]);
		expect(problems({ SERVICE_HOST: host, SERVICE_ENABLE_AUTH: "TRUE", SERVICE_SECRET: SECRET })).toEqual([]);
	});

	test("it is reported once, together with the other problems", () => {
		expect(problems({ SERVICE_HOST: "0.0.0.0", SERVICE_PORT: "x" })).toHaveLength(2);
		expect(problems({ SERVICE_HOST: "0.0.0.0", SERVICE_ENABLE_AUTH: "yes" })).toEqual([
			expect.stringContaining("SERVICE_ENABLE_AUTH"),
		]);
	});

	test("a command that opens no port need not say so", () => {
		expect(readConfig({ SERVICE_HOST: "0.0.0.0" }, { listens: false }).SERVICE_ENABLE_AUTH).toBe(false);
	});
});

test.each(["127.0.0.1", "127.8.9.10", "::1", "localhost", "LOCALHOST"])(
	"%s does not require a decision about authentication",
	(host) => {
		expect(problems({ SERVICE_HOST: host })).toEqual([]);
	},
);

test.each([
	[{}, "noreply@localhost"],
	[
		{ SERVICE_ROOT_URL: "https://traces.example.com:8443/a", SERVICE_HOST_ROOT_PATH: "/a" },
		"noreply@traces.example.com",
	],
	[{ SERVICE_ROOT_URL: "http://localhost:6006" }, "noreply@localhost"],
	[{ SERVICE_ROOT_URL: "http://app.localhost" }, "noreply@localhost"],
	[{ SERVICE_ROOT_URL: "http://192.0.2.7" }, "noreply@localhost"],
	[{ SERVICE_ROOT_URL: "http://[2001:db8::7]" }, "noreply@localhost"],
	[{ SERVICE_ROOT_URL: "http://spanward" }, "noreply@localhost"],
	[{ SERVICE_ROOT_URL: "https://traces.example.com", SERVICE_SMTP_MAIL_FROM: "a@example.com" }, "a@example.com"],
])("with %j mails come from %s", (environment, sender) => {
	expect(mailSender(readConfig(environment))).toBe(sender);
});

test("warns of a sender that mail servers refuse, unless the mail server is this machine's own", () => {
	const smtp = { SERVICE_SMTP_HOSTNAME: "smtp.example.com", SERVICE_SMTP_USERNAME: "u", SERVICE_SMTP_PASSWORD: "p" };
	const warningsOf = (environment: Readonly<Record<string, string>>) =>
		settingWarnings(readConfig(environment), environment).join("\n");
	expect(warningsOf(smtp)).toMatch(/mails come from noreply@localhost.*SERVICE_SMTP_MAIL_FROM.*SERVICE_ROOT_URL/);
	expect(warningsOf({ ...smtp, SERVICE_ROOT_URL: "http://traces.example.com" })).toBe("");
	expect(warningsOf({ ...smtp, SERVICE_SMTP_HOSTNAME: "127.0.0.1" })).toBe("");
});
