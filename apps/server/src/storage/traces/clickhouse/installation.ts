import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseOpenError, nodeNames } from "#storage/clickhouse/open-errors.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { countSpendAnew } from "./metadata/spend-rows.ts";
import type { Counters, TraceMetadata } from "./metadata/trace-metadata.ts";
import { selectFinal } from "./read/query.ts";

/**
 * Raises the numbers of the metadata database above those in ClickHouse, in case it was put back from a backup, has what was
 * spent counted anew then, and makes the projects that it lacks. @throws ClickHouseFailure
 */
export async function catchUp(shards: ShardReader, metadata: TraceMetadata): Promise<void> {
	await raiseAboveStored(shards, metadata);
	await metadata.addProjects(await listProjects(shards));
}

/** @throws ClickHouseFailure */
export async function hasSpans(shard: ShardReader): Promise<boolean> {
	const rows = await shard.select("select 1 as one from spans limit 1", { one: types.UInt8 });
	return rows.length > 0;
}

/** A project by the copy that ClickHouse has of its name. */
export interface StoredProject {
	readonly id: number;
	readonly name: string;
}

/** @throws ClickHouseFailure */
export async function listProjects(shards: ShardReader): Promise<readonly StoredProject[]> {
	const rows = await selectFinal(shards, "select id, name from projects", { id: types.Integer, name: types.Text });
	return [...new Map(rows.map((project) => [project.id, project])).values()];
}

export function lacksTraces(settings: ClickHouseSettings): ClickHouseOpenError {
	return new ClickHouseOpenError(
		`the database ${settings.database} of ClickHouse at ${nodeNames(settings)} is empty, and this installation has stored traces elsewhere: spanward copy --traces-to brings them, SERVICE_CLICKHOUSE_URL and SERVICE_CLICKHOUSE_DATABASE name where they are, or spanward adopt-clickhouse --empty goes on without them`,
		["SERVICE_CLICKHOUSE_URL", "SERVICE_CLICKHOUSE_DATABASE"],
	);
}

export function isBeingCopied(settings: ClickHouseSettings): ClickHouseOpenError {
	return new ClickHouseOpenError(
		`the database ${settings.database} of ClickHouse at ${nodeNames(settings)} has an unfinished copy of traces: run the same spanward copy again, which completes it (with --since after a round with --servers-running), or name another database in SERVICE_CLICKHOUSE_DATABASE`,
		["SERVICE_CLICKHOUSE_DATABASE"],
	);
}

export function ofAnother(settings: ClickHouseSettings): ClickHouseOpenError {
	return new ClickHouseOpenError(
		`the database ${settings.database} of ClickHouse at ${nodeNames(settings)} has the traces of another installation: SERVICE_CLICKHOUSE_DATABASE names another one, SERVICE_SQL_DATABASE_URL or SERVICE_WORKING_DIR leads to the users and projects of that installation, or, where these are lost, spanward adopt-clickhouse takes the traces over`,
		["SERVICE_CLICKHOUSE_DATABASE", "SERVICE_SQL_DATABASE_URL", "SERVICE_WORKING_DIR"],
	);
}

async function raiseAboveStored(shards: ShardReader, metadata: TraceMetadata): Promise<void> {
	const counted = await metadata.counters();
	const raised = await highestNumbers(shards, counted);
	if (!isAbove(raised, counted)) return;
	// The ledger of a copy came with it; only turns were not copied.
	const isCopy = counted.turns === 0 && !isAbove({ ...raised, turns: 0 }, counted);
	// Others may have written between the two, which says nothing about the metadata database.
	if (!isCopy && isAbove(raised, await metadata.counters())) await metadata.db.write(countSpendAnew);
	await metadata.raiseCounters(raised);
}

/** Whether a metadata database that counts so far may give out numbers that ClickHouse has already. */
export function isAbove(stored: Counters, counted: Counters): boolean {
	return stored.spans > counted.spans || stored.traces > counted.traces || stored.turns > counted.turns;
}

/**
 * The highest numbers in ClickHouse, or these where they are higher; indexes leave out what is not above.
 * @throws ClickHouseFailure
 */
export async function highestNumbers(shards: ShardReader, { spans, traces, turns }: Counters): Promise<Counters> {
	const columns = { spans: types.Integer, traces: types.Integer, turns: types.Integer };
	const above = (column: string, table: string, parameter: string) =>
		`(select max(${column}) from ${table} where ${column} > {${parameter}:Int64})`;
	const greatest = (values: readonly string[]) => `toInt64(greatest(${values.map((value) => `ifNull(${value}, 0)`)}))`;
	const ofTraces = ["traces", "trace_places", "sessions"].map((table) => above("id", table, "traces"));
	const ofTurns = [
		...["spans", "span_contents", "sessions"].map((table) => above("batch", table, "turns")),
		above("number", "hours", "turns"),
		...["traces", "sessions", "projects", "text_signatures"].map(
			(table) => `(select toInt64(max(version)) from ${table})`,
		),
	];
	const stored = await shards.select(
		`select ${greatest([above("id", "spans", "spans")])} as spans, ${greatest(ofTraces)} as traces,
			${greatest(ofTurns)} as turns`,
		columns,
		{ params: { spans, traces, turns } },
	);
	return {
		spans: Math.max(spans, ...stored.map((row) => row.spans)),
		traces: Math.max(traces, ...stored.map((row) => row.traces)),
		turns: Math.max(turns, ...stored.map((row) => row.turns)),
	};
}
