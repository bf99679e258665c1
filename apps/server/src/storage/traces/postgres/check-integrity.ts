import { decodeSpan } from "@spanward/otlp";
import type pg from "pg";
import { makeClient, types } from "../../postgres/connection.ts";
import { monthOf } from "../../postgres/partitions.ts";
import { type BlockSpan, unpackBlock } from "../content/block.ts";
import { toHex } from "../totals/span-node.ts";
import { recount } from "./recount.ts";

/** Blocks that are in memory at a time. */
const STEP_BLOCKS = 100;

/**
 * Checks a database: that every span's content is where its row says, that nothing refers to what is not there, and that
 * every total is what the spans give when it is computed anew. Changes nothing, and servers may go on using the database:
 * it is read as it is at one moment.
 * @param url `postgresql://…`, of a user who may read
 * @returns a sentence for each thing that is wrong
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
		const number = counted[0]?.number ?? 0;
		if (number > 0) yield `${number} ${sentence}`;
	}
	yield* wrongContent(client);
	yield* recount(client);
}

interface BlockRow {
	readonly id: number;
	readonly month: number;
	readonly data: Uint8Array;
}

interface Member {
	readonly block_id: number;
	readonly span_id: Uint8Array;
	readonly start_micros: number;
	readonly ordinal: number;
}

async function* wrongContent(client: pg.Client): AsyncGenerator<string> {
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
		for (const row of rows) yield* wrongBlock(row, ofBlocks.get(row.id) ?? []);
	}
}

function* wrongBlock({ id, month, data }: BlockRow, members: readonly Member[]): Generator<string> {
	const block = unpacked(data);
	if (block === undefined) {
		yield `block ${id} cannot be read`;
		return;
	}
	if (members.length !== block.length)
		yield `block ${id} holds ${block.length} spans, ${members.length} rows refer to it`;
	for (const { span_id, start_micros, ordinal } of members) {
		const bytes = block[ordinal]?.bytes;
		const spanId = toHex(span_id);
		if (bytes === undefined || decodeSpan(bytes).spanId !== spanId)
			yield `span ${spanId} is not at place ${ordinal} of block ${id}`;
		if (monthOf(start_micros) !== month) yield `span ${spanId} is of another month than its block ${id}`;
	}
}

function unpacked(data: Uint8Array): BlockSpan[] | undefined {
	try {
		return unpackBlock(data);
	} catch (error) {
		if (error instanceof Error) return undefined;
		throw error;
	}
}

/** Rows without what they belong to, and annotations that are elsewhere than what they are on; a trace that is being deleted has a negative project. */
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
	[`annotations join spans on spans.id = annotations.span_row_id where annotations.target_row_id <> spans.id
		or annotations.trace_row_id is distinct from spans.trace_row_id or annotations.project_id <> spans.project_id`]:
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
