import type pg from "pg";
import { AttributePlaces } from "#storage/traces/analytics/attribute-places.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { SpanAttributes } from "#storage/traces/content/attribute-values.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import { listSpanRows } from "./list-spans.ts";
import { SpanContents } from "./span-contents.ts";

/** What stands behind the columns of a row, to find its content by. */
export const CONTENT_COLUMNS = ["spans.block_id", "spans.ordinal", "spans.id"];

const NOTHING = new Uint8Array();

/**
 * Fills in what rows of `columnsOf` lack: values of attributes, of whose span only these are decoded. What is derived from
 * more than the span itself, such as its resource or log records, is read once more for the spans that need it.
 */
export function attributeFiller(
	client: pg.ClientBase,
	plan: AnalyticsPlan,
	projectId: number,
): (rows: readonly unknown[][]) => Promise<void> {
	const places = new AttributePlaces(plan);
	const contents = new SpanContents(client);
	const fillFromContent = async (rows: ReadonlyMap<number, unknown[]>) => {
		const rowIds = [...rows.keys()];
		const spans = await listSpanRows(client, { projectId, rowIds, sort: "id", order: "desc", limit: rowIds.length });
		for await (const { row, content } of contents.read(spans.items))
			places.fill(rows.get(row.id) ?? [], new SpanAttributes(content.span, () => content, places.namespaces));
	};
	return async (rows) => {
		const located = rows.map((row) => {
			const [block_id, ordinal, id] = row.slice(-CONTENT_COLUMNS.length).map(Number) as [number, number, number];
			return { row, id, block_id, ordinal, start_micros: Number(row[0]) };
		});
		const left = new Map<number, unknown[]>();
		for await (const spans of contents.readSpans(located)) {
			for (const { of, span } of spans) {
				let needsContent = span === undefined;
				const content = (): SpanContent => {
					needsContent = true;
					const without = { scope: NOTHING, scopeSchemaUrl: "", resource: NOTHING, resourceSchemaUrl: "", logs: [] };
					return { span: span?.bytes ?? NOTHING, ...without };
				};
				if (span !== undefined) places.fill(of.row, new SpanAttributes(span.bytes, content, places.namespaces));
				if (needsContent) left.set(of.id, of.row);
			}
		}
		if (left.size > 0) await fillFromContent(left);
	};
}
