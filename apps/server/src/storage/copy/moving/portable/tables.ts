import { type CopiedTable, copiedTables } from "../tables.ts";

/** Rows of small tables that are read at a time: what is added up for them is read for all of a step. */
const STEPS: Readonly<Record<string, number>> = {
	...{ sessions: 20_000, traces: 1_000, spans: 4_096, log_records: 500, hours: 1_000 },
};

/** Where the content of a span is, which rows of `spans` carry themselves in the portable form. */
const PLACE: ReadonlySet<string> = new Set(["block_id", "ordinal"]);

/** The content of a span; all null where it cannot be read. */
export const CONTENT = ["span", "scope", "scope_schema_url", "resource", "resource_schema_url"] as const;

/** What rows of traces have in ClickHouse that follows from other rows elsewhere. */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
	spans: ["has_logs"],
	traces: ["session_id", "last_start_micros", "first_input", "last_output"],
};

/**
 * All tables, those of traces in the form in which they go to ClickHouse and come from there: rows of spans have their
 * content, and log records have no row number, as nothing refers to it.
 * @param toClickHouse adds what ClickHouse has in rows of traces and follows from other rows elsewhere
 */
export function portableTables(toClickHouse: boolean): readonly CopiedTable[] {
	return copiedTables().flatMap((table) => {
		const step = STEPS[table.name];
		if (table.name === "blocks") return [];
		if (step === undefined) return [table];
		const key = table.name === "log_records" ? ["trace_id", "span_id", "hash"] : table.key;
		const stored = { ...table, key, step, columns: table.columns.filter((column) => !isNumberOfLog(table, column)) };
		const columns = [
			...stored.columns.filter((column) => !PLACE.has(column)),
			...(table.name === "spans" ? CONTENT : []),
			...(toClickHouse ? (DERIVED[table.name] ?? []) : []),
		];
		const isNumbered = table.isNumbered && table.name !== "log_records";
		return [{ ...stored, columns, stored, isNumbered }];
	});
}

/** Tables that the first of two rounds copies; each of their rows keeps its key. The others are smaller. */
export const LARGE_TABLES = ["log_records", "spans", "traces", "sessions"] as const;

/**
 * A table of {@link portableTables} with what tells whether a row has changed: all but the content of spans and of log
 * records, which stays the same while the rest of the row does.
 * @param isDerivedStored whether both databases have what is derived
 */
export function withoutContent(table: CopiedTable, isDerivedStored: boolean): CopiedTable {
	const left = new Set<string>([...CONTENT, "data", ...(isDerivedStored ? [] : (DERIVED[table.name] ?? []))]);
	return { ...table, columns: table.columns.filter((column) => !left.has(column)) };
}

function isNumberOfLog({ name }: CopiedTable, column: string): boolean {
	return name === "log_records" && column === "id";
}
