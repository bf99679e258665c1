import { isLoopback } from "../loopback.ts";
import { isNeverCalled } from "./address-kinds.ts";
import { warnOfClickHouse } from "./clickhouse.ts";
import { isMailDomain, isReachedByHttps, listenHost, listensOnLoopback, mailSender } from "./derived.ts";
import { readPostgres } from "./postgres.ts";
import { warnOfSelfTracing } from "./self-tracing.ts";
import type { Environment } from "./setting.ts";
import { type Config, PLANNED_SETTINGS } from "./settings.ts";
import { warnOfDirectory, warnOfProviders } from "./sign-in-warnings.ts";
import { warnOfSqliteUrl } from "./sqlite-url.ts";
import { readTls } from "./tls-material.ts";

/** Settings that suggest to whoever sets them that credentials are required. */
const ONLY_WITH_AUTHENTICATION = [
	"SERVICE_ADMIN_SECRET",
	"SERVICE_ADMIN_SECRET_FILE",
	"SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD",
	"SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD_FILE",
	"SERVICE_ADMINS",
	"SERVICE_DISABLE_BASIC_AUTH",
];

/** What an operator should know about settings that are valid but may not do what was meant. */
export function warnOfSettings(config: Config, environment: Environment): readonly string[] {
	const isSet = (name: string) => (environment[name]?.trim() ?? "") !== "";
	const planned = Object.keys(PLANNED_SETTINGS)
		.flatMap((name) => [name, `${name}_FILE`])
		.filter(isSet)
		.map((name) => `${name} is recognized, but this version ignores it`);
	const idle = config.SERVICE_ENABLE_AUTH
		? []
		: ONLY_WITH_AUTHENTICATION.filter(isSet).map((name) => `${name} has no effect: SERVICE_ENABLE_AUTH is not true`);
	return [
		...planned,
		...idle,
		...warnOfFormerName(config, environment),
		...warnOfProviders(config, isSet),
		...warnOfDirectory(config, isSet),
		...warnOfMail(config),
		...warnOfStorage(config),
		...warnOfExposure(config),
		...warnOfSqliteUrl(config, environment["SERVICE_SQL_DATABASE_URL"]),
		...readPostgres(config).warnings,
		...warnOfClickHouse(config, isSet),
		...warnOfSelfTracing(config),
		...warnOfNeverCalled(config),
		...readTls(config).warnings,
	];
}

function warnOfNeverCalled({ SERVICE_OUTGOING_ALLOWED_HOSTS: hosts }: Config): readonly string[] {
	return (hosts ?? [])
		.filter(isNeverCalled)
		.map((host) => `SERVICE_OUTGOING_ALLOWED_HOSTS lists ${host} without effect: such addresses are never called`);
}

/** People who come from Phoenix with its variables must not believe that credentials are required. */
function warnOfFormerName(config: Config, environment: Environment): readonly string[] {
	if (config.SERVICE_ENABLE_AUTH || environment["PHOENIX_ENABLE_AUTH"]?.trim().toLowerCase() !== "true") return [];
	return ["PHOENIX_ENABLE_AUTH has no effect: set SERVICE_ENABLE_AUTH=true and SERVICE_SECRET to require credentials"];
}

function warnOfMail(config: Config): readonly string[] {
	const needsUrl = config.SERVICE_SMTP_HOSTNAME !== null && config.SERVICE_ROOT_URL === null;
	const sender = mailSender(config);
	const isLocal = config.SERVICE_SMTP_HOSTNAME === null || isLoopback(config.SERVICE_SMTP_HOSTNAME);
	const refused =
		isLocal || isMailDomain(sender.slice(sender.lastIndexOf("@") + 1))
			? []
			: [
					`mails come from ${sender}, which most mail servers refuse: set SERVICE_SMTP_MAIL_FROM to an address in your domain, or SERVICE_ROOT_URL, whose host is the default`,
				];
	if (!needsUrl || listensOnLoopback(config)) return refused;
	return [
		...refused,
		"SERVICE_SMTP_HOSTNAME is set without SERVICE_ROOT_URL: mails that need a link are not sent, because only SERVICE_ROOT_URL says where it leads, and requests for a new password get 503",
	];
}

function warnOfStorage(config: Config): readonly string[] {
	const mails = config.SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE !== null;
	if (!mails || config.SERVICE_SMTP_HOSTNAME !== null) return [];
	return [
		"SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE sends no mails: SERVICE_SMTP_HOSTNAME is not set; the log and Settings show how full the storage is",
	];
}

function warnOfExposure(config: Config): readonly string[] {
	const warnings: string[] = [];
	if (!config.SERVICE_ENABLE_AUTH && !listensOnLoopback(config)) {
		warnings.push(
			`SERVICE_HOST=${listenHost(config)} lets other machines in while authentication is off: anybody who can reach it can read and delete everything; SERVICE_ENABLE_AUTH=true requires credentials`,
		);
	}
	if (config.SERVICE_ENABLE_AUTH && !config.SERVICE_USE_SECURE_COOKIES && isReachedByHttps(config)) {
		warnings.push(
			"SERVICE_USE_SECURE_COOKIES is not true although browsers use https: session cookies may also be sent unencrypted",
		);
	}
	if (config.SERVICE_TRUSTED_PROXIES.some((network) => /\/0+$/.test(network))) {
		warnings.push(
			"SERVICE_TRUSTED_PROXIES trusts every address: anybody who sends X-Forwarded-For can claim any address",
		);
	}
	return warnings;
}
