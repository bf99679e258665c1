import type pg from "pg";
import { present } from "#base/present.ts";
import { makeClient, types } from "#storage/postgres/connection.ts";
import { type MemberRow, wrongBlock } from "../content/check-block.ts";
import { MISPLACED_ANNOTATIONS } from "../misplaced-annotations.ts";
import { toHex } from "../totals/span-node.ts";
import { monthOf } from "./partitions.ts";
import { recount } from "./recount.ts";

/** Blocks in memory at a time. */
const STEP_BLOCKS = 100;

/**
 * Checks a database: every span's content is where its row says, every reference has its target, and every total equals
 * the one recomputed from the spans. Changes nothing. Reads one snapshot, so servers may go on.
 * @param url `postgresql://…`, with a user who may read
 * @returns a sentence for each defect
 */
export async function checkIntegrity(url: string, schema: string): Promise<string[]> {
	const client = makeClient({ connectionString: url, types });
	await client.connect();
	try {
		await client.query("begin isolation level repeatable read read only");
		await client.query("select set_config('search_path', quote_ident($1), true), set_config('jit', 'off', true)", [
			schema,
		]);
		const wrong: string[] = [];
		for await (const sentence of findDamage(client)) wrong.push(sentence);
		return wrong;
	} finally {
		await client.end();
	}
}

async function* findDamage(client: pg.Client): AsyncGenerator<string> {
	for (const [rows, sentence] of Object.entries(MISPLACED)) {
		const { rows: counted } = await client.query<{ number: number }>(`select count(*) as number from ${rows}`);
		const { number } = present(counted[0], "the count of rows");
		if (number > 0) yield `${number} ${sentence}`;
	}
	yield* wrongContents(client);
	yield* recount(client);
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

async function* wrongContents(client: pg.Client): AsyncGenerator<string> {
	for (let after = 0; ; ) {
		const { rows } = await client.query<BlockRow>(
			`select id, month, data from blocks where id > $1 order by id limit ${STEP_BLOCKS}`,
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
			for (const { span_id, start_micros } of ownMembers)
				if (monthOf(start_micros) !== month) yield `span ${toHex(span_id)} is of another month than its block ${id}`;
		}
	}
}

/** Rows without their parents, and annotations whose rows differ from those of their target. */
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
	"traces where session_row_id is not null and session_row_id not in (select id from sessions)":
		"traces are of a session that is not there",
	"sessions where project_id not in (select id from projects)": "sessions are of no project",
	"block_text where not exists (select from blocks where blocks.id = block_id)":
		"blocks of the text index are not there",
	"block_text_waiting where not exists (select from blocks where blocks.id = block_id)":
		"blocks that wait for the text index are not there",
	"dataset_examples where span_row_id is not null and not exists (select from spans where spans.id = span_row_id)":
		"examples are of spans that are not there",
	"annotations where span_row_id is not null and not exists (select from spans where spans.id = span_row_id)":
		"annotations are of spans that are not there",
	...MISPLACED_ANNOTATIONS,
};
