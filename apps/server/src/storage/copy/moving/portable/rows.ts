import type { BlockSpan } from "#storage/traces/content/block.ts";
import { TOTALS_COLUMNS } from "#storage/traces/totals/totals-columns.ts";
import { CopyRefused, type Page } from "../side.ts";
import type { Row } from "../tables.ts";

/** Content that one step holds, about. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Gathers rows of spans until they have as much content as one step may have. */
export class SpanPage {
	readonly #rows: Row[] = [];
	#bytes = 0;

	get isFull(): boolean {
		return this.#bytes >= MOST_BYTES;
	}

	/**
	 * @param row gets the content, as copies of all rows would take a tenth of the time of copying
	 * @param content undefined where it cannot be read
	 */
	add(row: Row, content: BlockSpan | undefined, hasLogs: boolean): void {
		if (row["trace_id"] === null) throw new CopyRefused(`the span in row ${row["id"]} belongs to no trace`);
		this.#rows.push(Object.assign(row, contentColumns(content), { has_logs: hasLogs ? 1 : 0 }));
		this.#bytes += content === undefined ? 0 : content.bytes.length + content.resource.bytes.length;
	}

	/** @param given the page of which rows were added */
	finish(given: Page): Page {
		const isWhole = this.#rows.length === given.rows.length;
		return { rows: this.#rows, next: isWhole ? given.next : [this.#rows.at(-1)?.["id"] ?? null] };
	}
}

function contentColumns(content: BlockSpan | undefined): Row {
	const { bytes, scope, resource } = content ?? {};
	return {
		span: bytes ?? null,
		scope: scope?.bytes ?? null,
		scope_schema_url: scope?.schemaUrl ?? null,
		resource: resource?.bytes ?? null,
		resource_schema_url: resource?.schemaUrl ?? null,
	};
}

/** The content that {@link SpanPage} has put into a row. */
export function contentOfRow(row: Row): BlockSpan | undefined {
	const { span, scope, scope_schema_url, resource, resource_schema_url } = row;
	if (!(span instanceof Uint8Array && scope instanceof Uint8Array && resource instanceof Uint8Array)) return undefined;
	return {
		bytes: span,
		scope: { bytes: scope, schemaUrl: String(scope_schema_url) },
		resource: { bytes: resource, schemaUrl: String(resource_schema_url) },
	};
}

/** Whether a row of hours says nothing: where it is left depends on how its traces were deleted. */
export function isSpent(row: Row): boolean {
	return [...TOTALS_COLUMNS, "trace_count"].every((column) => (row[column] ?? 0) === 0);
}
