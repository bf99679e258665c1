import { DatabaseSync } from "node:sqlite";
import { createTurnTables, isForClickHouse, leaveTraces } from "../traces/clickhouse/metadata/sqlite-schema.ts";
import { createSchema } from "./migrations.ts";

/** Tables that `analyze` and `pragma optimize` add: https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table */
const STATISTICS: ReadonlySet<string> = new Set([
	"CREATE TABLE sqlite_stat1(tbl,idx,stat)",
	"CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
]);
const MAX_NAME = 100;

interface SchemaObject {
	readonly type: string;
	readonly name: string;
	/** Its table, its name, the SQL that created it, and whether it has pages of its own. */
	readonly definition: string;
}

/**
 * Compares the schema of a database with that of the migrations up to `version`. A foreign trigger or view would run
 * with every write or read of the server that uses the file.
 * @param db only its schema is read, so nothing in it runs
 * @returns a sentence for each object that differs, with its name; names may contain anything
 */
export function schemaDifferences(db: DatabaseSync, version: number): string[] {
	const own = ownObjects(version, isForClickHouse(db));
	const wanted = Map.groupBy(own, keyOf);
	const wrong: string[] = [];
	const seen = new Set<string>();
	for (const object of objectsOf(db)) {
		const key = keyOf(object);
		const named = `the ${object.type.slice(0, MAX_NAME)} ${object.name.slice(0, MAX_NAME)}`;
		const definitions = wanted.get(key)?.map(({ definition }) => definition);
		if (definitions === undefined) wrong.push(`${named} is not one that Spanward creates`);
		else if (!definitions.includes(object.definition) || seen.has(key))
			wrong.push(`${named} is not as Spanward makes it`);
		seen.add(key);
	}
	for (const [key, [object]] of wanted)
		if (object !== undefined && !seen.has(key)) wrong.push(`the ${object.type} ${object.name} is missing`);
	return wrong;
}

function keyOf({ type, name }: Pick<SchemaObject, "type" | "name">): string {
	return JSON.stringify([type, name]);
}

/** With what an object may be where traces are in ClickHouse: a process may have ended between both. */
function ownObjects(version: number, forClickHouse: boolean): readonly SchemaObject[] {
	const db = new DatabaseSync(":memory:");
	try {
		createSchema(db, version);
		const objects = [...objectsOf(db)];
		if (!forClickHouse) return objects;
		createTurnTables(db);
		leaveTraces(db);
		return [...objects, ...objectsOf(db)];
	} finally {
		db.close();
	}
}

function* objectsOf(db: DatabaseSync): Generator<SchemaObject> {
	const rows = db.prepare("select type, name, tbl_name, sql, rootpage from sqlite_schema").iterate();
	for (const { type, name, tbl_name, sql, rootpage } of rows) {
		if (STATISTICS.has(String(sql)) && String(sql).startsWith(`CREATE TABLE ${String(name)}(`)) continue;
		// Differences in white space do not matter.
		const statement = sql === null ? null : String(sql).replaceAll(/\s+/g, " ");
		const definition = JSON.stringify([tbl_name, statement, Number(rootpage) === 0]);
		yield { type: String(type), name: String(name), definition };
	}
}
