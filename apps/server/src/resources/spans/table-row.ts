import type { z } from "zod";
import type { UnderstoodSpan } from "#storage/traces/decode-span.ts";
import type { Instant } from "#storage/traces/trace-store.ts";
import type { FlatAttributes } from "./flat-attributes.ts";
import type { Span } from "./schemas.ts";
import { readAttribute, toColumns } from "./table-columns.ts";

/** A span as a table reads it. */
export interface TableSpan {
	readonly wire: Omit<z.output<typeof Span>, "state">;
	readonly stored: UnderstoodSpan["summary"];
}

export type Cells = Record<string, unknown>;

/** A time in a table; pandas expects nanoseconds and a `Z`. */
export class TableTime {
	readonly #instant: Instant;

	constructor(instant: Instant) {
		this.#instant = instant;
	}

	/** Since 1970. */
	get nanoseconds(): bigint {
		return BigInt(this.#instant.micros) * 1_000n + BigInt(this.#instant.nanos);
	}

	toJSON(): string {
		const { micros, nanos } = this.#instant;
		const seconds = Math.floor(micros / 1e6);
		const fraction = (micros - seconds * 1e6) * 1_000 + nanos;
		return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${String(fraction).padStart(9, "0")}Z`;
	}
}

const FIELDS: Readonly<Record<string, (span: TableSpan) => unknown>> = {
	name: ({ wire }) => wire.name,
	span_kind: ({ wire }) => wire.span_kind,
	parent_id: ({ wire }) => wire.parent_id,
	start_time: ({ stored }) => new TableTime(stored.start),
	end_time: ({ stored }) => new TableTime(stored.end),
	status_code: ({ wire }) => wire.status_code,
	status_message: ({ wire }) => wire.status_message,
	events: ({ wire }) => wire.events,
	"context.span_id": ({ wire }) => wire.context.span_id,
	"context.trace_id": ({ wire }) => wire.context.trace_id,
};

/** The names of the field columns, in order. */
export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS);

/** Fields that a query may select, but that are not columns by default. */
const FURTHER_FIELDS: typeof FIELDS = {
	id: ({ wire }) => wire.id,
	latency_ms: ({ wire }) => wire.latency_ms,
	session_id: ({ wire }) => wire.session_id,
	user_id: ({ wire }) => wire.user_id,
	total_cost: ({ wire }) => wire.total_cost,
	prompt_cost: ({ stored }) => stored.cost?.prompt ?? null,
	completion_cost: ({ stored }) => stored.cost?.completion ?? null,
	token_count_prompt: ({ wire }) => wire.token_count_prompt,
	token_count_completion: ({ wire }) => wire.token_count_completion,
	token_count_total: ({ wire }) => wire.token_count_total,
	cumulative_error_count: ({ wire }) => wire.cumulative_error_count,
	cumulative_token_count_prompt: ({ wire }) => wire.cumulative_token_count_prompt,
	cumulative_token_count_completion: ({ wire }) => wire.cumulative_token_count_completion,
	cumulative_token_count_total: ({ wire }) => wire.cumulative_token_count_total,
	cumulative_cost: ({ wire }) => wire.cumulative_cost,
};

const READERS = new Map(Object.entries({ ...FIELDS, ...FURTHER_FIELDS }));

/** The name of a column for `attributes["a"]["b"]`, or for a name that released clients use. */
export function toFieldName(key: string): string {
	const dotted = key.replace(/\["([^"\]]*)"\]|\['([^'\]]*)'\]|\[(\d{1,9})\]/g, ".$1$2$3");
	if (dotted === "span_id" || dotted === "trace_id") return `context.${dotted}`;
	const tokens = /^cumulative_(?:llm_)?token_count[._](prompt|completion|total)$/.exec(dotted);
	return tokens === null ? dotted : `cumulative_token_count_${tokens[1]}`;
}

/** Whether the value is a sum over the spans below, which costs a walk over the trace. */
export function isCumulative(key: string): boolean {
	return toFieldName(key).startsWith("cumulative_");
}

/** The value of a field or attribute; null when the span has none. */
export function readField(span: TableSpan, key: string): unknown {
	const name = toFieldName(key);
	const read = READERS.get(name);
	if (read !== undefined) return read(span);
	const attributes = span.wire.attributes as FlatAttributes;
	return readAttribute(attributes, name) ?? readAttribute(attributes, name.replace(/^attributes\./, ""));
}

/** All fields, then a column for every attribute. */
export function toCells(span: TableSpan): Cells {
	const cells: Cells = Object.create(null);
	for (const [name, read] of Object.entries(FIELDS)) cells[name] = read(span);
	return Object.assign(cells, toColumns(span.wire.attributes as FlatAttributes));
}
