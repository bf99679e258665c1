import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow, getRow, hasRow } from "#storage/sqlite/rows.ts";
import { decompress } from "#storage/traces/content/block.ts";
import { type TextSpans, textsOfRow } from "#storage/traces/content/shown-texts.ts";
import type { LocationRow } from "#storage/traces/rows/span-summaries.ts";
import { ShownTextsReader } from "#storage/traces/sqlite/read/shown-texts.ts";
import { SpanContents } from "#storage/traces/sqlite/read/span-contents.ts";
import type { Page } from "../side.ts";
import type { CopiedTable, Row } from "../tables.ts";
import { isSpent, SpanPage } from "./rows.ts";

/** Brings rows of traces of SQLite into the portable form. */
export class PortableSqliteRows {
	readonly #db: DatabaseSync;
	readonly #contents: SpanContents;
	readonly #texts: ShownTextsReader;
	readonly #lastStart: StatementSync;
	readonly #session: StatementSync;
	readonly #log: StatementSync;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#contents = new SpanContents(db);
		this.#texts = new ShownTextsReader(db);
		this.#lastStart = db.prepare("select max(start_micros) as last from spans where trace_row_id = ?");
		this.#session = db.prepare("select session_id from sessions where id = ?");
		this.#log = db.prepare("select 1 from log_records where trace_id = ? and span_id = ? and project_id = ? limit 1");
	}

	/** @param page rows as they are stored */
	toPortable(table: CopiedTable, page: Page): Page {
		if (table.name === "spans") return table.columns.includes("span") ? this.#spans(page) : page;
		const { rows } = page;
		if (table.name === "traces" && table.columns.includes("first_input"))
			return { ...page, rows: this.#withDerived(rows) };
		if (table.name === "log_records" && table.columns.includes("data"))
			return { ...page, rows: rows.map((row) => ({ ...row, data: decompress(row["data"] as Uint8Array) })) };
		return table.name === "hours" ? { ...page, rows: rows.filter((row) => !isSpent(row)) } : page;
	}

	#spans(page: Page): Page {
		const logsExist = hasRow(this.#db.prepare("select 1 from log_records limit 1"));
		const spans = new SpanPage();
		for (const row of page.rows) {
			const hasLogs =
				logsExist && hasRow(this.#log, row["trace_id"] ?? null, row["span_id"] ?? null, row["project_id"] ?? null);
			spans.add(row, this.#contents.spanOf(row as unknown as LocationRow), hasLogs);
			if (spans.isFull) break;
		}
		return spans.finish(page);
	}

	#withDerived(rows: readonly Row[]): Row[] {
		const texts = this.#texts.read(this.#contents, rows as unknown as readonly TextSpans[]);
		return rows.map((row) => {
			const { firstInput, lastOutput } = textsOfRow(row as unknown as TextSpans, texts);
			const session = findRow<{ session_id: string }>(this.#session, row["session_row_id"] ?? null);
			const { last } = getRow<{ last: number | null }>(this.#lastStart, row["id"] ?? null);
			const derived = { last_start_micros: last, first_input: firstInput, last_output: lastOutput };
			return { ...row, session_id: session?.session_id ?? null, ...derived };
		});
	}
}
