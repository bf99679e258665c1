import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

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
	.enum(["true", "false", "1", "0"], { error: "must be true or false" })
	.transform((text) => text === "true" || text === "1");
const integer = (min: number, max: number) =>
	z
		.string()
		.regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
		.transform(Number)
		.refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
const text = z.string();

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
