import type { Topology } from "#base/clickhouse-address.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { columnDefinitions, partitionSql, type Table } from "./tables.ts";

/** A table as ClickHouse has it. */
export interface FoundTable {
	readonly name: string;
	readonly engine: string;
	/** Columns separated by commas. */
	readonly sortingKey: string;
	readonly partitionKey: string;
	/** What `create table` says behind the columns. */
	readonly engineFull: string;
	/** Types by name. */
	readonly columns: ReadonlyMap<string, string>;
}

export interface Difference {
	readonly table: string;
	readonly what: string;
}

/** The tables and views of the database, by name. @throws ClickHouseFailure */
export async function findTables(shard: Shard): Promise<ReadonlyMap<string, FoundTable>> {
	const tables = await shard.select(
		`select name, engine, sorting_key, partition_key, engine_full from system.tables
		where database = currentDatabase() and not startsWith(name, '.inner')`,
		{
			name: types.Text,
			engine: types.Text,
			sorting_key: types.Text,
			partition_key: types.Text,
			engine_full: types.Text,
		},
	);
	const columns = await shard.select(
		"select table, name, type from system.columns where database = currentDatabase()",
		{ table: types.Text, name: types.Text, type: types.Text },
	);
	const byTable = Map.groupBy(columns, ({ table }) => table);
	return new Map(
		tables.map(({ name, engine, sorting_key, partition_key, engine_full }) => [
			name,
			{
				...{ name, engine, sortingKey: sorting_key, partitionKey: partition_key, engineFull: engine_full },
				columns: new Map((byTable.get(name) ?? []).map((column) => [column.name, column.type])),
			},
		]),
	);
}

const SINGLE = "ReplacingMergeTree";
const REPLICATED = `Replicated${SINGLE}`;
/** ClickHouse Cloud makes shared ones of what is asked for. */
const ENGINES: readonly string[] = [SINGLE, REPLICATED, `Shared${SINGLE}`];

/**
 * Says that tables have another engine than their topology needs, and what is right then; follows the words "tables in
 * the database …".
 */
export function describeEngines(
	tables: readonly Table[],
	found: ReadonlyMap<string, FoundTable>,
	{ kind }: Topology,
): string | undefined {
	if (kind === "cloud") return undefined;
	const wanted = kind === "single" ? SINGLE : REPLICATED;
	const others = tables
		.map(({ name }) => ({ name, engine: found.get(name)?.engine ?? wanted }))
		.filter(({ engine }) => engine !== wanted && ENGINES.includes(engine));
	const [first] = others;
	if (first === undefined) return undefined;
	const names = others
		.slice(0, 3)
		.map(({ name }) => name)
		.join(", ");
	const have = `have the engine ${first.engine} (${names}), and ${wanted} is needed`;
	const another = "spanward copy brings the traces to another database, which SERVICE_CLICKHOUSE_DATABASE names";
	switch (kind) {
		case "single":
			return `${have} without a cluster: SERVICE_CLICKHOUSE_CLUSTER has to name the one whose nodes have them`;
		case "cluster":
			return `${have} on a cluster: leave out SERVICE_CLICKHOUSE_CLUSTER; ${another}`;
		case "replicated_database":
			return `${have} in a replicated database: ${another}`;
	}
}

/**
 * How a table differs from what Spanward makes; what was added to it does not count.
 * @param version of the schema that it has
 */
export function listDifferences(table: Table, found: FoundTable | undefined, version = 1): Difference[] {
	if (found === undefined) return [];
	const { engine, sortingKey, partitionKey, columns } = found;
	const wrong: string[] = [];
	if (!ENGINES.includes(engine)) wrong.push(`has the engine ${engine}`);
	if (!isSame(sortingKey, table.orderBy.join(", "))) wrong.push(`is ordered by ${sortingKey || "nothing"}`);
	const partition = table.partitionBy === undefined ? "" : partitionSql(table.partitionBy);
	if (!isSame(partitionKey, partition)) wrong.push(`has partitions by ${partitionKey || "nothing"}`);
	const later = new Set(
		Object.entries(table.added ?? {}).flatMap(([name, since = 1]) => (since > version ? [name] : [])),
	);
	for (const definition of columnDefinitions(table)) {
		const [name = "", type = ""] = splitOnce(definition.replace(/ (CODEC\(|DEFAULT ).*$/, ""));
		const has = columns.get(name);
		if (has === undefined && later.has(name)) continue;
		if (has === undefined) wrong.push(`lacks the column ${name}`);
		else if (!isSame(has, type)) wrong.push(`has ${has} in the column ${name}`);
	}
	return wrong.map((what) => ({ table: table.name, what }));
}

function splitOnce(text: string): [string, string] {
	const at = text.indexOf(" ");
	return [text.slice(0, at), text.slice(at + 1)];
}

/** ClickHouse writes expressions anew. */
function isSame(found: string, wanted: string): boolean {
	return simplified(found) === simplified(wanted);
}

function simplified(expression: string): string {
	return expression.replaceAll(/[\s()]/g, "");
}
