import { homedir } from "node:os";
import { join } from "node:path";
import type { SecretText } from "../secret-text.ts";
import { cookiePath, rootPath, rootUrl } from "./address-kinds.ts";
import { setting } from "./setting.ts";
import { boolean, choice, decimal, integer, port, secret, text } from "./value-kinds.ts";

const percentage = decimal({ from: 0, to: 100, what: "a percentage" });

export const LISTENING = {
	SERVICE_HOST: setting<string | null>(text, null, "Address to listen on, for HTTP and gRPC.", {
		defaultText: "127.0.0.1, or 0.0.0.0 with authentication",
	}),
	SERVICE_PORT: setting(port(0), 6006, "Port for HTTP: web app, REST and OTLP/HTTP. 0 chooses a free one."),
	SERVICE_GRPC_PORT: setting(port(0), 4317, "Port for OTLP/gRPC. 0 chooses a free one."),
	SERVICE_HOST_ROOT_PATH: setting(
		rootPath,
		"",
		"Path below which a proxy serves Spanward, such as /traces; works whether or not the proxy strips it.",
	),
	SERVICE_ROOT_URL: setting<string | null>(
		rootUrl,
		null,
		"Full address that browsers use. Its path, if it has one, must be SERVICE_HOST_ROOT_PATH. Links in mails use it.",
	),
	SERVICE_LOG_LEVEL: setting<"debug" | "info" | "warn" | "error">(
		choice("debug", "info", "warn", "error"),
		"info",
		"Lowest level of the messages that are logged, as JSON lines on standard error.",
	),
	SERVICE_ENABLE_PROMETHEUS: setting(boolean, false, "Serve Prometheus metrics on /metrics."),
	SERVICE_ENABLE_MCP: setting(
		boolean,
		true,
		"Serve the tools of the Model Context Protocol on /mcp, for coding agents; what they may do is what their key may.",
	),
	SERVICE_DRAIN_SECONDS: setting<number | null>(
		integer(0, 5),
		null,
		"Seconds after SIGTERM during which requests are still accepted while /readyz already answers 503, so that a load balancer notices before the port is closed.",
		{ defaultText: "3 with PostgreSQL, else 0" },
	),
};

export const STORING = {
	SERVICE_WORKING_DIR: setting(text, join(homedir(), ".spanward"), "Folder of the database.", {
		defaultText: "~/.spanward",
	}),
	SERVICE_PROJECT_NAME: setting(
		text.max(255, "must have at most 255 characters"),
		"default",
		"Project for spans that name none.",
	),
	SERVICE_PLAYGROUND_PROJECT_NAME: setting(
		text.max(255, "must have at most 255 characters"),
		"playground",
		"Project for the traces of the playground, where a run names none and begins with nothing of a restricted project.",
	),
	SERVICE_ENABLE_TEXT_INDEX: setting(
		boolean,
		true,
		"Keep a text index of spans; without it, text searches read every span. With traces in ClickHouse it is off unless set.",
	),
	SERVICE_DATABASE_READERS: setting(integer(1, 16), 2, "Number of threads that read the database."),
	SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: setting<number | null>(
		decimal({ above: 0, to: 1_000_000_000, what: "a number of GiB" }),
		null,
		"How large the database may become, in GiB.",
	),
	SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE: setting<number | null>(
		percentage,
		null,
		"Percentage of that capacity above which admins get a mail, once a day.",
	),
	SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE: setting<number | null>(
		percentage,
		null,
		"Percentage of that capacity above which nothing new is stored; deleting and reading still work.",
	),
	SERVICE_UNFINISHED_AFTER_SECONDS: setting(
		integer(1, 31_536_000),
		86_400,
		"Seconds after which a span without an end is shown as unfinished rather than running, counted from the latest time in its trace.",
	),
	SERVICE_DEFAULT_RETENTION_POLICY_DAYS: setting(
		integer(0, 36_500),
		0,
		"Days for which traces are kept in projects without a retention policy of their own, counted from their start; 0 means forever.",
	),
};

