import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import { CONTENTS, type SpanRow } from "../tables.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { findRows } from "./query.ts";

/** Of one answer; fewer where log records, of which their rows do not say how large they are, come with them. */
const MOST_SPANS = 2_000;
const MOST_WITH_LOGS = 200;
const MOST_BYTES = 64 * 1024 * 1024;

/** What finds the content of a span. */
export type ContentPlace = Pick<
	SpanRow,
	"project_id" | "start_micros" | "trace_id" | "id" | "content_bytes" | "has_logs"
>;

/** Spans whose content is read at once. */
export function* readTogether<Row extends Pick<SpanRow, "content_bytes" | "has_logs">>(
	rows: readonly Row[],
): Generator<Row[]> {
	let part: Row[] = [];
	let bytes = 0;
	let withLogs = 0;
	for (const row of rows) {
		const isFull = part.length === MOST_SPANS || withLogs === MOST_WITH_LOGS || bytes + row.content_bytes > MOST_BYTES;
		if (part.length > 0 && isFull) {
			yield part;
			part = [];
			bytes = 0;
			withLogs = 0;
		}
		part.push(row);
		bytes += row.content_bytes;
		withLogs += row.has_logs;
	}
	if (part.length > 0) yield part;
}

/** Contents of the spans that a filter has selected, so that their page need not read them again; up to a number of bytes. */
export class SelectedContents {
	readonly #contents = new Map<number, SpanContent>();
	#bytes = 0;

	/** @param row without log records, which are no part of a stored content */
	note({ id, content_bytes }: Pick<SpanRow, "id" | "content_bytes">, content: SpanContent): void {
		if (this.#bytes + content_bytes > MOST_BYTES) return;
		const { span, scope, resource } = content;
		// Not the answers in which they came.
		this.#contents.set(id, { ...content, span: span.slice(), scope: scope.slice(), resource: resource.slice() });
		this.#bytes += content_bytes;
	}

	find(id: number): SpanContent | undefined {
		return this.#contents.get(id);
	}
}

/** The content of spans, without their log records, by row number. It keeps the answers in memory in which it came. */
export async function readContents(
	shard: ShardReader,
	spans: readonly ContentPlace[],
): Promise<Map<number, SpanContent>> {
	const contents = new Map<number, SpanContent>();
	for (const together of readTogether(spans))
		for (const row of await inParts(together, (part) => read(shard, part)))
			contents.set(row.id, {
				span: viewOf(row.span),
				scope: viewOf(row.scope),
				scopeSchemaUrl: row.scope_schema_url,
				resource: viewOf(row.resource),
				resourceSchemaUrl: row.resource_schema_url,
				logs: [],
			});
	return contents;
}

async function read(shard: ShardReader, part: readonly ContentPlace[]) {
	const where = new Conditions().addIn(
		"project_id",
		"Int64",
		part.map(({ project_id }) => project_id),
	);
	where.addIn(
		"start_micros",
		"Int64",
		part.map(({ start_micros }) => start_micros),
	);
	where.addIn(
		"id",
		"Int64",
		part.map(({ id }) => id),
	);
	const traceIds = () => part.map(({ trace_id }) => trace_id.toString("hex"));
	return await findRows(shard, CONTENTS, where, "", { traceIds });
}

/** The same bytes, of which a copy would take as much memory again. */
function viewOf({ buffer, byteOffset, length }: Buffer): Uint8Array {
	return new Uint8Array(buffer, byteOffset, length);
}
