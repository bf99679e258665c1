import type { ClickHouseSettings } from "../clickhouse-address.ts";
import { isLoopback } from "../loopback.ts";
import { when } from "./check.ts";
import { CLICKHOUSE } from "./clickhouse-settings.ts";
import { type ClickHouseUrl, parseClickHouseUrl } from "./clickhouse-url.ts";
import type { Environment } from "./setting.ts";
import type { Config } from "./settings.ts";
import { checkKeyPair, parseCertificates, readPem } from "./tls-material.ts";

export type ClickHouseConfig = Pick<
	Config,
	keyof typeof CLICKHOUSE | "SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS" | "SERVICE_DATABASE_DURABILITY"
>;

const TLS_FILES = [
	"SERVICE_CLICKHOUSE_TLS_CA_FILE",
	"SERVICE_CLICKHOUSE_TLS_CERT_FILE",
	"SERVICE_CLICKHOUSE_TLS_KEY_FILE",
] as const;

/** Names of the settings that have rules together, for checks. */
export const CLICKHOUSE_NAMES = [
	"SERVICE_CLICKHOUSE_URL",
	"SERVICE_CLICKHOUSE_USER",
	"SERVICE_CLICKHOUSE_PASSWORD",
	...TLS_FILES,
] as const;

/**
 * How to use ClickHouse; undefined where traces are kept with everything else.
 * @throws Error when the settings are wrong, which reading them has reported before
 */
export function clickHouseSettings(config: ClickHouseConfig): ClickHouseSettings | undefined {
	const { settings, problems } = readClickHouse(config);
	if (problems.length > 0) throw new Error(problems.join("; "));
	return settings;
}

interface ClickHouseRead {
	readonly settings: ClickHouseSettings | undefined;
	/** Each names its variable; none shows a user or a password. */
	readonly problems: readonly string[];
	readonly warnings: readonly string[];
}

/** Puts the settings of ClickHouse together and says everything that is wrong with them. */
export function readClickHouse(config: ClickHouseConfig): ClickHouseRead {
	const text = config.SERVICE_CLICKHOUSE_URL;
	if (text === null) return { settings: undefined, problems: [], warnings: [] };
	const url = parseClickHouseUrl(text.reveal());
	if (!("shards" in url)) {
		const problems = url.map((problem) => `SERVICE_CLICKHOUSE_URL ${problem}`);
		readTls(config, problems);
		return { settings: undefined, problems, warnings: [] };
	}
	const problems = [...accountProblems(url, config)];
	const tls = isEncrypted(url) ? readTls(config, problems) : undefined;
	const password = url.password ?? config.SERVICE_CLICKHOUSE_PASSWORD?.reveal() ?? "";
	// The client shows a certificate as the user's, and ClickHouse refuses a password with it.
	if (tls?.cert !== undefined && password !== "")
		problems.push(
			"SERVICE_CLICKHOUSE_TLS_CERT_FILE is how the user logs in: ClickHouse takes no password beside it, so leave out SERVICE_CLICKHOUSE_PASSWORD and that of the address",
		);
	if (problems.length > 0) return { settings: undefined, problems, warnings: [] };
	const settings: ClickHouseSettings = {
		shards: url.shards.map((replicas) => replicas.map(({ href }) => href)),
		user: url.user ?? config.SERVICE_CLICKHOUSE_USER ?? "default",
		password,
		...(tls === undefined ? {} : { tls }),
		...usage(config),
	};
	return { settings, problems, warnings: connectionWarnings(url, settings, config) };
}

const COLD_NAMES = ["SERVICE_CLICKHOUSE_COLD_VOLUME", "SERVICE_CLICKHOUSE_COLD_AFTER_DAYS"] as const;
/** Names of the settings of volumes, for checks. */
export const CLICKHOUSE_VOLUME_NAMES = [
	"SERVICE_CLICKHOUSE_URL",
	"SERVICE_CLICKHOUSE_STORAGE_POLICY",
	...COLD_NAMES,
] as const;
type VolumeName = (typeof CLICKHOUSE_VOLUME_NAMES)[number];

/** What is wrong with the settings of volumes together. */
export function volumeProblems(config: Pick<Config, VolumeName>): readonly string[] {
	const isSet = (name: VolumeName) => config[name] !== null;
	const [volume, days] = COLD_NAMES;
	if (!isSet("SERVICE_CLICKHOUSE_URL")) return [];
	return [
		...when(isSet(volume) && !isSet(days), `${volume} needs ${days}`),
		...when(isSet(days) && !isSet(volume), `${days} needs ${volume}`),
		...when(
			COLD_NAMES.some(isSet) && !isSet("SERVICE_CLICKHOUSE_STORAGE_POLICY"),
			`${isSet(volume) ? volume : days} needs SERVICE_CLICKHOUSE_STORAGE_POLICY, the policy that has the volume`,
		),
	];
}

/** @param isSet whether a variable has a value */
export function warnOfClickHouse(config: ClickHouseConfig, isSet: (name: string) => boolean): readonly string[] {
	if (config.SERVICE_CLICKHOUSE_URL === null) {
		return Object.keys(CLICKHOUSE)
			.flatMap((name) => [name, `${name}_FILE`])
			.filter(isSet)
			.map((name) => `${name} has no effect: SERVICE_CLICKHOUSE_URL is not set`);
	}
	return readClickHouse(config).warnings;
}

