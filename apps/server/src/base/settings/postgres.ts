import { isLoopback } from "../loopback.ts";
import type { PostgresAddress, PostgresSettings, PostgresTls } from "../postgres-address.ts";
import { when } from "./check.ts";
import { POSTGRES } from "./postgres-settings.ts";
import { type PostgresTlsMode, type PostgresUrl, parsePostgresUrl } from "./postgres-url.ts";
import type { Config } from "./settings.ts";
import { checkKeyPair, parseCertificates, readPem } from "./tls-material.ts";

export type PostgresConfig = Pick<Config, keyof typeof POSTGRES | "SERVICE_ENABLE_TEXT_INDEX">;

/** Names of the settings that this reads, for checks. */
export const POSTGRES_NAMES = Object.keys(POSTGRES) as readonly (keyof typeof POSTGRES)[];

/**
 * How to use PostgreSQL; undefined where SQLite keeps everything.
 * @throws Error when the settings are wrong, which reading them has reported before
 */
export function postgresSettings(config: PostgresConfig): PostgresSettings | undefined {
	const { settings, problems } = readPostgres(config);
	if (problems.length > 0) throw new Error(problems.join("; "));
	return settings;
}

interface PostgresRead {
	readonly settings: PostgresSettings | undefined;
	/** Each names its variable; none shows a user or a password. */
	readonly problems: readonly string[];
	readonly warnings: readonly string[];
}

/** Puts the settings of PostgreSQL together and says everything that is wrong with them. */
export function readPostgres(config: PostgresConfig): PostgresRead {
	const problems = [...identityProblems(config)];
	const warnings: string[] = [];
	const url = config.SERVICE_SQL_DATABASE_URL;
	const primaryUrl =
		url === null ? urlOfParts(config, problems) : parse("SERVICE_SQL_DATABASE_URL", url.reveal(), problems);
	if (url !== null) warnings.push(...idleParts(config));
	const replicaText = config.SERVICE_SQL_DATABASE_READ_REPLICA_URL;
	const replicaUrl =
		replicaText === null ? undefined : parse("SERVICE_SQL_DATABASE_READ_REPLICA_URL", replicaText.reveal(), problems);
	if (replicaText !== null && url === null && config.SERVICE_POSTGRES_HOST === null)
		problems.push("SERVICE_SQL_DATABASE_READ_REPLICA_URL needs SERVICE_SQL_DATABASE_URL, the database it follows");
	if (primaryUrl === undefined) {
		if (url === null && problems.length === 0) warnings.push(...idleTls(config));
		return { settings: undefined, problems, warnings };
	}
	const name = url === null ? "SERVICE_POSTGRES_HOST" : "SERVICE_SQL_DATABASE_URL";
	const primary = toAddress(name, primaryUrl, config, problems, warnings);
	const replica =
		replicaUrl === undefined
			? undefined
			: toAddress(
					"SERVICE_SQL_DATABASE_READ_REPLICA_URL",
					{ ...withAccountOf(primaryUrl, replicaUrl), database: replicaUrl.database ?? primary.database },
					config,
					problems,
					warnings,
				);
	problems.push(...schemaProblems(config.SERVICE_SQL_DATABASE_SCHEMA));
	if (problems.length > 0) return { settings: undefined, problems: [...new Set(problems)], warnings };
	return {
		problems,
		warnings: [...new Set(warnings)],
		settings: {
			primary,
			...(replica === undefined ? {} : { replica }),
			schema: config.SERVICE_SQL_DATABASE_SCHEMA,
			poolSize: config.SERVICE_DATABASE_POOL_SIZE,
			connectTimeoutMs: (primaryUrl.connectTimeout ?? config.SERVICE_DATABASE_CONNECT_TIMEOUT_SECONDS) * 1_000,
			statementTimeoutMs: config.SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS * 1_000,
			durability: config.SERVICE_DATABASE_DURABILITY,
			textIndex: config.SERVICE_ENABLE_TEXT_INDEX,
		},
	};
}

function parse(name: string, text: string, problems: string[]): PostgresUrl | undefined {
	const read = parsePostgresUrl(text);
	if ("host" in read) return read;
	problems.push(...read.map((problem) => `${name} ${problem}`));
	return undefined;
}

const PARTS = ["SERVICE_POSTGRES_USER", "SERVICE_POSTGRES_PASSWORD", "SERVICE_POSTGRES_DB"] as const;

