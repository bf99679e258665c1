import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { OpenError } from "../open-error.ts";
import { ClickHouseFailure, type FailureKind } from "./failures.ts";

/** ClickHouse cannot be used with these settings. */
export class ClickHouseOpenError extends OpenError {
	override readonly name = "ClickHouseOpenError";
}

const ADDRESS = "SERVICE_CLICKHOUSE_URL";
const USER = ["SERVICE_CLICKHOUSE_USER", "SERVICE_CLICKHOUSE_PASSWORD"] as const;
const ACCESS_DENIED = 497;
const UNKNOWN_POLICY = 478;
const WRONG_TTL = 450;

/** Hosts of the nodes, as in messages. */
export function nodeNames({ shards }: Pick<ClickHouseSettings, "shards">): string {
	return shards.flatMap((urls) => urls.map((url) => new URL(url).host)).join(", ");
}

type Said = readonly [text: string, settings: readonly string[], mayPass?: boolean];

const BY_KIND: Readonly<Partial<Record<FailureKind, (at: string, failure: ClickHouseFailure) => Said>>> = {
	unreachable: (_at, { message }) => [`${message}: is ${ADDRESS} right, and does ClickHouse run?`, [ADDRESS], true],
	foreign: (at) => [`what answers at ${at} is not ClickHouse: ${ADDRESS} has to name its HTTP port`, [ADDRESS], true],
	uncertain: (at) => [`ClickHouse at ${at} cannot keep what it is told: its replicas or its Keeper are away`, [], true],
	overloaded: (at) => [`ClickHouse at ${at} has too much to do`, [], true],
	full: (at) => [`the disk of ClickHouse at ${at} is full`, [], true],
	read_only: (at) => [`the tables of ClickHouse at ${at} take no changes: is its Keeper there?`, [], true],
	memory: (at) => [`ClickHouse at ${at} has too little memory`, ["SERVICE_CLICKHOUSE_QUERY_MEMORY_MIB"], true],
	too_slow: (at) => [
		`ClickHouse at ${at} did not answer in time`,
		["SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS"],
		true,
	],
};

/** Explains why ClickHouse could not be opened, with what to change; returns any other error unchanged. */
export function toOpenError(error: unknown, settings: ClickHouseSettings): unknown {
	if (!(error instanceof ClickHouseFailure)) return error;
	const [text, change, mayPass = false] = explain(error, settings);
	return new ClickHouseOpenError(text, change, { mayPass, cause: error });
}

function explain(failure: ClickHouseFailure, settings: ClickHouseSettings): Said {
	const at = nodeNames(settings);
	const { user, database } = settings;
	if (failure.code === ACCESS_DENIED)
		return [
			`the user ${user} of ClickHouse at ${at} has not the right to do what is needed in the database ${database}: docs/clickhouse.md lists the rights (${failure.message})`,
			["SERVICE_CLICKHOUSE_USER", "SERVICE_CLICKHOUSE_DATABASE"],
		];
	if (failure.kind === "refused")
		return [`ClickHouse at ${at} refuses the user ${user} or its password: ${USER.join(" or ")}`, USER];
	if (failure.code === UNKNOWN_POLICY)
		return [
			`ClickHouse at ${at} has no storage policy ${settings.storagePolicy}: SERVICE_CLICKHOUSE_STORAGE_POLICY`,
			["SERVICE_CLICKHOUSE_STORAGE_POLICY"],
		];
	if (failure.code === WRONG_TTL && settings.cold !== undefined)
		return [
			`the storage policy of the tables in ClickHouse at ${at} has no volume ${settings.cold.volume}: SERVICE_CLICKHOUSE_COLD_VOLUME, and SERVICE_CLICKHOUSE_STORAGE_POLICY applies to new tables only`,
			["SERVICE_CLICKHOUSE_COLD_VOLUME", "SERVICE_CLICKHOUSE_STORAGE_POLICY"],
		];
	const said = BY_KIND[failure.kind]?.(at, failure);
	return said ?? [`ClickHouse at ${at} refuses a statement that Spanward needs: ${failure.message}`, [ADDRESS]];
}
