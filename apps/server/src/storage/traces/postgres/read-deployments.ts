import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import { withTransaction } from "#storage/postgres/pool-connection.ts";
import { storableText } from "#storage/postgres/storable-text.ts";
import { isConflict } from "#storage/postgres/storage-errors.ts";
import { readBlock } from "../content/damaged-blocks.ts";
import type { SpanNode } from "../totals/span-node.ts";
import type { TraceRow } from "../totals/trace-row.ts";
import {
	type ReadSpan,
	readUnread,
	restOf,
	STEP_SPANS,
	traceAfter,
	type UnreadRange,
	type UnreadSpan,
} from "../totals/unread-deployments.ts";
import { lockTracesExclusively, selectSpans } from "./mutate/traces.ts";
import { monthOf } from "./periods.ts";
import { query } from "./read/query.ts";
import { BEGIN_WITH_BLOCKS } from "./text/unsigned-blocks.ts";
import { nodesById } from "./write/trace-rows.ts";

/** A pause between two steps, at the least. */
const REST_MS = 20;

/** The content of a span was moved while it was read. */
class Moved extends Error {}

/**
 * Reads release and environment of the spans that were stored before there were columns for them, the newest first, and
 * rests as long as it has worked.
 * @param stopped ends the work between two steps
 * @throws StorageUnavailable
 */
export async function readDeployments(pool: pg.Pool, stopped: AbortSignal): Promise<void> {
	while (!stopped.aborted) {
		const start = performance.now();
		if (!(await tryStep(pool))) return;
		const restMs = Math.max(REST_MS, performance.now() - start);
		await sleep(restMs, undefined, { signal: stopped, ref: false }).catch(() => undefined);
	}
}

/** @returns whether there may be more to do */
async function tryStep(pool: pg.Pool): Promise<boolean> {
	try {
		return await withTransaction(pool, BEGIN_WITH_BLOCKS, step);
	} catch (error) {
		if (error instanceof Moved || isConflict(error)) return true;
		throw error;
	}
}

async function step(client: ClientBase): Promise<boolean> {
	const [range] = await query<UnreadRange>(
		client,
		`select first_span, last_span from unread_deployments order by first_span desc limit 1 for update skip locked`,
	);
	if (range === undefined) return false;
	const seen = await query<UnreadSpan>(
		client,
		`select id, trace_row_id, start_micros, block_id, ordinal from spans
		where id between ? and ? order by id desc limit ${STEP_SPANS}`,
		[range.first_span, range.last_span],
	);
	const read = readUnread(seen, await blocksOf(client, seen));
	if (read.length > 0) await write(client, read);
	const rest = restOf(range, seen);
	if (rest === undefined)
		await query(client, "delete from unread_deployments where first_span = ?", [range.first_span]);
	else
		await query(client, "update unread_deployments set last_span = ? where first_span = ?", [
			rest.last_span,
			range.first_span,
		]);
	return true;
}

async function blocksOf(client: ClientBase, spans: readonly UnreadSpan[]) {
	const rows = await query<{ id: number; data: Uint8Array }>(
		client,
		"select id, data from blocks where id = any(?::bigint[]) and month = any(?::bigint[])",
		[
			[...new Set(spans.map(({ block_id }) => block_id))],
			[...new Set(spans.map(({ start_micros }) => monthOf(start_micros)))],
		],
	);
	const data = new Map(rows.map((row) => [row.id, row.data]));
	const known = new Map<number, ReturnType<typeof readBlock>>();
	return (id: number) => {
		const found = known.get(id) ?? readBlock(id, data.get(id));
		known.set(id, found);
		return found;
	};
}

async function write(client: ClientBase, read: readonly ReadSpan[]): Promise<void> {
	const traces = await lockTracesExclusively(client, [...new Set(read.map(({ trace_row_id }) => trace_row_id))]);
	// Nobody changes them from now on.
	const locked = await selectSpans(client, "id = any($1::bigint[])", [read.map(({ id }) => id)]);
	const stored = new Map(locked.map((span) => [span.id, span]));
	const nodes = new Map<number, SpanNode>();
	const byTrace = new Map<number, SpanNode[]>(traces.map(({ id }) => [id, []]));
	for (const { id, block_id, ordinal, release, environment } of read) {
		const now = stored.get(id);
		const ofTrace = now && byTrace.get(now.traceRowId);
		// Deleted meanwhile.
		if (now === undefined) continue;
		if (ofTrace === undefined || now.block_id !== block_id || now.ordinal !== ordinal) throw new Moved();
		const node = { ...now.node, release: storable(release), environment: storable(environment) };
		nodes.set(id, node);
		ofTrace.push(node);
	}
	await updateSpans(client, [...nodes.values()]);
	// One that is being deleted has lost some of its spans.
	const whole = traces.filter(({ project_id }) => project_id > 0);
	await updateTraces(client, whole, { byTrace, nodes });
}

function storable(text: string | null): string | null {
	return text === null ? null : storableText(text);
}

async function updateSpans(client: ClientBase, nodes: readonly SpanNode[]): Promise<void> {
	await client.query(
		`update spans set release = read.release, environment = read.environment
		from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) as read (id, start_micros, release, environment)
		where spans.id = read.id and spans.start_micros = read.start_micros and spans.start_micros = any($2::bigint[])`,
		[
			nodes.map(({ id }) => id),
			nodes.map(({ startMicros }) => startMicros),
			nodes.map(({ release }) => release),
			nodes.map(({ environment }) => environment),
		],
	);
}

async function updateTraces(
	client: ClientBase,
	traces: readonly TraceRow[],
	{ byTrace, nodes }: { readonly byTrace: ReadonlyMap<number, SpanNode[]>; readonly nodes: Map<number, SpanNode> },
): Promise<void> {
	const wanted = traces
		.flatMap((row) => [row.root_span, row.release_span, row.environment_span])
		.filter((id) => id !== null && !nodes.has(id));
	for (const node of await nodesById(client, wanted as number[])) nodes.set(node.id, node);
	const nodeById = (id: number) => present(nodes.get(id), `span row ${id} that a trace refers to`);
	const after = traces.map((row) => ({ id: row.id, ...traceAfter(row, byTrace.get(row.id) ?? [], nodeById) }));
	await client.query(
		`update traces set release_span = read.release_span, release = read.release,
			environment_span = read.environment_span, environment = read.environment
		from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])
			as read (id, release_span, release, environment_span, environment)
		where traces.id = read.id`,
		[
			after.map(({ id }) => id),
			after.map(({ release_span }) => release_span),
			after.map(({ release }) => release),
			after.map(({ environment_span }) => environment_span),
			after.map(({ environment }) => environment),
		],
	);
}
