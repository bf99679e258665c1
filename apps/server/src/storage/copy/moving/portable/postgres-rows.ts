import type { ClientBase } from "pg";
import type { BlockSpan } from "#storage/traces/content/block.ts";
import { decompress } from "#storage/traces/content/block.ts";
import { type TextSpans, textsOfRow } from "#storage/traces/content/shown-texts.ts";
import { ShownTextsReader } from "#storage/traces/postgres/read/shown-texts.ts";
import { type LocatedSpan, SpanContents } from "#storage/traces/postgres/read/span-contents.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import type { Page } from "../side.ts";
import type { CopiedTable, Row } from "../tables.ts";
import { isSpent, SpanPage } from "./rows.ts";

interface TraceTimes {
	readonly id: number;
	readonly start_micros: number;
	readonly end_micros: number;
	readonly span_count: number;
}

/** Brings rows of traces of PostgreSQL into the portable form. */
export class PortablePostgresRows {
	readonly #client: ClientBase;
	readonly #contents: SpanContents;
	readonly #texts = new ShownTextsReader();

	constructor(client: ClientBase) {
		this.#client = client;
		this.#contents = new SpanContents(client);
	}

	/** @param page rows as they are stored */
	async toPortable(table: CopiedTable, page: Page): Promise<Page> {
		if (table.name === "spans") return table.columns.includes("span") ? await this.#spans(page) : page;
		const { rows } = page;
		if (table.name === "traces" && table.columns.includes("first_input"))
			return { ...page, rows: await this.#withDerived(rows) };
		if (table.name === "log_records" && table.columns.includes("data"))
			return { ...page, rows: rows.map((row) => ({ ...row, data: decompress(row["data"] as Uint8Array) })) };
		return table.name === "hours" ? { ...page, rows: rows.filter((row) => !isSpent(row)) } : page;
	}

	async #spans(page: Page): Promise<Page> {
		const spans = new SpanPage();
		const located = page.rows as unknown as readonly (LocatedSpan & Row)[];
		for await (const { row, content, isDamaged } of this.#contents.read(located)) {
			spans.add(row, isDamaged ? undefined : toBlockSpan(content), content.logs.length > 0);
			if (spans.isFull) break;
		}
		return spans.finish(page);
	}

	async #withDerived(rows: readonly Row[]): Promise<Row[]> {
		const traces = rows as unknown as readonly (TextSpans & TraceTimes)[];
		const texts = await this.#texts.read(this.#client, traces);
		const lastStarts = await this.#lastStarts(traces);
		const { rows: found } = await this.#client.query<{ id: number; session_id: string }>(
			"select id, session_id from sessions where id = any($1::bigint[])",
			[[...new Set(rows.flatMap((row) => row["session_row_id"] ?? []))]],
		);
		const sessions = new Map(found.map(({ id, session_id }) => [id, session_id]));
		return rows.map((row) => {
			const { firstInput, lastOutput } = textsOfRow(row as unknown as TextSpans, texts);
			return {
				...row,
				session_id: sessions.get(Number(row["session_row_id"])) ?? null,
				last_start_micros: lastStarts.get(Number(row["id"])) ?? null,
				...{ first_input: firstInput, last_output: lastOutput },
			};
		});
	}

	/** The start of the span that starts last, by row number of the trace. */
	async #lastStarts(traces: readonly TraceTimes[]): Promise<ReadonlyMap<number, number>> {
		// Nearly all spans start between the start and the end of their trace, which leaves out most partitions.
		const near = await this.#startsOf(traces, {
			from: traces.reduce((first, { start_micros }) => Math.min(first, start_micros), Number.MAX_SAFE_INTEGER),
			to: traces.reduce((last, { end_micros }) => Math.max(last, end_micros), 0),
		});
		const others = traces.filter(({ id, span_count }) => near.get(id)?.spans !== span_count);
		const far = others.length === 0 ? new Map() : await this.#startsOf(others, undefined);
		return new Map([...near, ...far].map(([id, { last }]) => [id, last]));
	}

	async #startsOf(
		traces: readonly TraceTimes[],
		range: { readonly from: number; readonly to: number } | undefined,
	): Promise<ReadonlyMap<number, { readonly last: number; readonly spans: number }>> {
		const { rows } = await this.#client.query<{ id: number; last: number; spans: number }>(
			`select trace_row_id as id, max(start_micros) as last, count(*) as spans from spans
			where trace_row_id = any($1::bigint[]) ${range === undefined ? "" : "and start_micros between $2 and $3"}
			group by trace_row_id`,
			[traces.map(({ id }) => id), ...(range === undefined ? [] : [range.from, range.to])],
		);
		return new Map(rows.map(({ id, last, spans }) => [id, { last, spans }]));
	}
}

function toBlockSpan({ span, scope, scopeSchemaUrl, resource, resourceSchemaUrl }: SpanContent): BlockSpan {
	return {
		bytes: span,
		scope: { bytes: scope, schemaUrl: scopeSchemaUrl },
		resource: { bytes: resource, schemaUrl: resourceSchemaUrl },
	};
}
