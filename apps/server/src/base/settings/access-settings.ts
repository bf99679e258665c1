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
		"Ask for credentials on every call; needs SERVICE_SECRET. Has to be written out, true or false, where SERVICE_HOST is no loopback address.",
	),
	SERVICE_SECRET: setting<SecretText | null>(
		strongSecret,
		null,
		"Secret that tokens are signed and stored secrets are encrypted with: at least 32 printable ASCII characters, a digit and a lower-case letter among them, no white space.",
		{ secret: true },
	),
	SERVICE_SECRET_PREVIOUS: setting<readonly SecretText[]>(
		formerSecrets,
		[],
		"Former values of SERVICE_SECRET, separated by commas: still good to verify and decrypt with, so that it can be replaced.",
		{ secret: true },
	),
	SERVICE_ADMIN_SECRET: setting<SecretText | null>(
		strongSecret,
		null,
		"Bearer token that acts as the system with an admin's rights; rules as SERVICE_SECRET, and different from it.",
		{ secret: true },
	),
	SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD: setting<SecretText | null>(
		secret,
		null,
		"First password of admin@localhost, read when that account is created and never again. While the account has the default, it logs in on the server's own machine alone.",
		{ secret: true, defaultText: "admin" },
	),
	SERVICE_ADMINS: setting<readonly AdminEntry[]>(
		adminList,
		[],
		"Accounts created as admins at the start where neither name nor email exists: username=email pairs separated by semicolons.",
	),
	SERVICE_DISABLE_BASIC_AUTH: setting(boolean, false, "Refuse passwords: sign-in by OAuth2 or LDAP only."),
	SERVICE_MANAGEMENT_URL: setting<string | null>(
		webAddress,
		null,
		"Address of a hosting management interface, linked for the users of SERVICE_ADMINS.",
	),
	SERVICE_AUDIT_RETENTION_DAYS: setting(integer(1, 36_500), 365, "Days that entries of the audit log are kept."),
};

export const PASSWORDS = {
	SERVICE_ENFORCE_PASSWORD_RESET: setting(
		boolean,
		true,
		"Refuse everything but a new password to a user who has to set one; otherwise only the web app asks for it.",
	),
	SERVICE_ENABLE_STRONG_PASSWORD_POLICY: setting(
		boolean,
		false,
		"Passwords of at least 12 characters with upper and lower case, a digit and one of !@#$%^&*()_+, and none of the commonest.",
	),
	SERVICE_BRUTE_FORCE_LOGIN_PROTECTION_MAX_ATTEMPTS: setting(
		integer(1, 1_000_000),
		5,
		"Failed log-ins of an account before it is locked for 5 minutes.",
	),
	SERVICE_DISABLE_BRUTE_FORCE_LOGIN_PROTECTION: setting(boolean, false, "Never lock an account."),
	SERVICE_DISABLE_RATE_LIMIT: setting(boolean, false, "No limits by client address on log-in and password mails."),
	SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES: setting(
		minutes(MAX_RESET_MINUTES),
		15,
		"Life of the link in a password mail, in minutes.",
	),
};

export const SESSIONS = {
	SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: setting(
		minutes(),
		10,
		"Life of an access token in minutes; shorter than that of the refresh token.",
	),
	SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: setting(
		minutes(),
		10_080,
		"Life of a refresh token in minutes: how long a session lasts that nobody uses.",
	),
	SERVICE_SESSION_MAX_DAYS: setting<number | null>(
		decimal({ above: 0, to: 36_500, what: "a number of days" }),
		null,
		"Days after which a session ends however much it is used.",
		{ defaultText: "30, or the refresh token's life where that is longer" },
	),
};

export const CROSS_ORIGIN = {
	SERVICE_CSRF_TRUSTED_ORIGINS: setting<readonly string[]>(
		originList("must name origins; * would trust every page"),
		[],
		"Origins, separated by commas, that may send changes with a session cookie; unset: Origin and Referer are not looked at.",
	),
	SERVICE_ALLOWED_HOSTS: setting<readonly string[]>(
		hostList,
		[],
		"Host names and addresses, separated by commas, under which requests are taken while authentication is off, besides localhost, that of SERVICE_HOST and that of SERVICE_ROOT_URL; *.example.com is every name below it.",
	),
	SERVICE_ALLOWED_ORIGINS: setting<readonly string[]>(
		originList("must name origins: * is not allowed together with credentials, every page could act as its visitor"),
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
	SERVICE_SMTP_HOSTNAME: setting<string | null>(text, null, "Mail server; without it no mails are sent."),
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
		"How mails are encrypted on the way.",
		{ defaultText: "tls on port 465, else starttls" },
	),
	SERVICE_SMTP_CA_CERT_FILE: setting<string | null>(text, null, "PEM file of the authority of the mail server."),
	SERVICE_SUPPORT_EMAIL: setting<string | null>(
		emailAddress,
		null,
		"Address that mails and error pages name for help.",
	),
};
