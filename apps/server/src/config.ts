import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { SecretText } from "./auth/secret-text.ts";

/** One setting: a row of the table below, a line of docs/settings.md. */
interface Setting<T> {
	readonly schema: z.ZodType<T>;
	/** What applies when the variable is unset or empty, in the words of the docs when it is not a plain value. */
	readonly default: T;
	readonly defaultText?: string;
	/** One sentence. */
	readonly text: string;
	/** Never printed; may come from a file named by `<NAME>_FILE`. */
	readonly secret?: boolean;
}

const boolean = z
	.string()
	.regex(/^(true|false)$/i, "must be true or false")
	.transform((text) => text.toLowerCase() === "true");
const integer = (min: number, max: number) =>
	z
		.string()
		.regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
		.transform(Number)
		.refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
const text = z.string();
const secret = text.transform((value) => new SecretText(value));
const minutes = z
	.string()
	.regex(/^\d+(\.\d+)?$/, "must be a number of minutes above 0")
	.transform(Number)
	.refine((value) => value > 0, "must be a number of minutes above 0");
/** Comma-separated; empty items count for nothing. */
const list = text.transform((value) =>
	value
		.split(",")
		.map((item) => item.trim())
		.filter((item) => item !== ""),
);

function setting<T>(
	schema: z.ZodType<T>,
	fallback: T,
	description: string,
	extra?: { secret?: boolean; defaultText?: string },
): Setting<T> {
	return { schema, default: fallback, text: description, ...extra };
}

