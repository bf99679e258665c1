import { pickColumns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { Keyset, SessionQuery } from "#storage/traces/trace-store.ts";
import type { Plan } from "../filter/plan.ts";
import { olderSql } from "../readings/older.ts";
import { SESSIONS, type SessionRow } from "../tables.ts";
import { inParts, type Range } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { byKey, firstOf } from "./first-of.ts";
import { inRounds } from "./in-rounds.ts";
import { findRows, selectByKey, selectFinal } from "./query.ts";
import { addTotals, findWithTotals, readWithTotals } from "./session-parts.ts";
import type { SessionWithTotals } from "./session-totals.ts";

/** A part of a list of sessions that have traces on several shards. */
export interface AcrossShards {
	readonly query: Omit<SessionQuery, "sort">;
	readonly plan: Plan<SessionWithTotals>;
	/** Whether the list is in the order of row numbers. */
	readonly isByNumber: boolean;
	/** Whether it is, and has no condition on totals. */
	readonly isPlain: boolean;
	readonly keyOf: (row: SessionWithTotals) => Keyset;
	/** Strictly after this position. */
	readonly after: Keyset | undefined;
	readonly limit: number;
	readonly part: (Range & { readonly column: "id" | "start_micros" }) | undefined;
}

/** The first rows of a part: which they are is decided here, as no shard knows the totals. */
export async function readAcrossShards(shards: ShardReader, list: AcrossShards): Promise<readonly SessionWithTotals[]> {
	const { query, keyOf, limit, part } = list;
	const rows = (await readCandidates(shards, list)).filter(
		(row) => isAfter(keyOf(row), list) && isWanted(row, query, part),
	);
	return firstOf(rows, limit, byKey(query.order, keyOf));
}

function isAfter({ value, id }: Keyset, { query, after, isByNumber }: AcrossShards): boolean {
	if (after === undefined) return true;
	const beyond = isByNumber || value === after.value ? id - after.id : value - after.value;
	return query.order === "asc" ? beyond > 0 : beyond < 0;
}

function isWanted(
	{ start_micros, error_count }: SessionWithTotals,
	{ startMicros, endMicros, error }: AcrossShards["query"],
	part: AcrossShards["part"],
): boolean {
	if (startMicros !== undefined && start_micros < Math.ceil(startMicros)) return false;
	if (endMicros !== undefined && start_micros >= Math.ceil(endMicros)) return false;
	if (part?.column === "start_micros" && (start_micros < part.from || start_micros >= part.to)) return false;
	return error === undefined || error === error_count > 0;
}

async function readCandidates(shards: ShardReader, list: AcrossShards): Promise<readonly SessionWithTotals[]> {
	const { query, isPlain, part } = list;
	const ids = await candidates(shards, list);
	if (ids !== undefined) return await findWithTotals(shards, isPlain ? firstIds(ids, list) : ids);
	if (isPlain) return await firstSessions(shards, list);
	const of = (column: string) => {
		const where = new Conditions().addEqual("project_id", "Int64", query.projectId);
		return part === undefined ? where : addRange(where, column, part);
	};
	return await readWithTotals(shards, { sessions: of("id"), traces: of("session_row_id") });
}

function addRange(where: Conditions, column: string, { from, to }: Range): Conditions {
	return where.add(`${column} >= ${where.bind("Int64", from)} and ${column} < ${where.bind("Int64", to)}`);
}

/** Row numbers of the sessions of the part that fulfil what traces on each shard tell; undefined where that is nothing. */
async function candidates(shards: ShardReader, list: AcrossShards): Promise<readonly number[] | undefined> {
	const { query, plan, part } = list;
	const found: (readonly number[])[] = [];
	if (query.rowIds !== undefined) found.push(query.rowIds);
	if (plan.rowIds !== undefined) found.push(plan.rowIds);
	if (part?.column === "start_micros") found.push(await startingIn(shards, query.projectId, part));
	const within = intersection(found);
	if (query.userIds !== undefined) {
		const { userIds } = query;
		const orOlder = plan.readsAnew ? olderSql("traces") : undefined;
		found.push(await sessionsOf(shards, list, within, (where) => where.addIn("user_id", "String", userIds, orOlder)));
	}
	for (const search of plan.searches)
		found.push(await sessionsOf(shards, list, within, async (where) => where.add(`id in (${await search(where)})`)));
	return intersection(found);
}

function intersection(lists: readonly (readonly number[])[]): readonly number[] | undefined {
	const [first, ...others] = lists;
	if (first === undefined) return undefined;
	const sets = others.map((other) => new Set(other));
	return [...new Set(first)].filter((id) => sets.every((set) => set.has(id)));
}

/** Those of which a trace starts within the range, or that are said to without any trace. */
async function startingIn(shards: ShardReader, projectId: number, range: Range): Promise<readonly number[]> {
	const where = new Conditions().addEqual("project_id", "Int64", projectId);
	addRange(where, "start_micros", range);
	const anchored = `anchor_micros >= ${where.bind("Int64", range.from)}`;
	const rows = await selectFinal(
		shards,
		// A trace starts no later than its anchor, by which rows lie.
		`select distinct id from (
			select assumeNotNull(session_row_id) as id from traces
			where session_row_id is not null and ${where.sql} and ${anchored}
			union all select id from sessions where ${where.sql}
		)`,
		{ id: types.Integer },
		where.params,
	);
	return [...new Set(rows.map(({ id }) => id))];
}

/** The sessions of traces that fulfil a condition. @param within of these alone; of all of the part when absent */
async function sessionsOf(
	shards: ShardReader,
	{ query, part }: AcrossShards,
	within: readonly number[] | undefined,
	narrow: (where: Conditions) => unknown,
): Promise<readonly number[]> {
	const find = async (ids: readonly number[] | undefined) => {
		const where = new Conditions().addEqual("project_id", "Int64", query.projectId);
		where.add("session_row_id is not null").addIn("session_row_id", "Int64", ids);
		if (part?.column === "id") addRange(where, "session_row_id", part);
		await narrow(where);
		return await selectFinal(
			shards,
			`select distinct assumeNotNull(session_row_id) as session from traces where ${where.sql}`,
			{ session: types.Integer },
			where.params,
		);
	};
	const rows = within === undefined ? await find(undefined) : await inParts(within, find);
	return [...new Set(rows.map(({ session }) => session))];
}

/** The first sessions of a list in their order, which rows of sessions do not lie in. */
async function firstSessions(shards: ShardReader, list: AcrossShards): Promise<readonly SessionWithTotals[]> {
	const { query, after, limit } = list;
	const keyOf = ({ id }: Pick<SessionRow, "id">) => ({ value: id, id });
	const compare = byKey(query.order, keyOf);
	return await inRounds(limit, after, {
		find: async (position, most) => firstOf(await findPlaces(shards, list, position, most), most, compare),
		read: async (places) => {
			const rows = readAt(shards, list, places);
			const ids = places.map(({ id }) => id);
			return (await addTotals(shards, ids, rows, query.mostTraces)).toSorted(compare);
		},
		keyOf,
	});
}

const PLACE = pickColumns(SESSIONS.columns, ["project_id", "session_id", "id"]);
type SessionPlace = RowOf<typeof PLACE>;

async function findPlaces(
	shards: ShardReader,
	list: AcrossShards,
	after: Keyset | undefined,
	most: number,
): Promise<readonly SessionPlace[]> {
	const where = ofPart(list);
	const { order } = list.query;
	if (after !== undefined) where.add(`id ${order === "asc" ? ">" : "<"} ${where.bind("Int64", after.id)}`);
	return await selectByKey(
		shards,
		`select ${Object.keys(PLACE).join(", ")} from sessions where ${where.sql} order by id ${order} limit ${most}`,
		PLACE,
		where.params,
	);
}

async function readAt(
	shards: ShardReader,
	list: AcrossShards,
	places: readonly SessionPlace[],
): Promise<readonly SessionRow[]> {
	return await inParts(places, (part) => {
		const sessionIds = part.map(({ session_id }) => session_id);
		const ids = part.map(({ id }) => id);
		return findRows(shards, SESSIONS, ofPart(list).addIn("session_id", "String", sessionIds).addIn("id", "Int64", ids));
	});
}

function ofPart({ query, part }: AcrossShards): Conditions {
	const where = new Conditions().addEqual("project_id", "Int64", query.projectId);
	return part === undefined ? where : addRange(where, "id", part);
}

function firstIds(ids: readonly number[], { query, after, limit }: AcrossShards): readonly number[] {
	const isAscending = query.order === "asc";
	const left = ids.filter((id) => after === undefined || (isAscending ? id > after.id : id < after.id));
	return firstOf(left, limit, (a, b) => (isAscending ? a - b : b - a));
}
