import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Condition, FilterTarget } from "@spanward/filter-language";
import { listRows } from "#storage/sqlite/rows.ts";
import { annotatedRow, FewestRows, MOST_ROWS } from "#storage/traces/filter/fewest-rows.ts";
import { type Need, needsOf, wordsOfOneSpan } from "#storage/traces/filter/needs.ts";
import { findRowsBySpanIds } from "../read/span-lookup.ts";
import { type CandidateBlocks, candidateBlocks } from "../text/candidate-blocks.ts";

interface Narrowed {
	/** Row numbers; no other row can match. */
	readonly rows?: readonly number[];
	/** Spans of other blocks cannot match. Only of conditions on spans. */
	readonly blocks?: CandidateBlocks;
	/** In lower case; a span without one of them cannot match. Only of conditions on spans. */
	readonly words?: readonly string[];
}

interface Found {
	readonly id: number;
}

/** Up to this many blocks are turned into a list of their spans. */
const FEW_BLOCKS = 300;

/**
 * Asks the indexes which rows can match, given the parts of a conjunction.
 * @param byBlock the list looks for the blocks with the words itself
 */
export function narrow(
	db: DatabaseSync,
	projectId: number,
	target: FilterTarget,
	parts: readonly Condition[],
	byBlock = false,
): Narrowed {
	const needs = parts.flatMap((part) => needsOf(part, target));
	const fewest = new FewestRows();
	for (const need of needs) {
		if (need.type === "ids") fewest.offer(rowsOfIds(db, projectId, need));
		if (need.type === "annotation") fewest.offer(rowsOfAnnotation(db, projectId, target, need));
		if (need.type === "failure") fewest.offer(spansOfFailures(db, projectId, need));
	}
	const groups = wordsOfOneSpan(needs, target);
	let blocks: CandidateBlocks | undefined;
	for (const words of byBlock ? [] : groups) {
		if (fewest.areFew) break;
		const candidates = candidateBlocks(db, words);
		if (candidates === undefined) continue;
		if (target === "span") blocks = candidates;
		const few = candidates.list(FEW_BLOCKS);
		if (few !== undefined) fewest.offer(rowsOfBlocks(db, projectId, target, few));
	}
	const { rows } = fewest;
	const [words] = target === "span" ? groups : [];
	return {
		...(rows === undefined ? {} : { rows }),
		...(blocks === undefined ? {} : { blocks }),
		...(words === undefined ? {} : { words }),
	};
}

function rowsOfIds(
	db: DatabaseSync,
	projectId: number,
	{ of, ids, inSpans }: Need & { type: "ids" },
): number[] | undefined {
	if (of === "span")
		return findRowsBySpanIds(
			db,
			ids.filter((id) => /^[0-9a-f]{16}$/.test(id)),
		);
	const traces = listRows<Found>(
		db.prepare("select id from traces where project_id = ? and trace_id in (select unhex(value) from json_each(?))"),
		projectId,
		JSON.stringify(ids.filter((id) => /^[0-9a-f]{32}$/.test(id))),
	).map(({ id }) => id);
	if (!inSpans) return traces;
	return limited(
		db.prepare("select id from spans where trace_row_id in (select value from json_each(?)) limit ?"),
		JSON.stringify(traces),
	);
}

function rowsOfAnnotation(
	db: DatabaseSync,
	projectId: number,
	target: FilterTarget,
	need: Need & { type: "annotation" },
): number[] | undefined {
	const column = annotatedRow(target, need.target);
	if (column === undefined) return undefined;
	return limited(
		db.prepare(
			`select ${column} as id from annotations indexed by annotations_by_name
			where project_id = ? and target = ? and name = ? limit ?`,
		),
		projectId,
		need.target,
		need.name,
	);
}

function spansOfFailures(
	db: DatabaseSync,
	projectId: number,
	{ by, values }: Need & { type: "failure" },
): number[] | undefined {
	const where =
		by === "group"
			? `group_id in (
				select id from error_groups where project_id = ?1 and fingerprint in (select value from json_each(?2)))`
			: `project_id = ?1 and ${by} in (select value from json_each(?2))`;
	return limited(
		db.prepare(`select span_row_id as id from error_occurrences where ${where} limit ?3`),
		projectId,
		JSON.stringify(values),
	);
}

function rowsOfBlocks(
	db: DatabaseSync,
	projectId: number,
	target: FilterTarget,
	blocks: readonly number[],
): number[] | undefined {
	const columns: Readonly<Record<FilterTarget, string>> = {
		span: "spans.id",
		trace: "spans.trace_row_id",
		session: "(select session_row_id from traces where traces.id = spans.trace_row_id)",
	};
	return limited(
		db.prepare(
			`select distinct ${columns[target]} as id from json_each(?) as wanted cross join blocks on blocks.id = wanted.value
				cross join spans on spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id
			where spans.project_id = ? limit ?`,
		),
		JSON.stringify(blocks),
		projectId,
	);
}

/** The row numbers that a statement selects, whose last placeholder is its limit; undefined when there are too many. */
function limited(statement: StatementSync, ...values: readonly SQLInputValue[]): number[] | undefined {
	const rows = listRows<{ id: number | null }>(statement, ...values, MOST_ROWS + 1);
	if (rows.length > MOST_ROWS) return undefined;
	return [...new Set(rows.map(({ id }) => id).filter((id) => id !== null))];
}
