import type { Topology } from "../apps/server/src/base/clickhouse-address.ts";
import {
	alterSettings,
	createDatabase,
	createTable,
	FSYNC,
	MOVES_CHEAPLY,
	moveByAge,
	type TableOptions,
} from "../apps/server/src/storage/traces/clickhouse/create-table.ts";
import { changesSince } from "../apps/server/src/storage/traces/clickhouse/schema.ts";
import { SPANS, TABLES } from "../apps/server/src/storage/traces/clickhouse/tables.ts";

const FOLDER = "apps/server/src/storage/traces/clickhouse/statements";
const TOPOLOGIES: readonly Topology["kind"][] = ["single", "cluster", "replicated_database", "cloud"];

/** The statements that make and change tables, by topology, as files with their paths: what differs is seen by comparing these. */
export function clickHouseStatements(): Readonly<Record<string, string>> {
	return Object.fromEntries(
		TOPOLOGIES.map((kind) => [
			`${FOLDER}/${kind.replaceAll("_", "-")}.sql`,
			`${listStatements(kind).join(";\n\n")};\n`,
		]),
	);
}

function listStatements(kind: Topology["kind"]): string[] {
	const options: TableOptions = {
		...{ cluster: "traces", database: "spanward", durability: "full", storagePolicy: "tiered" },
		...{ cold: { volume: "cold", afterDays: 7 }, topology: { kind, replicas: 2 } },
	};
	const { name } = SPANS;
	return [
		createDatabase(options),
		...TABLES.map((table) => createTable(table, options)),
		...changesSince(1, options),
		alterSettings(name, `reset setting ${FSYNC.join(", ")}`, options),
		alterSettings(name, `modify setting ${MOVES_CHEAPLY}`, options),
		`alter table ${name} modify ttl ${moveByAge(SPANS, options)}`,
		`alter table ${name} remove ttl`,
		`alter table ${name} drop partition id '20783'`,
		`optimize table ${name} partition id '20783' final cleanup`,
		// Where that is not allowed.
		`optimize table ${name} partition id '20783' final`,
		`alter table ${name} delete in partition id '20783' where is_deleted = 1 and version < 7`,
	];
}