/** Every setting. The name on the left is how the code says it, `variable` how the operator does. */
export const SETTINGS = {
	SERVICE_HOST: setting(text.min(1).nullable(), null, "Address to listen on, HTTP and gRPC alike.", {
		defaultText: "127.0.0.1",
	}),
	SERVICE_PORT: setting(integer(0, 65_535), 6006, "Port of HTTP: web app, REST and OTLP/HTTP. 0 takes a free one."),
	SERVICE_GRPC_PORT: setting(integer(0, 65_535), 4317, "Port of OTLP/gRPC. 0 takes a free one."),
	SERVICE_HOST_ROOT_PATH: setting(
		z
			.string()
			.regex(/^(\/[\w.~-]+)*\/?$/, "must be a path such as /traces")
			.transform((path) => path.replace(/\/$/, "")),
		"",
		"Path below which a proxy serves Spanward, such as /traces; works whether the proxy strips it or not.",
	),
	SERVICE_WORKING_DIR: setting(text.min(1), join(homedir(), ".spanward"), "Folder of the database.", {
		defaultText: "~/.spanward",
	}),
	SERVICE_PROJECT_NAME: setting(text.min(1).max(255), "default", "Project of spans that name none."),
	SERVICE_LOG_LEVEL: setting(
		z.enum(["debug", "info", "warn", "error"]),
		"info",
		"Least level of the messages that are logged, as JSON lines on standard error.",
	),
	SERVICE_ENABLE_PROMETHEUS: setting(boolean, false, "Serve counters of the service as Prometheus text on /metrics."),
	SERVICE_ENABLE_TEXT_INDEX: setting(
		boolean,
		true,
		"Keep a full-text index of spans, filled while the writer is idle; without it text search scans.",
	),
	SERVICE_OTLP_MAX_BODY_BYTES: setting(
		integer(1_024, 1_073_741_824),
		33_554_432,
		"Largest OTLP request on the wire, in bytes; a larger one answers 413.",
	),
	SERVICE_OTLP_MAX_INFLATED_BYTES: setting(
		integer(1_024, 1_073_741_824),
		50_331_648,
		"Largest OTLP request after inflating, in bytes; a larger one answers 413.",
	),
	SERVICE_OTLP_MAX_DEPTH: setting(
		integer(1, 100),
		64,
		"Deepest nesting of attribute values; a span with a deeper one is rejected.",
	),
	SERVICE_OTLP_MAX_ATTRIBUTES: setting(
		integer(1, 1_000_000),
		10_000,
		"Most attributes of a span, event, link, scope or resource, and most events and links of a span; further ones are dropped and counted.",
	),
	SERVICE_OTLP_MAX_ATTRIBUTE_BYTES: setting(
		integer(64, 1_073_741_824),
		16_777_216,
		"Longest attribute value in bytes; a longer one is cut and named in the attribute spanward.cut.",
	),
	SERVICE_INGEST_QUEUE_BYTES: setting(
		integer(1_048_576, 17_179_869_184),
		134_217_728,
		"Most bytes of accepted but not yet committed requests; beyond it requests answer 503 with Retry-After.",
	),
	SERVICE_INGEST_WORKERS: setting(integer(1, 16), 2, "Threads that decode and write spans."),
	SERVICE_DATABASE_READERS: setting(integer(1, 16), 2, "Threads that read the database."),
	SERVICE_MAX_JSON_BODY_BYTES: setting(
		integer(1_024, 1_073_741_824),
		33_554_432,
		"Largest JSON request of the REST API, in bytes; a larger one answers 413.",
	),
	SERVICE_ENABLE_AUTH: setting(boolean, false, "Ask for credentials on every call; needs SERVICE_SECRET."),
	SERVICE_SECRET: setting<SecretText | null>(
		secret,
		null,
		"Secret that tokens are signed and stored secrets are encrypted with: at least 32 characters, a digit and a lower-case letter among them.",
		{ secret: true },
	),
	SERVICE_SECRET_PREVIOUS: setting<readonly SecretText[]>(
		list.transform((items) => items.map((item) => new SecretText(item))),
		[],
		"Former values of SERVICE_SECRET, separated by commas: still good to verify and decrypt with, so that it can be replaced.",
		{ secret: true },
	),
	SERVICE_ADMIN_SECRET: setting<SecretText | null>(
		secret,
		null,
		"Bearer token that acts as the system with an admin's rights; rules as SERVICE_SECRET, and different from it.",
		{ secret: true },
	),
	SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: setting<SecretText | null>(
		secret,
		null,
		"First password of admin@localhost, read when that account is created and never again.",
		{ secret: true, defaultText: "admin" },
	),
	SERVICE_ENFORCE_PASSWORD_RESET: setting(
		boolean,
		true,
		"Refuse everything but a new password to a user who has to set one; otherwise only the web app asks for it.",
	),
	SERVICE_DISABLE_BASIC_AUTH: setting(boolean, false, "Refuse passwords: sign-in by OAuth2 or LDAP only."),
	SERVICE_ENABLE_STRONG_PASSWORD_POLICY: setting(
		boolean,
		false,
		"Passwords of at least 12 characters with upper and lower case, a digit and one of !@#$%^&*()_+, and none of the commonest.",
	),
	SERVICE_ADMINS: setting<readonly { readonly username: string; readonly email: string }[]>(
		z.never(),
		[],
		"Accounts created as admins at the start where neither name nor email exists: username=email pairs separated by semicolons.",
	),
	SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: setting(minutes, 10, "Life of an access token in minutes."),
	SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: setting(
		minutes,
		10_080,
		"Life of a refresh token in minutes: how long a session lasts that nobody uses.",
	),
	SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES: setting(minutes, 15, "Life of the link in a password mail, in minutes."),
	SERVICE_SESSION_MAX_DAYS: setting<number | null>(
		minutes,
		null,
		"Days after which a session ends however much it is used.",
		{ defaultText: "30, or the refresh token's life where that is longer" },
	),
	SERVICE_USE_SECURE_COOKIES: setting(boolean, false, "Let browsers send session cookies over https only."),
	SERVICE_COOKIES_PATH: setting<string | null>(text, null, "Path of the session cookies.", {
		defaultText: "SERVICE_HOST_ROOT_PATH, or /",
	}),
	SERVICE_CSRF_TRUSTED_ORIGINS: setting<readonly string[]>(
		list,
		[],
		"Origins, separated by commas, that may send changes with a session cookie; unset: Origin and Referer are not looked at.",
	),
	SERVICE_ALLOWED_ORIGINS: setting<readonly string[]>(
		list,
		[],
		"Origins, separated by commas, whose pages may call the API with credentials (CORS).",
	),
	SERVICE_TRUSTED_PROXIES: setting<readonly string[]>(
		list,
		[],
		"Addresses or networks (CIDR) of proxies, separated by commas, whose X-Forwarded-For names the client.",
	),
	SERVICE_ROOT_URL: setting<string | null>(text, null, "Full address that browsers use, with a proxy's path."),
	SERVICE_MANAGEMENT_URL: setting<string | null>(
		text,
		null,
		"Address of a hosting management interface, linked for the users of SERVICE_ADMINS.",
	),
	SERVICE_SUPPORT_EMAIL: setting<string | null>(text, null, "Address that mails and error pages name for help."),
	SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS: setting(
		integer(1, 1_000_000),
		5,
		"Failed log-ins of an account before it is locked for 5 minutes.",
	),
	SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION: setting(boolean, false, "Never lock an account."),
	SERVICE_DISABLE_RATE_LIMIT: setting(boolean, false, "No limits by client address on log-in and password mails."),
	SERVICE_SMTP_HOSTNAME: setting<string | null>(text, null, "Mail server; without it no mails are sent."),
	SERVICE_SMTP_PORT: setting(integer(1, 65_535), 587, "Port of the mail server."),
	SERVICE_SMTP_USERNAME: setting<string | null>(text, null, "User at the mail server."),
	SERVICE_SMTP_PASSWORD: setting<SecretText | null>(secret, null, "Password at the mail server.", { secret: true }),
	SERVICE_SMTP_MAIL_FROM: setting(text, "noreply@localhost", "Sender of the mails."),
	SERVICE_SMTP_VALIDATE_CERTS: setting(boolean, true, "Check the mail server's certificate."),
	SERVICE_SMTP_TLS_MODE: setting<"starttls" | "tls" | "none" | null>(
		z.enum(["starttls", "tls", "none"], { error: "must be starttls, tls or none" }),
		null,
		"How mails are encrypted on the way.",
		{ defaultText: "tls on port 465, else starttls" },
	),
	SERVICE_SMTP_CA_CERT_FILE: setting<string | null>(text, null, "PEM file of the authority of the mail server."),
	SERVICE_TLS_ENABLED: setting(boolean, false, "Serve HTTP and gRPC over TLS."),
	SERVICE_TLS_ENABLED_FOR_HTTP: setting<boolean | null>(boolean, null, "Serve HTTP over TLS.", {
		defaultText: "SERVICE_TLS_ENABLED",
	}),
	SERVICE_TLS_ENABLED_FOR_GRPC: setting<boolean | null>(boolean, null, "Serve gRPC over TLS.", {
		defaultText: "SERVICE_TLS_ENABLED",
	}),
	SERVICE_TLS_CERT_FILE: setting<string | null>(text, null, "PEM file of the certificate, with its chain."),
	SERVICE_TLS_KEY_FILE: setting<string | null>(text, null, "PEM file of the private key."),
	SERVICE_TLS_KEY_FILE_PASSWORD: setting<SecretText | null>(secret, null, "Password of the private key.", {
		secret: true,
	}),
	SERVICE_TLS_CA_FILE: setting<string | null>(text, null, "PEM file of the authority of client certificates."),
	SERVICE_TLS_VERIFY_CLIENT: setting(boolean, false, "Ask clients for a certificate of SERVICE_TLS_CA_FILE."),
	SERVICE_AUDIT_RETENTION_DAYS: setting(integer(1, 36_500), 365, "Days that entries of the audit log are kept."),
} as const;

