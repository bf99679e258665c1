import { DatabaseSync } from "node:sqlite";
import { schemaVersionOf } from "#storage/copy/backup.ts";
import { eachRow, getRow, listRows } from "#storage/sqlite/rows.ts";
import { schemaDifferences } from "#storage/sqlite/schema-differences.ts";
import { type MemberRow, wrongBlock } from "../content/check-block.ts";
import type { Finding } from "../finding.ts";
import { MISPLACED_ANNOTATIONS } from "../misplaced-annotations.ts";
import { MISPLACED_OCCURRENCES } from "../misplaced-occurrences.ts";
import { recount } from "./recount.ts";
import { wrongSignatures } from "./text/check-signatures.ts";

/**
 * Checks a database file: the file itself, that every span's content is where its row says, that searches miss none of
 * it, and that every total equals the one recomputed from the spans. Changes nothing. Reads one snapshot, so servers may go on.
 * @returns a sentence for each defect
 */
export function checkIntegrity(path: string): string[] {
	return [...findDamage(path)].map((found) => found.wrong).filter((wrong) => wrong !== undefined);
}

/** As `checkIntegrity`, with limited memory for any number of defects. */
export function* findDamage(path: string): Generator<Finding, void> {
	const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
	try {
		db.exec("pragma cache_size = -65536; pragma temp_store = file; begin; select 1 from sqlite_schema limit 1");
		yield { stage: "the schema" };
		for (const wrong of schemaDifferences(db, schemaVersionOf(db))) yield { wrong };
		yield { stage: "the file" };
		for (const wrong of wrongFile(db)) yield { wrong };
		yield { stage: "contents" };
		for (const wrong of wrongContents(db)) yield { wrong };
		yield { stage: "rows" };
		for (const wrong of misplacedRows(db)) yield { wrong };
		for (const wrong of wrongSignatures(db)) yield { wrong };
		yield { stage: "totals" };
		for (const wrong of recount(db)) yield { wrong };
	} finally {
		db.close();
	}
}

function* wrongFile(db: DatabaseSync): Generator<string> {
	for (const row of eachRow<{ integrity_check: string }>(db.prepare("pragma main.integrity_check")))
		if (row.integrity_check !== "ok") yield row.integrity_check;
}

interface BlockRow {
	readonly id: number;
	readonly first_span: number;
	readonly last_span: number;
	readonly data: Uint8Array;
}

/** Compares the spans in each block with the rows that refer to it. */
function* wrongContents(db: DatabaseSync): Generator<string> {
	const members = db.prepare("select span_id, ordinal from spans where id between ? and ? and block_id = ?");
	const blocks = db.prepare("select id, first_span, last_span, data from blocks");
	for (const { id, first_span, last_span, data } of eachRow<BlockRow>(blocks))
		yield* wrongBlock(id, data, listRows<MemberRow>(members, first_span, last_span, id));
}

function* misplacedRows(db: DatabaseSync): Generator<string> {
	for (const [target, sentence] of Object.entries(MISPLACED)) {
		const { number } = getRow<{ number: number }>(db.prepare(`select count(*) as number from ${target}`));
		if (number > 0) yield `${number} ${sentence}`;
	}
}

/** Rows without their parents, and annotations and occurrences of errors whose rows differ from those of their target. */
const MISPLACED: Readonly<Record<string, string>> = {
	"spans where trace_row_id not in (select id from traces)": "spans belong to no trace",
	"traces where id not in (select trace_row_id from spans)": "traces have no spans",
	"blocks where id not in (select block_id from spans)": "blocks belong to no span",
	"spans where block_id not in (select id from blocks)": "spans have no block",
	pragma_foreign_key_check: "rows refer to rows that are not there",
	...MISPLACED_ANNOTATIONS,
	...MISPLACED_OCCURRENCES,
};
