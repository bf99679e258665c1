import type { DatabaseSync } from "node:sqlite";
import { decodeSpan } from "@spanward/otlp";
import { openForWriting } from "../../sqlite/connection.ts";
import { unpackBlock } from "../content/block.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { toHex } from "../totals/span-node.ts";
import { rebuildTrace } from "./mutate/rebuild-trace.ts";
import { WriteTransaction } from "./write/write-transaction.ts";

/**
 * Checks a database file that no server uses: the file itself, that every span's content is where its row says, and that
 * every total is what the spans give when it is computed anew. Changes nothing.
 * @returns a sentence for each thing that is wrong
 */
export function checkIntegrity(path: string): string[] {
	const db = openForWriting(path, 64);
	try {
		return [...wrongFile(db), ...wrongContent(db), ...wrongTotals(db)];
	} finally {
		db.close();
	}
}

function wrongFile(db: DatabaseSync): string[] {
	const rows = db.prepare("pragma integrity_check").all();
	return rows.map((row) => String(row["integrity_check"])).filter((result) => result !== "ok");
}

function wrongContent(db: DatabaseSync): string[] {
	const wrong: string[] = [];
	const count = (sql: string, sentence: string) => {
		const number = Number(db.prepare(`select count(*) as number from ${sql}`).get()?.["number"]);
		if (number > 0) wrong.push(`${number} ${sentence}`);
	};
	count("spans where trace_row_id not in (select id from traces)", "spans belong to no trace");
	count("traces where id not in (select trace_row_id from spans)", "traces have no spans");
	count("blocks where id not in (select block_id from spans)", "blocks belong to no span");
	count("spans where block_id not in (select id from blocks)", "spans have no block");
	for (const [target, sentence] of Object.entries(MISPLACED)) count(target, sentence);
	const members = db.prepare("select span_id, ordinal from spans where id between ? and ? and block_id = ?");
	for (const row of db.prepare("select id, first_span, last_span, data from blocks").iterate()) {
		const block = unpackBlock(row["data"] as Uint8Array);
		const spans = members.all(Number(row["first_span"]), Number(row["last_span"]), Number(row["id"]));
		if (spans.length !== block.length)
			wrong.push(`block ${row["id"]} holds ${block.length} spans, ${spans.length} rows refer to it`);
		for (const { span_id, ordinal } of spans) {
			const bytes = block[Number(ordinal)]?.bytes;
			const spanId = toHex(span_id as Uint8Array);
			if (bytes === undefined || decodeSpan(bytes).spanId !== spanId)
				wrong.push(`span ${spanId} is not at place ${ordinal} of block ${row["id"]}`);
		}
	}
	return wrong;
}

/** Annotations that are elsewhere than what they are on; a trace that is being deleted has a negative project. */
const MISPLACED: Readonly<Record<string, string>> = {
	pragma_foreign_key_check: "rows refer to rows that are not there",
	[`annotations join spans on spans.id = annotations.span_row_id where annotations.target_row_id <> spans.id
		or annotations.trace_row_id is not spans.trace_row_id or annotations.project_id <> spans.project_id`]:
		"annotations of spans are not where their span is",
	[`annotations join traces on traces.id = annotations.trace_row_id where annotations.project_id <> abs(traces.project_id)
		or annotations.target = 'trace' and annotations.target_row_id <> traces.id`]:
		"annotations of traces are not where their trace is",
	[`annotations join sessions on sessions.id = annotations.session_row_id
		where annotations.target_row_id <> sessions.id or annotations.project_id <> sessions.project_id`]:
		"annotations of sessions are not where their session is",
	[`annotations where (span_row_id is not null) <> (target in ('span', 'document'))
		or (trace_row_id is null) <> (target = 'session') or (session_row_id is not null) <> (target = 'session')`]:
		"annotations are on nothing that their kind is of",
};

const TABLES = ["traces", "sessions", "hours", "spans"] as const;

function wrongTotals(db: DatabaseSync): string[] {
	db.exec("begin immediate");
	try {
		for (const table of TABLES) db.exec(`create temp table before_${table} as select * from ${table}`);
		const transaction = new WriteTransaction(db, readStoredTexts);
		db.exec("delete from hours");
		transaction.within(() => {
			for (const { id } of db.prepare("select id from traces where project_id > 0").all()) {
				const row = transaction.traces.traceById(Number(id));
				if (row === undefined) continue;
				const root = { kind: row.root_kind, model: row.root_model };
				transaction.hours.addTrace(row.project_id, row.start_micros, root, 1);
				rebuildTrace(transaction, row, "keep");
			}
		});
		return TABLES.flatMap((table) => {
			const differing = db
				.prepare(`select * from before_${table} except select * from ${table}`)
				.all()
				.concat(db.prepare(`select * from ${table} except select * from before_${table}`).all());
			return differing.map((row) => `${table} has other totals than its spans give: ${describe(row)}`);
		});
	} finally {
		db.exec("rollback");
	}
}

function describe(row: Record<string, unknown>): string {
	return JSON.stringify(row, (_key, value) => (value instanceof Uint8Array ? toHex(value) : value));
}