export type Config = {
	readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

export class ConfigError extends Error {
	override readonly name = "ConfigError";
	readonly problems: readonly string[];

	constructor(problems: readonly string[]) {
		super(`Spanward cannot start with these settings:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
		this.problems = problems;
	}
}

/**
 * Reads every setting from `environment`; an empty variable counts as unset.
 * @throws ConfigError naming every variable that is wrong, at once
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
	const problems: string[] = [];
	const config: Record<string, unknown> = {};
	for (const [name, { schema, default: fallback, secret }] of Object.entries<Setting<unknown>>(SETTINGS)) {
		const raw = readVariable(name, environment, secret ?? false, problems);
		if (raw === undefined) {
			config[name] = fallback;
			continue;
		}
		const parsed = schema.safeParse(raw);
		if (parsed.success) config[name] = parsed.data;
		else
			problems.push(
				`${name} ${parsed.error.issues.map((issue) => issue.message).join(", ")}${secret ? "" : ` (it is "${raw}")`}`,
			);
	}
	if (problems.length > 0) throw new ConfigError(problems);
	return config as Config;
}

/** Variables that look like settings and are none: misspelt, or of another version. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
	const known = new Set(
		Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { secret }]) =>
			secret ? [name, `${name}_FILE`] : [name],
		),
	);
	return Object.keys(environment).filter((name) => name.startsWith("SERVICE_") && !known.has(name));
}

function readVariable(
	name: string,
	environment: Readonly<Record<string, string | undefined>>,
	secret: boolean,
	problems: string[],
): string | undefined {
	const value = environment[name] || undefined;
	const file = secret ? environment[`${name}_FILE`] || undefined : undefined;
	if (file === undefined) return value;
	if (value !== undefined) {
		problems.push(`${name} and ${name}_FILE are both set; keep one`);
		return undefined;
	}
	try {
		return readFileSync(file, "utf8").trim();
	} catch (error) {
		problems.push(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`);
		return undefined;
	}
}