/** Whoever sets a part means PostgreSQL: without its host SQLite would keep everything, unnoticed. */
function urlOfParts(config: PostgresConfig, problems: string[]): PostgresUrl | undefined {
	const { SERVICE_POSTGRES_HOST: host, SERVICE_POSTGRES_USER: user, SERVICE_POSTGRES_DB: database } = config;
	const password = config.SERVICE_POSTGRES_PASSWORD;
	if (host === null) {
		const usesIdentity = config.SERVICE_POSTGRES_USE_AWS_IAM_AUTH || config.SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY;
		const alone = PARTS.filter((name) => config[name] !== null);
		if (alone.length > 0 && !usesIdentity)
			problems.push(`${alone.join(" and ")} ${alone.length === 1 ? "needs" : "need"} SERVICE_POSTGRES_HOST`);
		return undefined;
	}
	const isOpen =
		password !== null ||
		host.startsWith("/") ||
		config.SERVICE_POSTGRES_PASSWORD_COMMAND !== null ||
		config.SERVICE_POSTGRES_TLS_CERT_FILE !== null;
	const usesIdentity = config.SERVICE_POSTGRES_USE_AWS_IAM_AUTH || config.SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY;
	if (host.includes(","))
		problems.push("SERVICE_POSTGRES_HOST names several hosts: give one that leads to the primary");
	if (host.includes("://") || host.includes("@"))
		problems.push("SERVICE_POSTGRES_HOST must be a host; a whole address is SERVICE_SQL_DATABASE_URL");
	if (user === null) problems.push("SERVICE_POSTGRES_HOST needs SERVICE_POSTGRES_USER");
	else if (!isOpen && !usesIdentity)
		problems.push("SERVICE_POSTGRES_HOST with SERVICE_POSTGRES_USER needs SERVICE_POSTGRES_PASSWORD");
	return {
		host: host.replace(/^\[(.*)\]$/, "$1"),
		port: config.SERVICE_POSTGRES_PORT,
		...(user === null ? {} : { user }),
		...(password === null ? {} : { password: password.reveal() }),
		...(database === null ? {} : { database }),
		tlsFiles: {},
	};
}

function idleParts(config: PostgresConfig): readonly string[] {
	return (["SERVICE_POSTGRES_HOST", ...PARTS] as const).flatMap((name) =>
		when(config[name] !== null, `${name} has no effect: SERVICE_SQL_DATABASE_URL names the database`),
	);
}

function idleTls(config: PostgresConfig): readonly string[] {
	const names = [
		"SERVICE_POSTGRES_TLS_MODE",
		"SERVICE_POSTGRES_TLS_CA_FILE",
		"SERVICE_POSTGRES_TLS_CERT_FILE",
		"SERVICE_POSTGRES_TLS_KEY_FILE",
		"SERVICE_POSTGRES_PASSWORD_COMMAND",
	] as const;
	return names.flatMap((name) =>
		when(config[name] !== null, `${name} has no effect: SERVICE_SQL_DATABASE_URL is not set, SQLite keeps everything`),
	);
}

/** The replica's address, with the primary's account if it names no user. */
function withAccountOf(primary: PostgresUrl, replica: PostgresUrl): PostgresUrl {
	if (replica.user !== undefined) return replica;
	return {
		...replica,
		...(primary.user === undefined ? {} : { user: primary.user }),
		...(replica.password !== undefined || primary.password === undefined ? {} : { password: primary.password }),
	};
}

function toAddress(
	name: string,
	url: PostgresUrl,
	config: PostgresConfig,
	problems: string[],
	warnings: string[],
): PostgresAddress {
	const user = url.user ?? "postgres";
	const command = config.SERVICE_POSTGRES_PASSWORD_COMMAND;
	if (command !== null && url.password !== undefined)
		problems.push(`${name} has a password and SERVICE_POSTGRES_PASSWORD_COMMAND is set: keep one of them`);
	return {
		host: url.host,
		port: url.port,
		user,
		password: url.password,
		...(command === null ? {} : { passwordCommand: command }),
		database: url.database ?? user,
		tls: readTls(name, url, config, problems, warnings),
		...(url.applicationName === undefined ? {} : { applicationName: url.applicationName }),
	};
}

const VERIFIES = { require: "nothing", "verify-ca": "authority", "verify-full": "name" } as const;