/** With traces in ClickHouse there is a text index only where it is asked for. */
export function withTextIndexDefault(config: Config, environment: Environment): Config {
	const isAsked = (environment["SERVICE_ENABLE_TEXT_INDEX"] ?? "").trim() !== "";
	if (config.SERVICE_CLICKHOUSE_URL === null || isAsked) return config;
	return { ...config, SERVICE_ENABLE_TEXT_INDEX: false };
}

type Usage = Omit<ClickHouseSettings, "shards" | "user" | "password" | "tls">;

function usage(config: ClickHouseConfig): Usage {
	const storagePolicy = config.SERVICE_CLICKHOUSE_STORAGE_POLICY;
	const cluster = config.SERVICE_CLICKHOUSE_CLUSTER;
	const volume = config.SERVICE_CLICKHOUSE_COLD_VOLUME;
	const afterDays = config.SERVICE_CLICKHOUSE_COLD_AFTER_DAYS;
	return {
		database: config.SERVICE_CLICKHOUSE_DATABASE,
		connections: config.SERVICE_CLICKHOUSE_CONNECTIONS,
		statementTimeoutMs: config.SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS * 1_000,
		queryMemoryBytes: config.SERVICE_CLICKHOUSE_QUERY_MEMORY_MIB * 1_048_576,
		insertIntervalMs: config.SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS,
		insertRows: config.SERVICE_CLICKHOUSE_INSERT_ROWS,
		durability: config.SERVICE_DATABASE_DURABILITY,
		insertQuorum: config.SERVICE_CLICKHOUSE_INSERT_QUORUM,
		reads: config.SERVICE_CLICKHOUSE_READS,
		maxReplicaDelaySeconds: config.SERVICE_CLICKHOUSE_MAX_REPLICA_DELAY_SECONDS,
		asyncInsert: config.SERVICE_CLICKHOUSE_ASYNC_INSERT,
		...(cluster === null ? {} : { cluster }),
		...(storagePolicy === null ? {} : { storagePolicy }),
		...(volume === null || afterDays === null ? {} : { cold: { volume, afterDays } }),
	};
}

function accountProblems(url: ClickHouseUrl, config: ClickHouseConfig): readonly string[] {
	return [
		...when(
			url.user !== undefined && config.SERVICE_CLICKHOUSE_USER !== null,
			"SERVICE_CLICKHOUSE_URL names a user and SERVICE_CLICKHOUSE_USER is set: keep one of them",
		),
		...when(
			url.password !== undefined && config.SERVICE_CLICKHOUSE_PASSWORD !== null,
			"SERVICE_CLICKHOUSE_URL has a password and SERVICE_CLICKHOUSE_PASSWORD is set: keep one of them",
		),
	];
}

function isEncrypted({ shards }: ClickHouseUrl): boolean {
	return shards.flat().every(({ protocol }) => protocol === "https:");
}

function connectionWarnings(
	url: ClickHouseUrl,
	{ password, tls }: ClickHouseSettings,
	config: ClickHouseConfig,
): readonly string[] {
	const isLocal = url.shards.flat().every(({ hostname }) => isLoopback(hostname.replace(/^\[(.*)\]$/, "$1")));
	const idle = isEncrypted(url) ? [] : TLS_FILES.filter((name) => config[name] !== null);
	return [
		...idle.map((name) => `${name} has no effect: SERVICE_CLICKHOUSE_URL has http and not https`),
		...when(
			!isEncrypted(url) && !isLocal,
			"SERVICE_CLICKHOUSE_URL: the connection to ClickHouse is not encrypted, so anybody in between can read passwords and traces; an address with https encrypts it",
		),
		...when(
			!isLocal && password === "" && tls?.cert === undefined,
			"SERVICE_CLICKHOUSE_PASSWORD is not set: anybody who can reach ClickHouse can read and delete all traces; give its user a password",
		),
	];
}

/** Undefined without any file. */
function readTls(config: ClickHouseConfig, problems: string[]): ClickHouseSettings["tls"] {
	const [caName, certName, keyName] = TLS_FILES;
	const ca = readPem(caName, config[caName], problems);
	if (ca !== undefined) parseCertificates(caName, ca, problems);
	if (config[keyName] === null && config[certName] !== null) problems.push(`${certName} needs ${keyName}`);
	if (config[certName] === null && config[keyName] !== null) problems.push(`${keyName} needs ${certName}`);
	const cert = readPem(certName, config[certName], problems);
	const key = readPem(keyName, config[keyName], problems);
	checkKeyPair({ name: certName, file: cert }, { name: keyName, file: key }, problems);
	if (ca === undefined && cert === undefined && key === undefined) return undefined;
	return {
		...(ca === undefined ? {} : { ca: ca.pem }),
		...(cert === undefined ? {} : { cert: cert.pem }),
		...(key === undefined ? {} : { key: key.pem }),
	};
}
