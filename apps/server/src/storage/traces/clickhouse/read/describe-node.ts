import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import type { ClickHouseAccess, ClickHouseNode, StatementOptions } from "#storage/clickhouse/node.ts";
import { type Columns, type RowOf, types } from "#storage/clickhouse/row-binary.ts";
import type { NodeState, StorageNode } from "#storage/trace-place.ts";
import { SHARE_OF_PARTS } from "../write/strain-of-parts.ts";

/** Less is not enough for an insert and the merge that follows it. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;

/** Who looks does not wait for long. A node that does not answer `/ping` either is found out before. */
const LOOK = { isProbe: true, withinMs: 5_000 } as const satisfies StatementOptions;

/** Codes of what a node fails at; others are of statements and users. */
const TROUBLES = [
	202, // TOO_MANY_SIMULTANEOUS_QUERIES
	252, // TOO_MANY_PARTS
	243, // NOT_ENOUGH_SPACE
	242, // TABLE_IS_READ_ONLY
	285, // TOO_FEW_LIVE_REPLICAS
	286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
	319, // UNKNOWN_STATUS_OF_INSERT
	341, // UNFINISHED
	999, // KEEPER_EXCEPTION
];

type Position = Pick<StorageNode, "shard" | "replica">;
type Node = Pick<ClickHouseNode, "name" | "select">;

/** What a node tells of itself. One that is further behind than the settings allow is not read. */
export async function describeNode(
	node: Node,
	position: Position,
	{ maxReplicaDelaySeconds = Number.POSITIVE_INFINITY }: Pick<ClickHouseAccess, "maxReplicaDelaySeconds">,
): Promise<StorageNode> {
	const identity = { ...position, host: node.name };
	try {
		const [version, disks, parts, ofLimit, merges, mutations, replicas, lastError] = await Promise.all([
			readVersion(node),
			readDisks(node),
			readParts(node),
			readShareOfParts(node),
			readMerges(node),
			readMutations(node),
			readReplicas(node),
			readLastError(node),
		]);
		return {
			...identity,
			version: version ?? null,
			state: stateOf(disks, replicas, maxReplicaDelaySeconds),
			delaySeconds: replicas?.delay ?? null,
			queueSize: replicas?.queue ?? null,
			activePartsMax: parts?.most ?? null,
			partsLimitRatio: ofLimit?.share ?? null,
			merges: merges?.running ?? null,
			mutationsPending: mutations?.pending ?? null,
			freeBytes: disks?.free ?? null,
			totalBytes: disks?.total ?? null,
			lastError: lastError ?? null,
		};
	} catch (error) {
		if (!(error instanceof ClickHouseFailure)) throw error;
		return { ...identity, ...UNREACHABLE, lastError: { atMicros: Date.now() * 1_000, message: error.message } };
	}
}

const UNREACHABLE: Omit<StorageNode, keyof Position | "host" | "lastError"> = {
	...{ version: null, state: "unreachable", delaySeconds: null, queueSize: null, activePartsMax: null },
	...{ partsLimitRatio: null, merges: null, mutationsPending: null, freeBytes: null, totalBytes: null },
};

function stateOf(
	disks: { readonly free: number } | undefined,
	replicas: { readonly readOnly: number; readonly delay: number } | undefined,
	maxDelaySeconds: number,
): NodeState {
	if (disks !== undefined && disks.free < LEAST_FREE_BYTES) return "full";
	if (replicas !== undefined && replicas.readOnly > 0) return "read_only";
	return replicas !== undefined && replicas.delay > maxDelaySeconds ? "behind" : "ok";
}

/** Undefined where it is slow to tell. @throws ClickHouseFailure when it cannot be reached, or refuses this user */
async function readVersion(node: Node): Promise<string | undefined> {
	try {
		const [server] = await node.select("select version() as version", { version: types.Text }, LOOK);
		return server?.version;
	} catch (error) {
		if (!(error instanceof ClickHouseFailure) || error.kind !== "too_slow") throw error;
		return undefined;
	}
}

/** Room of the disks that the tables may use; those of object storage have no end. */
function readDisks(node: Node) {
	return ask(
		node,
		`select sum(free_space) as free, sum(total_space) as total from system.disks
		where total_space < toUInt64(pow(2, 62)) and name in (
			select arrayJoin(disks) from system.storage_policies
			where policy_name in (select storage_policy from system.tables where database = currentDatabase())
		)`,
		{ free: types.Count, total: types.Count },
	);
}

function readParts(node: Node) {
	return ask(
		node,
		`select max(parts) as most from (
			select count() as parts from system.parts where database = currentDatabase() and active
			group by table, partition_id
		)`,
		{ most: types.Count },
	);
}

function readMerges(node: Node) {
	return ask(node, "select count() as running from system.merges where database = currentDatabase()", {
		running: types.Count,
	});
}

function readShareOfParts(node: Node) {
	const { statement, columns, params } = SHARE_OF_PARTS;
	return ask(node, statement, columns, params);
}

function readMutations(node: Node) {
	return ask(
		node,
		"select count() as pending from system.mutations where database = currentDatabase() and not is_done",
		{ pending: types.Count },
	);
}

/** Without replicated tables nothing is behind, and one that is read-only cannot tell. */
function readReplicas(node: Node) {
	return ask(
		node,
		`select maxIf(absolute_delay, not is_readonly) as delay, toUInt64(sum(queue_size)) as queue, toUInt8(max(is_readonly)) as readOnly
		from system.replicas where database = currentDatabase()`,
		{ delay: types.Count, queue: types.Count, readOnly: types.UInt8 },
	);
}

/** Its name only: the message of an error quotes statements and data. */
async function readLastError(node: Node): Promise<StorageNode["lastError"] | undefined> {
	const last = await ask(
		node,
		`select name, toInt64(code) as code, toInt64(toUnixTimestamp(last_error_time)) as at from system.errors
		where code in {codes:Array(Int32)} and last_error_time > now() - interval 1 hour
		order by last_error_time desc limit 1`,
		{ name: types.Text, code: types.Integer, at: types.Integer },
		{ codes: TROUBLES },
	);
	return last && { atMicros: last.at * 1_000_000, message: `${last.code} ${last.name}` };
}

/** A row; undefined where this user may not ask for it, or this ClickHouse does not know it, or is slow to tell. */
async function ask<Of extends Columns>(
	node: Node,
	statement: string,
	columns: Of,
	params: StatementOptions["params"] = {},
): Promise<RowOf<Of> | undefined> {
	try {
		const [row] = await node.select(statement, columns, { ...LOOK, params });
		return row;
	} catch (error) {
		if (!(error instanceof ClickHouseFailure) || error.kind === "unreachable" || error.kind === "foreign") throw error;
		return undefined;
	}
}
