import { isLoopback } from "../loopback.ts";
import { type Check, when } from "./check.ts";
import { CLICKHOUSE_NAMES, CLICKHOUSE_VOLUME_NAMES, readClickHouse, volumeProblems } from "./clickhouse.ts";
import { LDAP_CHECKS } from "./ldap-checks.ts";
import { POSTGRES_NAMES, readPostgres } from "./postgres.ts";
import { SELF_TRACING_CHECK } from "./self-tracing.ts";
import { shown } from "./setting.ts";
import type { Config } from "./settings.ts";
import { parseCertificates, readPem, readTls } from "./tls-material.ts";

const CHECKS: readonly Check[] = [
	{
		uses: ["SERVICE_ENABLE_AUTH", "SERVICE_SECRET"],
		problems: (config) =>
			when(
				config.SERVICE_ENABLE_AUTH && config.SERVICE_SECRET === null,
				"SERVICE_ENABLE_AUTH=true needs SERVICE_SECRET: openssl rand -hex 32 generates one",
			),
	},
	{
		uses: ["SERVICE_ADMIN_SECRET", "SERVICE_SECRET"],
		problems: ({ SERVICE_ADMIN_SECRET: admin, SERVICE_SECRET: secret }) => [
			...when(admin !== null && secret === null, "SERVICE_ADMIN_SECRET must not be set unless SERVICE_SECRET is"),
			...when(
				admin !== null && admin.reveal() === secret?.reveal(),
				"SERVICE_ADMIN_SECRET must be different from SERVICE_SECRET",
			),
		],
	},
	{
		uses: ["SERVICE_ADMIN_SECRET", "SERVICE_SECRET_PREVIOUS"],
		problems: ({ SERVICE_ADMIN_SECRET: admin, SERVICE_SECRET_PREVIOUS: previous }) =>
			when(
				admin !== null && previous.some((secret) => secret.reveal() === admin.reveal()),
				"SERVICE_ADMIN_SECRET must be different from those in SERVICE_SECRET_PREVIOUS",
			),
	},
	{
		uses: ["SERVICE_SECRET_PREVIOUS", "SERVICE_SECRET"],
		problems: (config) =>
			when(
				config.SERVICE_SECRET_PREVIOUS.length > 0 && config.SERVICE_SECRET === null,
				"SERVICE_SECRET_PREVIOUS must not be set unless SERVICE_SECRET is",
			),
	},
	{
		uses: ["SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES", "SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES"],
		problems: ({ SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: access, SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: refresh }) =>
			when(
				access >= refresh,
				`SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES (${access}) must be less than SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES (${refresh})`,
			),
	},
	{
		uses: ["SERVICE_COOKIES_PATH", "SERVICE_HOST_ROOT_PATH"],
		problems: ({ SERVICE_COOKIES_PATH: path, SERVICE_HOST_ROOT_PATH: root }) =>
			when(
				path !== null && !isPathAbove(path, root),
				`SERVICE_COOKIES_PATH must be ${root === "" ? "/" : `SERVICE_HOST_ROOT_PATH (${root}) or a path above it`}: otherwise browsers would not send the cookies (it is ${shown(path ?? "")})`,
			),
	},
	{
		uses: ["SERVICE_ROOT_URL", "SERVICE_HOST_ROOT_PATH"],
		problems: ({ SERVICE_ROOT_URL: url, SERVICE_HOST_ROOT_PATH: root }) => {
			const path = url === null ? "" : new URL(url).pathname.replace(/\/$/, "");
			return when(
				path !== "" && path !== root,
				`SERVICE_ROOT_URL has the path ${shown(path)} and SERVICE_HOST_ROOT_PATH is ${root === "" ? "unset" : shown(root)}: they must be equal, or SERVICE_ROOT_URL must have no path`,
			);
		},
	},
	{
		uses: ["SERVICE_ENABLE_AUTH", "SERVICE_DISABLE_BASIC_AUTH", "SERVICE_LDAP_HOST", "OAUTH2_PROVIDERS"],
		problems: (config) =>
			when(
				config.SERVICE_ENABLE_AUTH &&
					config.SERVICE_DISABLE_BASIC_AUTH &&
					config.OAUTH2_PROVIDERS.length === 0 &&
					config.SERVICE_LDAP_HOST.length === 0,
				"SERVICE_DISABLE_BASIC_AUTH=true leaves no way to sign in: set up an OAuth2 provider (SERVICE_OAUTH2_<IDP>_CLIENT_ID, SERVICE_OAUTH2_<IDP>_CLIENT_SECRET and SERVICE_OAUTH2_<IDP>_OIDC_CONFIG_URL) or LDAP (SERVICE_LDAP_HOST), or unset SERVICE_DISABLE_BASIC_AUTH",
			),
	},
	{
		uses: [
			"SERVICE_SMTP_HOSTNAME",
			"SERVICE_SMTP_USERNAME",
			"SERVICE_SMTP_PASSWORD",
			"SERVICE_SMTP_TLS_MODE",
			"SERVICE_SMTP_CA_CERT_FILE",
		],
		problems: smtpProblems,
	},
	{
		uses: [
			"SERVICE_TLS_ENABLED",
			"SERVICE_TLS_ENABLED_FOR_HTTP",
			"SERVICE_TLS_ENABLED_FOR_GRPC",
			"SERVICE_TLS_CERT_FILE",
			"SERVICE_TLS_KEY_FILE",
			"SERVICE_TLS_KEY_FILE_PASSWORD",
			"SERVICE_TLS_CA_FILE",
			"SERVICE_TLS_VERIFY_CLIENT",
		],
		problems: (config) => readTls(config).problems,
	},
	{ uses: POSTGRES_NAMES, problems: (config) => readPostgres(config).problems },
	{ uses: CLICKHOUSE_NAMES, problems: (config) => readClickHouse(config).problems },
	{ uses: CLICKHOUSE_VOLUME_NAMES, problems: volumeProblems },
	SELF_TRACING_CHECK,
	{
		uses: ["SERVICE_OUTGOING_CA_CERT_FILE"],
		problems: (config) => authorityProblems("SERVICE_OUTGOING_CA_CERT_FILE", config.SERVICE_OUTGOING_CA_CERT_FILE),
	},
	...LDAP_CHECKS,
	{
		uses: [
			"SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES",
			"SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE",
			"SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE",
		],
		problems: capacityProblems,
	},
];

