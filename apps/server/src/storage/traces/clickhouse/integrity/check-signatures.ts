import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { covers, filterOf } from "#storage/traces/text/text-signature.ts";
import { Conditions } from "../read/conditions.ts";
import { findRows, selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { CONTENTS, DAY_MICROS, SIGNATURES, type TableRow } from "../tables.ts";
import { readProgress } from "../text/progress.ts";
import { type ContentKey, type Contents, readTogether, runsOf } from "../text/sign-contents.ts";
import type { Damage, Looked, Scope } from "./damage.ts";
import { listProjects, windowsOf } from "./windows.ts";

/** Contents of one window, about. */
const MOST_CONTENTS = 10_000;

interface ShardInList {
	readonly shard: Shard;
	/** Its number in the list. */
	readonly number: number;
}

/** Contents that searches miss: the text index says that it has them, and no signature has all of their texts. */
export async function* wrongSignatures({ list }: TraceShards): AsyncGenerator<Looked> {
	for (const [number, shard] of list.entries())
		for (const projectId of await listProjects(shard, [CONTENTS.name]))
			yield* wrongSignaturesOf({ shard, number }, projectId);
}

/** As {@link wrongSignatures}, of one project on a shard. */
export async function* wrongSignaturesOf(
	{ shard, number }: ShardInList,
	projectId: number,
	scope?: Scope,
): AsyncGenerator<Looked> {
	const until = await readProgress(shard, number);
	if (until === 0) return;
	for await (const window of windowsOf(shard, projectId, [[CONTENTS.name, "start_micros"]], MOST_CONTENTS, scope)) {
		const where = new Conditions().addEqual("project_id", "Int64", projectId);
		where.add(
			`start_micros >= ${where.bind("Int64", window.from)} and start_micros < ${where.bind("Int64", window.to)}`,
		);
		for (const runs of readTogether(runsOf(await listContents(shard, where, until))))
			for (const wrong of await findMissed(shard, runs, until)) yield damageOf(wrong);
		yield { kind: "looked", count: 1 };
	}
}

/** Contents of a batch that searches miss. */
export async function* missedOfBatch({ shard, number }: ShardInList, batch: number): AsyncGenerator<Damage> {
	const until = await readProgress(shard, number);
	if (until === 0) return;
	const where = new Conditions().addEqual("batch", "Int64", batch);
	for (const runs of readTogether(runsOf(await listContents(shard, where, until))))
		for (const wrong of await findMissed(shard, runs, until)) yield damageOf(wrong);
}

/** Contents of a run of which searches miss some, for one reason. */
interface Missed {
	readonly kind: "unsigned" | "wrong signature";
	readonly keys: readonly [ContentKey, ...ContentKey[]];
}

function damageOf({ kind, keys }: Missed): Damage {
	const [first, ...others] = keys;
	const more = others.length > 0 ? ` and ${others.length} more` : "";
	const why = kind === "unsigned" ? "no signature is of them" : "their signatures lack letters";
	const says = `text search misses texts of span row ${first.id}${more}: ${why}`;
	return { kind, projectId: first.project_id, contents: keys, says };
}

/** What is missed, having looked twice: something may have been deleted meanwhile, and its signature with it. */
async function findMissed(
	shard: Shard,
	runs: readonly (readonly ContentKey[])[],
	until: number,
): Promise<readonly Missed[]> {
	const suspects = await missedOf(shard, runs, until);
	return suspects.length === 0
		? []
		: await missedOf(
				shard,
				suspects.map(({ keys }) => keys),
				until,
			);
}

async function missedOf(
	shard: Shard,
	runs: readonly (readonly ContentKey[])[],
	until: number,
): Promise<readonly Missed[]> {
	const keys = runs.flat();
	// The signatures last: those of these contents were there before the index had them.
	const contents = await readSigned(shard, keys, until);
	const signatures = await findSignatures(shard, keys);
	return runs.flatMap((run) => {
		const missed = Map.groupBy(run, (key) => reasonOf(key, contents, signatures));
		return (["unsigned", "wrong signature"] as const).flatMap((kind) => {
			const [first, ...others] = missed.get(kind) ?? [];
			return first === undefined ? [] : [{ kind, keys: [first, ...others] }];
		});
	});
}

/** Which of these contents searches miss, with what is in them. @param until up to which version contents are in the index */
export async function missedContents(shard: Shard, number: number, keys: readonly ContentKey[]) {
	const until = await readProgress(shard, number);
	const missed = await missedOf(shard, [keys], until);
	const still = missed.flatMap((one) => one.keys);
	return { keys: still, contents: await readSigned(shard, still, until) };
}

type Signature = TableRow<typeof SIGNATURES>;

/** Why searches miss a content; undefined where they do not, or where it is gone. */
function reasonOf(key: ContentKey, contents: Contents, signatures: readonly Signature[]): Missed["kind"] | undefined {
	const spans = contents.get(key.id);
	if (spans === undefined) return undefined;
	const own = signatures.filter((row) => isOf(row, key));
	if (own.length === 0) return "unsigned";
	const filters = new Map<number, Uint8Array>();
	const isCovered = ({ signature }: Signature) => {
		const filter = filters.get(signature.length) ?? filterOf({ spans }, signature.length);
		filters.set(signature.length, filter);
		return covers(signature, filter);
	};
	return own.some(isCovered) ? undefined : "wrong signature";
}

function isOf(row: Signature, { project_id, start_micros, id }: ContentKey): boolean {
	const isThere = row.from_micros <= start_micros && start_micros <= row.to_micros;
	return row.project_id === project_id && isThere && row.first_id <= id && id <= row.last_id;
}

/** In the order in which they lie; of a version that the index has. */
async function listContents(shard: Shard, where: Conditions, until: number) {
	const { project_id, start_micros, id } = CONTENTS.columns;
	where.add(`version <= ${where.bind("Int64", until)} and is_deleted = 0`);
	return await shard.select(
		`select project_id, start_micros, id, max(length(span)) as bytes from ${CONTENTS.name} where ${where.sql}
		group by project_id, start_micros, id order by project_id, start_micros, id`,
		{ project_id, start_micros, id, bytes: types.Count },
		{ params: where.params, settings: { final: 0 } },
	);
}

/** By row number those that are there and have a version that the index has. */
async function readSigned(shard: Shard, keys: readonly ContentKey[], until: number): Promise<Contents> {
	if (keys.length === 0) return new Map();
	const where = new Conditions();
	where.add(`version <= ${where.bind("Int64", until)}`);
	for (const column of ["project_id", "start_micros", "id"] as const)
		where.addIn(
			column,
			"Int64",
			keys.map((key) => key[column]),
		);
	const { id, span } = CONTENTS.columns;
	const statement = `select id, span from ${CONTENTS.name} where ${where.sql}`;
	const rows = await selectFinal(shard, statement, { id, span }, where.params);
	return new Map(rows.map((row) => [row.id, [{ bytes: row.span }]]));
}

/** Signatures with which some of these contents may be. */
async function findSignatures(shard: Shard, keys: readonly ContentKey[]): Promise<Signature[]> {
	const starts = keys.map((key) => key.start_micros);
	const first = starts.reduce((a, b) => Math.min(a, b));
	const last = starts.reduce((a, b) => Math.max(a, b));
	const where = new Conditions().addIn(
		"project_id",
		"Int64",
		keys.map((key) => key.project_id),
	);
	// Runs end with their day.
	where.addBetween("from_micros", Math.floor(first / DAY_MICROS) * DAY_MICROS, last);
	return await findRows(shard, SIGNATURES, where.add(`to_micros >= ${where.bind("Int64", first)}`));
}
