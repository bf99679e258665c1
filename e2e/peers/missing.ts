import { existsSync } from "node:fs";
import { join } from "node:path";
import programs from "./programs.json" with { type: "json" };

/** Where `npm test` unpacks it. */
export const KEYCLOAK_FOLDER = join(import.meta.dirname, "../../.cache/keycloak");

/** Has ClickHouse's engine as a library, where `npm test` has installed it. */
export const CLICKHOUSE_PYTHON = join(import.meta.dirname, "../../.cache/clickhouse/bin/python");

/** Address of a ClickHouse, user and password in it, on which tests run that make no faults; undefined for the engine. */
export const CLICKHOUSE_OF_SOMEBODY = process.env["SPANWARD_TEST_CLICKHOUSE_URL"];

/** Has ZooKeeper's libraries, where `npm test` has fetched them. */
export const ZOOKEEPER_FOLDER = join(import.meta.dirname, "../../.cache/zookeeper");

/** What each peer runs with, as `npm test` installs it. */
const NEEDS = {
	...programs,
	keycloak: [...programs.keycloak, join(KEYCLOAK_FOLDER, "bin/kc.sh")],
	clickhouse: [CLICKHOUSE_PYTHON],
	/** That of somebody, where its address is given, and otherwise the same. */
	"any clickhouse": CLICKHOUSE_OF_SOMEBODY === undefined ? [CLICKHOUSE_PYTHON] : [],
	zookeeper: [...programs.zookeeper, join(ZOOKEEPER_FOLDER, "contents.txt")],
};

export type Peer = keyof typeof NEEDS;

/** `npm run test:fast` starts no process, PostgreSQL neither. */
export const POSTGRES_LEFT_OUT = process.env["TEST_FAST"] === "true";

/** A sentence for each of these peers that cannot run here. */
export function missingOf(peers: readonly string[]): readonly string[] {
	return peers.flatMap((peer) => (isPeer(peer) ? (describeMissing(peer) ?? []) : []));
}

function isPeer(name: string): name is Peer {
	return name in NEEDS;
}

function describeMissing(peer: Peer): string | undefined {
	const missing = NEEDS[peer].filter((path) => !existsSync(path));
	if (missing.length > 0) return `${peer} needs ${missing.join(", ")}`;
	if (peer === "clickhouse" && CLICKHOUSE_OF_SOMEBODY !== undefined)
		return "the ClickHouse of SPANWARD_TEST_CLICKHOUSE_URL takes no faults, users and disks to order";
	if (peer === "samba" && process.getuid?.() !== 0) return "samba needs root: its ports are below 1024";
	return undefined;
}
