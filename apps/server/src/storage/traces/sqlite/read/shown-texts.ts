import type { DatabaseSync } from "node:sqlite";
import { present } from "#base/present.ts";
import { listRows } from "#storage/sqlite/rows.ts";
import {
	type ShownTexts,
	ShownTextsCache,
	shownTextsOf,
	spansWithTexts,
	type TextSpans,
	type TextsBySpan,
} from "#storage/traces/content/shown-texts.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import type { SpanContents } from "./span-contents.ts";

interface PlacedSpan
	extends Pick<SpanSummaryRow, "id" | "project_id" | "block_id" | "ordinal" | "trace_id" | "span_id"> {
	readonly may_change: 0 | 1;
}

/** Reads the texts that rows of a list show, from the content of their spans. */
export class ShownTextsReader {
	readonly #db: DatabaseSync;
	readonly #cache = new ShownTextsCache();

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	/** Call it in the transaction that reads the rows. */
	read(contents: SpanContents, rows: readonly TextSpans[]): TextsBySpan {
		const spans = this.#db.prepare(
			`select spans.id, spans.block_id, spans.ordinal, spans.span_id, traces.trace_id, traces.project_id,
				(${runningSql("spans")} or exists (
					select 1 from log_records where trace_id = traces.trace_id and span_id = spans.span_id
						and project_id = traces.project_id)) as may_change
			from json_each(?) as wanted cross join spans on spans.id = wanted.value
				cross join traces on traces.id = spans.trace_row_id`,
		);
		const found = new Map<number, ShownTexts>();
		const missing: PlacedSpan[] = [];
		for (const span of listRows<PlacedSpan>(spans, JSON.stringify(spansWithTexts(rows)))) {
			const known = span.may_change === 1 ? undefined : this.#cache.get(span.id);
			if (known === undefined) missing.push(span);
			else found.set(span.id, known);
		}
		for (const ofBlock of Map.groupBy(missing, ({ block_id }) => block_id).values())
			for (const [index, content] of contents.ofFirst(ofBlock).entries()) {
				const { id, may_change } = present(ofBlock[index], "the row of a content");
				const texts = shownTextsOf(content);
				found.set(id, texts);
				if (may_change === 0) this.#cache.set(id, texts);
			}
		return found;
	}
}