export const RECEIVING = {
	SERVICE_OTLP_MAX_BODY_BYTES: setting(
		integer(1_024, 1_073_741_824),
		33_554_432,
		"Maximum size of an OTLP request as sent, in bytes; a larger one gets 413.",
	),
	SERVICE_OTLP_MAX_INFLATED_BYTES: setting(
		integer(1_024, 1_073_741_824),
		50_331_648,
		"Maximum size of an OTLP request after decompression, in bytes; a larger one gets 413.",
	),
	SERVICE_OTLP_MAX_DEPTH: setting(
		integer(1, 100),
		64,
		"Maximum nesting of attribute values; a span with deeper nesting is refused.",
	),
	SERVICE_OTLP_MAX_ATTRIBUTES: setting(
		integer(1, 1_000_000),
		10_000,
		"Maximum number of attributes of a span, event, link, scope or resource, and of events and links of a span; further ones are dropped and counted.",
	),
	SERVICE_OTLP_MAX_ATTRIBUTE_BYTES: setting(
		integer(64, 1_073_741_824),
		16_777_216,
		"Maximum length of an attribute value in bytes; a longer one is cut and named in the attribute spanward.cut.",
	),
	SERVICE_INGEST_QUEUE_BYTES: setting(
		integer(1_048_576, 17_179_869_184),
		134_217_728,
		"Maximum number of bytes of accepted but uncommitted requests; beyond that, requests get 503 with Retry-After.",
	),
	SERVICE_INGEST_WORKERS: setting(integer(1, 16), 2, "Number of threads that decode and write spans."),
	SERVICE_MAX_JSON_BODY_BYTES: setting(
		integer(1_024, 1_073_741_824),
		33_554_432,
		"Maximum size of a JSON request to the REST API, in bytes; a larger one gets 413.",
	),
	SERVICE_MAX_UPLOAD_BYTES: setting(
		integer(1_024, 1_099_511_627_776),
		1_073_741_824,
		"Maximum size of a dataset file upload in bytes, both as sent and decompressed; a larger one gets 413. Uploads are kept in SERVICE_WORKING_DIR while they are read.",
	),
};

export const ENCRYPTION_IN_TRANSIT = {
	SERVICE_TLS_ENABLED: setting(
		boolean,
		false,
		"Serve HTTP and gRPC over TLS, version 1.2 or newer, with forward secrecy and AEAD ciphers only.",
	),
	SERVICE_TLS_ENABLED_FOR_HTTP: setting<boolean | null>(boolean, null, "Serve HTTP over TLS.", {
		defaultText: "SERVICE_TLS_ENABLED",
	}),
	SERVICE_TLS_ENABLED_FOR_GRPC: setting<boolean | null>(boolean, null, "Serve gRPC over TLS.", {
		defaultText: "SERVICE_TLS_ENABLED",
	}),
	SERVICE_TLS_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the certificate, followed by intermediate certificates. A renewed one is used within a minute, or at once on SIGHUP.",
	),
	SERVICE_TLS_KEY_FILE: setting<string | null>(text, null, "PEM file with the private key, encrypted or not."),
	SERVICE_TLS_KEY_FILE_PASSWORD: setting<SecretText | null>(secret, null, "Password of the private key.", {
		secret: true,
	}),
	SERVICE_TLS_CA_FILE: setting<string | null>(text, null, "PEM file with the CA certificates for client certificates."),
	SERVICE_TLS_VERIFY_CLIENT: setting(
		boolean,
		false,
		"Accept only clients with a certificate from an authority in SERVICE_TLS_CA_FILE, over HTTP and gRPC; credentials are still required.",
	),
};

export const BROWSERS = {
	SERVICE_USE_SECURE_COOKIES: setting(boolean, false, "Send session cookies over https only."),
	SERVICE_COOKIES_PATH: setting<string | null>(
		cookiePath,
		null,
		"Path of the session cookies: SERVICE_HOST_ROOT_PATH or a path above it.",
		{ defaultText: "SERVICE_HOST_ROOT_PATH, or /" },
	),
};
