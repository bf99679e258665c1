import type { z } from "zod";
import type { FlatAttributes } from "./flat-attributes.ts";
import type { Span } from "./schemas.ts";
import { toColumns } from "./table-columns.ts";
import type { SpanTable } from "./table-schemas.ts";

type WireSpan = z.output<typeof Span>;
type Row = Record<string, unknown>;

/** A span as a row: its fields, then a column for every attribute. */
function toRow(span: WireSpan): Row {
	return Object.assign(Object.create(null), {
		name: span.name,
		span_kind: span.span_kind,
		parent_id: span.parent_id,
		start_time: new TableTime(span.start_time),
		end_time: new TableTime(span.end_time),
		status_code: span.status_code,
		status_message: span.status_message,
		events: span.events,
		"context.span_id": span.context.span_id,
		"context.trace_id": span.context.trace_id,
		...toColumns(span.attributes as FlatAttributes),
	});
}

/** What a query may select that is no column. */
function selected(row: Row, span: WireSpan, key: string): unknown {
	if (key in row) return row[key];
	if (`attributes.${key}` in row) return row[`attributes.${key}`];
	const fields: Row = { ...span };
	return fields[key] ?? (span.attributes as FlatAttributes)[key] ?? null;
}

/** A moment in a table; pandas wants nanoseconds and a `Z`. */
class TableTime {
	readonly #text: string;

	constructor(wire: string) {
		const [seconds = "", fraction = ""] = wire.replace(/\+00:00$/, "").split(".");
		this.#text = `${seconds}.${fraction.padEnd(9, "0")}Z`;
	}

	toJSON(): string {
		return this.#text;
	}
}

/**
 * Rows in the JSON of pandas' table schema, as released clients read it: every column name has its position and `_` in
 * front, the index comes first.
 */
export function toTable(query: SpanTable, spans: readonly WireSpan[]): string {
	const indexName = query.index?.key ?? "context.span_id";
	const full = spans.map((span) => ({ span, row: toRow(span) }));
	const index = full.map(({ span, row }) => selected(row, span, indexName));
	const rows = full.map(({ span, row }) => select(query, row, span));
	const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const columns = [
		{ name: indexName, values: index },
		...names.map((name) => ({ name: query.rename?.[name] ?? name, values: rows.map((row) => row[name] ?? null) })),
	].map(({ name, values }, position) => ({ name: `${position}_${name}`, values }));
	return JSON.stringify({
		schema: {
			fields: columns.map(({ name, values }) => ({ name, ...fieldType(values) })),
			primaryKey: columns.slice(0, 1).map(({ name }) => name),
			pandas_version: "1.4.0",
		},
		data: rows.map((_, at) => Object.fromEntries(columns.map(({ name, values }) => [name, values[at]]))),
	});
}

function select(query: SpanTable, row: Row, span: WireSpan): Row {
	if (query.select === undefined || query.select === null) return row;
	const chosen: Row = Object.create(null);
	for (const [alias, value] of Object.entries(query.select)) chosen[alias] = selected(row, span, value?.key ?? alias);
	return chosen;
}

function fieldType(values: readonly unknown[]): { type: string; tz?: string } {
	const present = values.filter((value) => value !== null);
	const complete = present.length === values.length;
	if (present.length === 0) return { type: "string" };
	if (present.every((value) => value instanceof TableTime)) return { type: "datetime", tz: "UTC" };
	if (present.every((value) => typeof value === "number")) {
		return { type: complete && present.every((value) => Number.isSafeInteger(value)) ? "integer" : "number" };
	}
	// Pandas reads an absent boolean as false.
	if (complete && present.every((value) => typeof value === "boolean")) return { type: "boolean" };
	return { type: "string" };
}
