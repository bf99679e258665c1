import type { DatabaseSync } from "node:sqlite";
import { getRow } from "#storage/sqlite/rows.ts";
import { AttributePlaces } from "#storage/traces/analytics/attribute-places.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { SpanAttributes } from "#storage/traces/content/attribute-values.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import { SPAN_SUMMARY_COLUMNS, SPAN_SUMMARY_JOINS } from "./span-columns.ts";
import type { SpanContents } from "./span-contents.ts";

/** What stands behind the columns of a row, to find its content by. */
export const CONTENT_COLUMNS = ["spans.id", "spans.block_id", "spans.ordinal"];

/**
 * Fills in what rows of `columnsOf` lack: values of attributes, of whose span only these are decoded. Content is read as
 * the rows come, whose neighbours share blocks.
 */
export function attributeFiller(
	db: DatabaseSync,
	contents: SpanContents,
	plan: AnalyticsPlan,
): (row: unknown[]) => void {
	const places = new AttributePlaces(plan);
	const findSpan = db.prepare(`select ${SPAN_SUMMARY_COLUMNS} from spans ${SPAN_SUMMARY_JOINS} where spans.id = ?`);
	return (row) => {
		const [id, block_id, ordinal] = row.slice(-CONTENT_COLUMNS.length).map(Number) as [number, number, number];
		const content = () => contents.of(getRow<SpanSummaryRow>(findSpan, id));
		const bytes = contents.spanOf({ block_id, ordinal })?.bytes ?? content().span;
		places.fill(row, new SpanAttributes(bytes, content, places.namespaces));
	};
}
