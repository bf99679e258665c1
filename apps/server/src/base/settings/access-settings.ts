import type { SecretText } from "../secret-text.ts";
import { hostList, networkList, originList, webAddress } from "./address-kinds.ts";
import { setting } from "./setting.ts";
import {
	type AdminEntry,
	adminList,
	boolean,
	choice,
	decimal,
	emailAddress,
	formerSecrets,
	integer,
	minutes,
	port,
	secret,
	senderAddress,
	strongSecret,
	text,
} from "./value-kinds.ts";

const MAX_RESET_MINUTES = 1_440;

export const ACCESS = {
	SERVICE_ENABLE_AUTH: setting(
		boolean,
		false,
		"Require credentials on every call; needs SERVICE_SECRET. Has to be set explicitly, to true or false, if SERVICE_HOST is not a loopback address.",
	),
	SERVICE_SECRET: setting<SecretText | null>(
		strongSecret,
		null,
		"Secret that signs tokens and encrypts stored secrets: at least 32 printable ASCII characters, including a digit and a lower-case letter, without white space.",
		{ secret: true },
	),
	SERVICE_SECRET_PREVIOUS: setting<readonly SecretText[]>(
		formerSecrets,
		[],
		"Previous values of SERVICE_SECRET, separated by commas: still accepted for verifying and decrypting, so that SERVICE_SECRET can be replaced.",
		{ secret: true },
	),
	SERVICE_ADMIN_SECRET: setting<SecretText | null>(
		strongSecret,
		null,
		"Bearer token that acts as the system with an admin's rights; same rules as SERVICE_SECRET, but a different value.",
		{ secret: true },
	),
	SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: setting<SecretText | null>(
		secret,
		null,
		"Initial password of admin@localhost, read only when that account is created. While the account has the default password, it can log in only on the server's own machine.",
		{ secret: true, defaultText: "admin" },
	),
	SERVICE_ADMINS: setting<readonly AdminEntry[]>(
		adminList,
		[],
		"Admin accounts to create at the start, unless the name or email exists: username=email pairs separated by semicolons.",
	),
	SERVICE_DISABLE_BASIC_AUTH: setting(boolean, false, "Refuse passwords: sign-in with OAuth2 or LDAP only."),
	SERVICE_MANAGEMENT_URL: setting<string | null>(
		webAddress,
		null,
		"Address of a hosting management interface, shown as a link to the users of SERVICE_ADMINS.",
	),
	SERVICE_AUDIT_RETENTION_DAYS: setting(integer(1, 36_500), 365, "Days for which entries of the audit log are kept."),
};

export const POLICY = {
	SERVICE_DEFAULT_PROJECT_ACCESS: setting<"open" | "restricted" | null>(
		choice("open", "restricted"),
		null,
		"Whether everybody sees a new project, or only those with a grant. Set here, it cannot be changed in Settings → Access.",
		{ defaultText: "what Settings → Access says, else `open`" },
	),
	SERVICE_OPEN_ROLE_OF_MEMBERS: setting<"viewer" | "annotator" | "editor" | null>(
		choice("viewer", "annotator", "editor"),
		null,
		"What a MEMBER may do in projects that are open. Set here, it cannot be changed in Settings → Access.",
		{ defaultText: "what Settings → Access says, else `editor`" },
	),
	SERVICE_MEMBERS_CREATE_PROJECTS: setting<boolean | null>(
		boolean,
		null,
		"Whether a MEMBER may create projects, also by sending spans for a new name. Set here, it cannot be changed in Settings → Access.",
		{ defaultText: "what Settings → Access says, else `true`" },
	),
	SERVICE_MAX_API_KEY_DAYS: setting<number | null>(
		integer(1, 3_650),
		null,
		"Days after which a new API key expires at the latest. Set here, it cannot be changed in Settings → Access.",
		{ defaultText: "what Settings → Access says, else no end" },
	),
};

