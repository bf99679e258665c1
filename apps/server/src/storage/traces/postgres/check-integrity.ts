import pg, { type ClientBase } from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { present } from "#base/present.ts";
import { openSnapshot } from "#storage/postgres/snapshot.ts";
import { type MemberRow, wrongBlock } from "../content/check-block.ts";
import type { Finding } from "../finding.ts";
import { MISPLACED_ANNOTATIONS } from "../misplaced-annotations.ts";
import { MISPLACED_OCCURRENCES } from "../misplaced-occurrences.ts";
import { toHex } from "../totals/span-node.ts";
import { hasTracesInClickHouse } from "./has-traces-in-clickhouse.ts";
import { periodOfKey } from "./periods.ts";
import { recount } from "./recount.ts";
import { wrongSignatures } from "./text/check-signatures.ts";

/** Blocks in memory at a time; fewer when they reach so many bytes. */
const STEP_BLOCKS = 100;
const STEP_BYTES = 8 * 1_048_576;

/** @returns a sentence for each defect that `findDamage` finds */
export async function checkIntegrity(settings: PostgresSettings): Promise<string[]> {
	const client = await openSnapshot(settings, "check");
	try {
		const wrong: string[] = [];
		for await (const found of findDamage(client)) if (found.wrong !== undefined) wrong.push(found.wrong);
		return wrong;
	} finally {
		await client.end();
	}
}

/**
 * Checks a database: every span's content is where its row says, every reference has its target, and every total equals
 * the one recomputed from the spans. Changes nothing, and needs limited memory for any number of defects.
 * @param client in a snapshot, so servers may go on; its user needs to read only
 */
export async function* findDamage(client: ClientBase): AsyncGenerator<Finding, void> {
	try {
		yield { stage: "contents" };
		for await (const wrong of wrongContents(client)) yield { wrong };
		for await (const wrong of wrongSignatures(client)) yield { wrong };
		yield { stage: "rows" };
		for await (const wrong of misplacedRows(client)) yield { wrong };
		yield { stage: "totals" };
		for await (const wrong of recount(client)) yield { wrong };
	} catch (error) {
		if (!isOfItsFiles(error)) throw error;
		// The error has ended the transaction, and with it the snapshot.
		yield {
			wrong: `PostgreSQL cannot read its own files, and the check ended there: ${error.message} (${error.code})`,
		};
	}
}

/**
 * Internal errors, damaged data among them, and errors of the system.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
function isOfItsFiles(error: unknown): error is pg.DatabaseError {
	return error instanceof pg.DatabaseError && /^(XX|58)/.test(error.code ?? "");
}

interface BlockRow {
	readonly id: number;
	readonly month: number;
	readonly data: Uint8Array;
}

interface Member extends MemberRow {
	readonly block_id: number;
	readonly start_micros: number;
}

/** Compares the spans in each block with the rows that refer to it. */
async function* wrongContents(client: ClientBase): AsyncGenerator<string> {
	for (let after = 0; ; ) {
		const { rows } = await client.query<BlockRow>(
			`select id, month, data from (
				select *, sum(octet_length(data)) over (order by id) - octet_length(data) as bytes_before
				from (select id, month, data from blocks where id > $1 order by id limit ${STEP_BLOCKS}) as step
			) as summed where bytes_before < ${STEP_BYTES} order by id`,
			[after],
		);
		const last = rows.at(-1);
		if (last === undefined) return;
		after = last.id;
		const { rows: members } = await client.query<Member>(
			`select member.* from blocks cross join lateral (
				select block_id, span_id, start_micros, ordinal from spans
				where spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id offset 0) as member
			where blocks.id = any($1::bigint[])`,
			[rows.map(({ id }) => id)],
		);
		const ofBlocks = Map.groupBy(members, (member) => member.block_id);
		for (const { id, month, data } of rows) {
			const ownMembers = ofBlocks.get(id) ?? [];
			yield* wrongBlock(id, data, ownMembers);
			const { from, to } = periodOfKey(month);
			for (const { span_id, start_micros } of ownMembers)
				if (start_micros < from || start_micros >= to)
					yield `span ${toHex(span_id)} is of another month or day than its block ${id}`;
		}
	}
}

async function* misplacedRows(client: ClientBase): AsyncGenerator<string> {
	const checks = (await hasTracesInClickHouse(client)) ? MISPLACED : { ...MISPLACED, ...WITHOUT_SPANS };
	for (const [target, sentence] of Object.entries(checks)) {
		const { rows } = await client.query<{ number: number }>(`select count(*) as number from ${target}`);
		const { number } = present(rows[0], "the count of rows");
		if (number > 0) yield `${number} ${sentence}`;
	}
}

/**
 * Rows without their parents, and annotations and occurrences of errors whose rows differ from those of their target. `not in` is for projects
 * alone: it becomes slow where the listed ids do not fit into `work_mem`.
 */
const MISPLACED: Readonly<Record<string, string>> = {
	"spans where not exists (select from traces where traces.id = spans.trace_row_id)": "spans belong to no trace",
	"traces where not exists (select from spans where spans.trace_row_id = traces.id)": "traces have no spans",
	"blocks where not exists (select from spans where spans.id between first_span and last_span and block_id = blocks.id)":
		"blocks belong to no span",
	"spans where not exists (select from blocks where blocks.id = spans.block_id)": "spans have no block",
	[`spans join traces on traces.id = spans.trace_row_id
		where spans.project_id <> abs(traces.project_id) or spans.trace_id <> traces.trace_id`]:
		"spans are of another project or id than their trace",
	"traces where project_id not in (select id from projects) and -project_id not in (select id from projects)":
		"traces are of no project",
	"traces where session_row_id is not null and not exists (select from sessions where sessions.id = session_row_id)":
		"traces are of a session that is not there",
	"sessions where project_id not in (select id from projects)": "sessions are of no project",
	"block_text_waiting where not exists (select from blocks where blocks.id = block_id)":
		"blocks that wait for the text index are not there",
	...MISPLACED_ANNOTATIONS,
	...MISPLACED_OCCURRENCES,
};

const WITHOUT_SPANS: Readonly<Record<string, string>> = {
	"dataset_examples where span_row_id is not null and not exists (select from spans where spans.id = span_row_id)":
		"examples are of spans that are not there",
	"annotations where span_row_id is not null and not exists (select from spans where spans.id = span_row_id)":
		"annotations are of spans that are not there",
	"error_occurrences where not exists (select from spans where spans.id = span_row_id)":
		"occurrences of errors are of spans that are not there",
};
