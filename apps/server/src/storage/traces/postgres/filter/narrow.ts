import type { Condition, FilterTarget } from "@spanward/filter-language";
import { present } from "#base/present.ts";
import { annotatedRow, FewestRows, MOST_ROWS } from "#storage/traces/filter/fewest-rows.ts";
import { type Need, needsOf, wordsOfOneSpan } from "#storage/traces/filter/needs.ts";
import { bytesOfHex, type Queryable, query } from "../read/query.ts";
import { candidateBlocks } from "../text/candidate-blocks.ts";
import { type FoundSpan, SpansWithWords } from "../text/spans-with-words.ts";

interface Narrowed {
	/** Row numbers; no other row can match. */
	readonly rows?: readonly number[];
	/** Block numbers; spans of other blocks cannot match. */
	readonly blocks?: readonly number[];
}

/** With more blocks the words are so common that scanning the list finds them soon. */
const MOST_BLOCKS = 5_000;
/** Up to this many blocks are searched for spans that contain the words. */
const FEW_BLOCKS = 600;
/** Blocks of huge spans take longer; after this time the list is scanned instead. */
const LOOK_MS = 600;

/** Asks the indexes which rows can match, given the parts of a conjunction. */
export async function narrow(
	client: Queryable,
	projectId: number,
	target: FilterTarget,
	parts: readonly Condition[],
): Promise<Narrowed> {
	const needs = parts.flatMap((part) => needsOf(part, target));
	const fewest = new FewestRows();
	for (const need of needs) {
		if (need.type === "ids") fewest.offer(await rowsOfIds(client, projectId, need));
		if (need.type === "annotation") fewest.offer(await rowsOfAnnotation(client, projectId, target, need));
		if (need.type === "failure") fewest.offer(await spansOfFailures(client, projectId, need));
	}
	let blocks: readonly number[] | undefined;
	for (const words of wordsOfOneSpan(needs, target)) {
		if (fewest.areFew) break;
		const candidates = await candidateBlocks(client, words);
		if (candidates === undefined) continue;
		const listed = await candidates.list(MOST_BLOCKS);
		if (listed === undefined) continue;
		if (target === "span") blocks = [...listed.keys()];
		if (listed.size <= FEW_BLOCKS) fewest.offer(await rowsOfWords(client, projectId, target, listed, words));
	}
	const { rows } = fewest;
	return { ...(rows === undefined ? {} : { rows }), ...(blocks === undefined ? {} : { blocks }) };
}

async function rowsOfIds(
	client: Queryable,
	projectId: number,
	{ of, ids, inSpans }: Need & { type: "ids" },
): Promise<number[] | undefined> {
	if (of === "span")
		return limited(
			await query(client, "select id from spans where span_id = any(?::bytea[]) and project_id = ?", [
				ids.map(bytesOfHex),
				projectId,
			]),
		);
	const hexes = ids.map(bytesOfHex);
	if (!inSpans)
		return limited(
			await query(client, "select id from traces where trace_id = any(?::bytea[]) and project_id = ?", [
				hexes,
				projectId,
			]),
		);
	return limited(
		await query(
			client,
			`select spans.id from traces
				join spans on spans.trace_row_id = traces.id and spans.start_micros >= traces.start_micros
			where traces.trace_id = any(?::bytea[]) and traces.project_id = ? limit ?`,
			[hexes, projectId, MOST_ROWS + 1],
		),
	);
}

async function rowsOfAnnotation(
	client: Queryable,
	projectId: number,
	target: FilterTarget,
	need: Need & { type: "annotation" },
): Promise<number[] | undefined> {
	const column = annotatedRow(target, need.target);
	if (column === undefined) return undefined;
	// If there are too many rows, they are not sent.
	const rows = await query<{ id: number | null; named: number }>(
		client,
		`with named as materialized (
			select ${column} as id from annotations where project_id = ? and target = ? and name = ? limit ${MOST_ROWS + 1}
		)
		select distinct id, counted.named from (select count(*) as named from named) as counted
			left join named on counted.named <= ${MOST_ROWS}`,
		[projectId, need.target, need.name],
	);
	return present(rows[0], "the count of annotations").named > MOST_ROWS ? undefined : limited(rows);
}

async function spansOfFailures(
	client: Queryable,
	projectId: number,
	{ by, values }: Need & { type: "failure" },
): Promise<number[] | undefined> {
	const where =
		by === "group"
			? "group_id in (select id from error_groups where project_id = ? and fingerprint = any(?::text[]))"
			: `project_id = ? and ${by} = any(?::text[])`;
	return limited(
		await query(client, `select span_row_id as id from error_occurrences where ${where} limit ?`, [
			projectId,
			values,
			MOST_ROWS + 1,
		]),
	);
}

async function rowsOfWords(
	client: Queryable,
	projectId: number,
	target: FilterTarget,
	blocks: ReadonlyMap<number, number>,
	words: readonly string[],
): Promise<number[] | undefined> {
	const deadline = performance.now() + LOOK_MS;
	const spans = await new SpansWithWords(client).find(projectId, blocks, words, deadline);
	if (spans === undefined || spans.length > MOST_ROWS) return undefined;
	const rowOf = (span: FoundSpan) =>
		({ span: span.id, trace: span.trace_row_id, session: span.session_row_id })[target];
	return [...new Set(spans.map(rowOf).filter((row) => row !== null))];
}

function limited(rows: readonly { readonly id: number | null }[]): number[] | undefined {
	if (rows.length > MOST_ROWS) return undefined;
	return rows.flatMap(({ id }) => (id === null ? [] : [id]));
}