export const PASSWORDS = {
	SERVICE_ENFORCE_PASSWORD_RESET: setting(
		boolean,
		true,
		"Refuse everything except setting a new password while a user has to set one; otherwise only the web app asks for it.",
	),
	SERVICE_ENABLE_STRONG_PASSWORD_POLICY: setting(
		boolean,
		false,
		"Require passwords of at least 12 characters with upper and lower case, a digit and one of !@#$%^&*()_+, and refuse the most common ones.",
	),
	SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS: setting(
		integer(1, 1_000_000),
		5,
		"Number of failed log-ins before an account is locked for 5 minutes.",
	),
	SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION: setting(boolean, false, "Never lock an account."),
	SERVICE_DISABLE_RATE_LIMIT: setting(
		boolean,
		false,
		"Switch off the rate limits per client address on log-ins and password mails.",
	),
	SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES: setting(
		minutes(MAX_RESET_MINUTES),
		15,
		"Lifetime of the link in a password mail, in minutes.",
	),
};

export const SESSIONS = {
	SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: setting(
		minutes(),
		10,
		"Lifetime of an access token in minutes; must be shorter than that of the refresh token.",
	),
	SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: setting(
		minutes(),
		10_080,
		"Lifetime of a refresh token in minutes: how long an unused session lasts.",
	),
	SERVICE_SESSION_MAX_DAYS: setting<number | null>(
		decimal({ above: 0, to: 36_500, what: "a number of days" }),
		null,
		"Days after which a session ends, even if it is in use.",
		{ defaultText: "30, or the lifetime of the refresh token if that is longer" },
	),
};

export const CROSS_ORIGIN = {
	SERVICE_CSRF_TRUSTED_ORIGINS: setting<readonly string[]>(
		originList("must name origins; * would trust every page"),
		[],
		"Origins, separated by commas, that may send changes with a session cookie; if unset, Origin and Referer are not checked.",
	),
	SERVICE_ALLOWED_HOSTS: setting<readonly string[]>(
		hostList,
		[],
		"Further host names and addresses, separated by commas, under which requests are accepted while authentication is off, besides localhost and those of SERVICE_HOST and SERVICE_ROOT_URL; *.example.com means every name below it.",
	),
	SERVICE_ALLOWED_ORIGINS: setting<readonly string[]>(
		originList(
			"must name origins: * is not allowed together with credentials, because every page could act as its visitor",
		),
		[],
		"Origins, separated by commas, whose pages may call the API with credentials (CORS).",
	),
	SERVICE_TRUSTED_PROXIES: setting<readonly string[]>(
		networkList,
		[],
		"Addresses or networks (CIDR) of proxies, separated by commas, whose X-Forwarded-For names the client.",
	),
};

export const MAIL = {
	SERVICE_SMTP_HOSTNAME: setting<string | null>(text, null, "Mail server; without one, no mails are sent."),
	SERVICE_SMTP_PORT: setting(port(1), 587, "Port of the mail server."),
	SERVICE_SMTP_USERNAME: setting<string | null>(text, null, "User at the mail server."),
	SERVICE_SMTP_PASSWORD: setting<SecretText | null>(secret, null, "Password at the mail server.", { secret: true }),
	SERVICE_SMTP_MAIL_FROM: setting<string | null>(senderAddress, null, "Sender of the mails.", {
		defaultText: "noreply@ the host of SERVICE_ROOT_URL, or noreply@localhost",
	}),
	SERVICE_SMTP_VALIDATE_CERTS: setting(boolean, true, "Check the mail server's certificate."),
	SERVICE_SMTP_TLS_MODE: setting<"starttls" | "tls" | "none" | null>(
		choice("starttls", "tls", "none"),
		null,
		"How the connection to the mail server is encrypted.",
		{ defaultText: "tls on port 465, else starttls" },
	),
	SERVICE_SMTP_CA_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the CA certificate for the mail server.",
	),
	SERVICE_SUPPORT_EMAIL: setting<string | null>(
		emailAddress,
		null,
		"Address that mails and error pages name for help.",
	),
};
