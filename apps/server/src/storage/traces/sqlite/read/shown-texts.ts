import type { DatabaseSync } from "node:sqlite";
import { eachRow } from "#storage/sqlite/rows.ts";
import {
	type ShownTexts,
	shownTextsOf,
	spansWithTexts,
	type TextSpans,
	type TextsBySpan,
} from "#storage/traces/content/shown-texts.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import type { SpanContents } from "./span-contents.ts";

type PlacedSpan = Pick<SpanSummaryRow, "id" | "block_id" | "ordinal" | "trace_id" | "span_id">;

/** The texts that rows of a list show, from the content of their spans. Call it in the transaction that reads the rows. */
export function readShownTexts(db: DatabaseSync, contents: SpanContents, rows: readonly TextSpans[]): TextsBySpan {
	const texts = new Map<number, ShownTexts>();
	const spans = db.prepare(
		`select spans.id, spans.block_id, spans.ordinal, spans.span_id, traces.trace_id
		from json_each(?) as wanted cross join spans on spans.id = wanted.value
			cross join traces on traces.id = spans.trace_row_id
		order by spans.block_id, spans.ordinal`,
	);
	for (const span of eachRow<PlacedSpan>(spans, JSON.stringify(spansWithTexts(rows))))
		texts.set(span.id, shownTextsOf(contents.of(span)));
	return texts;
}