function readTls(
	name: string,
	url: PostgresUrl,
	config: PostgresConfig,
	problems: string[],
	warnings: string[],
): PostgresAddress["tls"] {
	const isLocal = isLoopback(url.host) || url.host.startsWith("/");
	const given = url.tlsMode ?? config.SERVICE_POSTGRES_TLS_MODE;
	const ca = fileOf(name, "ca", url, config);
	const cert = fileOf(name, "cert", url, config);
	const key = fileOf(name, "key", url, config);
	const hasFiles = ca.path !== null || cert.path !== null || key.path !== null;
	const mode: PostgresTlsMode = given ?? (isLocal && !hasFiles ? "disable" : "verify-full");
	if (mode === "disable") {
		if (hasFiles) warnings.push(`files for TLS have no effect: the connection to PostgreSQL is not encrypted`);
		if (!isLocal)
			warnings.push(
				`${name}: the connection to PostgreSQL is not encrypted, so anybody in between can read passwords and traces; sslmode=verify-full or SERVICE_POSTGRES_TLS_MODE=verify-full encrypts it`,
			);
		return false;
	}
	const caFile = readPem(ca.name, ca.path, problems);
	if (caFile !== undefined) parseCertificates(ca.name, caFile, problems);
	if ((cert.path === null) !== (key.path === null))
		problems.push(`${cert.path === null ? key.name : cert.name} needs ${cert.path === null ? cert.name : key.name}`);
	const certFile = readPem(cert.name, cert.path, problems);
	const keyFile = readPem(key.name, key.path, problems);
	checkKeyPair({ name: cert.name, file: certFile }, { name: key.name, file: keyFile }, problems);
	// As in libpq: whoever names authorities wants them checked.
	const asked = mode === "require" && caFile !== undefined ? "verify-ca" : mode;
	if (asked === "require" && !isLocal)
		warnings.push(
			`${name}: the connection to PostgreSQL is encrypted, but the server's certificate is not checked; SERVICE_POSTGRES_TLS_MODE=verify-full checks it, with SERVICE_POSTGRES_TLS_CA_FILE for your own authority`,
		);
	const tls: PostgresTls = {
		verifies: VERIFIES[asked],
		...(caFile === undefined ? {} : { ca: caFile.pem }),
		...(certFile === undefined ? {} : { cert: certFile.pem }),
		...(keyFile === undefined ? {} : { key: keyFile.pem }),
	};
	return tls;
}

const FILES = {
	ca: ["sslrootcert", "SERVICE_POSTGRES_TLS_CA_FILE"],
	cert: ["sslcert", "SERVICE_POSTGRES_TLS_CERT_FILE"],
	key: ["sslkey", "SERVICE_POSTGRES_TLS_KEY_FILE"],
} as const;

/** The file that the address names, else the one that the variable names. */
function fileOf(name: string, kind: keyof typeof FILES, url: PostgresUrl, config: PostgresConfig) {
	const [parameter, variable] = FILES[kind];
	const inUrl = url.tlsFiles[kind];
	return inUrl === undefined
		? { name: variable, path: config[variable] }
		: { name: `${parameter} of ${name}`, path: inUrl };
}

function schemaProblems(schema: string): readonly string[] {
	const isName = /^[\p{L}_][\p{L}\p{N}_$-]*$/u.test(schema) && Buffer.byteLength(schema) <= 63;
	return [
		...when(
			!isName,
			"SERVICE_SQL_DATABASE_SCHEMA must be a name of at most 63 bytes, of letters, digits, _, - and $, and begin with a letter or _",
		),
		...when(
			/^(pg_|information_schema$)/i.test(schema),
			"SERVICE_SQL_DATABASE_SCHEMA must not be one of PostgreSQL's own",
		),
	];
}

function identityProblems(config: PostgresConfig): readonly string[] {
	const iam = config.SERVICE_POSTGRES_USE_AWS_IAM_AUTH;
	const identity = config.SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY;
	const method = iam ? "SERVICE_POSTGRES_USE_AWS_IAM_AUTH" : "SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY";
	const command = iam ? "aws rds generate-db-auth-token …" : "az account get-access-token …";
	const isUsed = config.SERVICE_SQL_DATABASE_URL !== null || config.SERVICE_POSTGRES_HOST !== null;
	const hasPassword = config.SERVICE_POSTGRES_PASSWORD !== null;
	const hasCommand = config.SERVICE_POSTGRES_PASSWORD_COMMAND !== null;
	return [
		...when(
			iam && identity,
			"SERVICE_POSTGRES_USE_AWS_IAM_AUTH and SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY must not both be true",
		),
		...when((iam || identity) && hasPassword, `SERVICE_POSTGRES_PASSWORD must be unset with ${method}=true`),
		...when(
			(iam || identity) && !hasPassword && isUsed && !hasCommand,
			`${method}=true needs SERVICE_POSTGRES_PASSWORD_COMMAND, which prints the token, such as ${command}`,
		),
	];
}
