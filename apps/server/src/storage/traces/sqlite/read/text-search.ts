import type { DatabaseSync } from "node:sqlite";
import { toHex } from "../write/span-node.ts";
import { Conditions } from "./conditions.ts";
import { containsWords, wordsOf } from "./searchable-text.ts";
import type { SpanContents } from "./span-content.ts";
import { SPAN_SUMMARY_COLUMNS, SPAN_SUMMARY_JOINS, type SpanSummaryRow } from "./span-summaries.ts";

/** One search: what narrows it in SQL, and what decides on a row. */
export interface StartedSearch {
	readonly spanCondition: Conditions;
	readonly traceCondition: Conditions;
	readonly sessionCondition: Conditions;
	matchesSpan(row: SpanSummaryRow): boolean;
	matchesTrace(traceRowId: number): boolean;
	matchesSession(sessionRowId: number): boolean;
}

/** Free-text search over spans. The decoded span decides, so the answer is exact whatever narrowed it. */
export class TextSearch {
	readonly #db: DatabaseSync;
	readonly #contents: SpanContents;

	constructor(db: DatabaseSync, contents: SpanContents) {
		this.#db = db;
		this.#contents = contents;
	}

	start(_projectId: number, text: string): StartedSearch {
		const words = wordsOf(text);
		const db = this.#db;
		const spansOf = (where: string) =>
			db.prepare(`select ${SPAN_SUMMARY_COLUMNS} from spans ${SPAN_SUMMARY_JOINS} where ${where}`);
		const matchesSpan = (row: SpanSummaryRow) =>
			containsWords(this.#contents.of(row), [toHex(row.span_id), toHex(row.trace_id)], words);
		const some = (sql: string, id: number) => {
			for (const row of spansOf(sql).iterate(id) as unknown as Iterable<SpanSummaryRow>)
				if (matchesSpan(row)) return true;
			return false;
		};
		const none = new Conditions();
		return {
			spanCondition: none,
			traceCondition: none,
			sessionCondition: none,
			matchesSpan,
			matchesTrace: (traceRowId) => some("spans.trace_row_id = ? order by spans.id", traceRowId),
			matchesSession: (sessionRowId) =>
				some("spans.trace_row_id in (select id from traces where session_row_id = ?)", sessionRowId),
		};
	}
}