/**
 * Problems between settings that are each right by themselves.
 * @param failed names of the settings that are wrong by themselves
 */
export function checkTogether(config: Config, failed: ReadonlySet<string>): readonly string[] {
	return CHECKS.filter(({ uses }) => !uses.some((name) => failed.has(name))).flatMap(({ problems }) =>
		problems(config),
	);
}

/** Whether cookies of `path` are sent to `root` and below. */
function isPathAbove(path: string, root: string): boolean {
	return path === "/" || path === root || root.startsWith(`${path}/`);
}

function authorityProblems(name: string, path: string | null): string[] {
	const problems: string[] = [];
	const ca = readPem(name, path, problems);
	if (ca !== undefined) parseCertificates(name, ca, problems);
	return problems;
}

function smtpProblems(config: Config): readonly string[] {
	const { SERVICE_SMTP_HOSTNAME: host, SERVICE_SMTP_USERNAME: user, SERVICE_SMTP_PASSWORD: password } = config;
	const problems = authorityProblems("SERVICE_SMTP_CA_CERT_FILE", config.SERVICE_SMTP_CA_CERT_FILE);
	if (host === null) return problems;
	const mayBeAnonymous =
		user === null && password === null && (config.SERVICE_SMTP_TLS_MODE === "none" || isLoopback(host));
	if (mayBeAnonymous) return problems;
	const missing = [user === null ? ["SERVICE_SMTP_USERNAME"] : [], password === null ? ["SERVICE_SMTP_PASSWORD"] : []];
	if (missing.flat().length > 0) {
		problems.push(
			`SERVICE_SMTP_HOSTNAME needs ${missing.flat().join(" and ")}; both may be unset only for a mail server on this machine or with SERVICE_SMTP_TLS_MODE=none`,
		);
	}
	return problems;
}

function capacityProblems(config: Config): readonly string[] {
	if (config.SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES !== null) return [];
	return (
		[
			"SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE",
			"SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE",
		] as const
	).flatMap((name) =>
		when(config[name] !== null, `${name} needs SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES`),
	);
}
