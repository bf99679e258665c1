import { randomUUID } from "node:crypto";
import { present } from "#base/present.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { fullnessOf, signatureOf } from "#storage/traces/text/text-signature.ts";
import type { Turn } from "../metadata/turns.ts";
import { CONTENTS, dayOf, SIGNATURES, type TableRow } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";

/** Of a run: as fine as content is read. Longer texts would fill a signature. */
const MOST_OF_RUN = 128;
/** A run of more contents is divided when its signature is fuller than {@link FULLEST}, which tells little. */
const LEAST_OF_RUN = 32;
const FULLEST = 0.4;
const BYTES_OF_RUN = 256 * 1024;
/** Of one answer. */
const MOST_READ = 2_048;
const BYTES_READ = 16 * 1024 * 1024;

/** Versions of contents. */
export interface Versions {
	readonly after: number;
	readonly until: number;
}

const IN_VERSIONS = "version > {after:Int64} and version <= {until:Int64} and is_deleted = 0";
const { project_id, start_micros, id } = CONTENTS.columns;
const KEY = { project_id, start_micros, id } as const;

/** What finds a content. */
export interface ContentKey {
	readonly project_id: number;
	readonly start_micros: number;
	readonly id: number;
}

interface Key extends ContentKey {
	readonly bytes: number;
}

/** How many rows of contents have these versions, deleted ones aside. */
export async function countVersions(shard: Shard, versions: Versions): Promise<number> {
	const [row] = await shard.select(
		`select count() as count from ${CONTENTS.name} where ${IN_VERSIONS}`,
		{ count: types.Count },
		{ params: { ...versions }, settings: { final: 0 } },
	);
	return row?.count ?? 0;
}

/**
 * Adds the contents with these versions to the text index, in runs that lie next to each other.
 * @throws StorageUnavailable; some of the runs may be stored then, which does no harm
 */
export async function signContents(shard: Shard, versions: Versions): Promise<void> {
	const keys = await shard.select(
		`select project_id, start_micros, id, length(span) as bytes from ${CONTENTS.name}
		where ${IN_VERSIONS} order by project_id, start_micros, id`,
		{ ...KEY, bytes: types.Count },
		{ params: { ...versions }, settings: { final: 0 } },
	);
	const rows: TableRow<typeof SIGNATURES>[] = [];
	for (const runs of readTogether(runsOf(keys))) {
		const contents = await readContents(shard, versions, runs.flat());
		for (const run of runs)
			for (const signed of signRun(run, contents)) rows.push(signatureRow(signed, versions.until, rows.length));
	}
	// What was signed before an end without progress may have been other contents.
	await insertRows(shard, SIGNATURES, rows, `signatures ${randomUUID()}`);
}

/** Contents that are signed together may have the same version as those that are signed again. */
const FIRST_SIGNED_AGAIN = 2 ** 31;

/**
 * Signs a run of contents again, beside what signatures of them there are.
 * @param contents by row number
 * @throws StorageUnavailable
 */
export async function signAgain(
	shard: Shard,
	{ batch, version }: Turn,
	keys: readonly ContentKey[],
	contents: Contents,
): Promise<void> {
	const rows = signRun(keys, contents).map((signed, at) => signatureRow(signed, version, FIRST_SIGNED_AGAIN + at));
	await insertRows(shard, SIGNATURES, rows, `batch ${batch} signatures`);
}

function signatureRow({ keys, signature }: Signed, until: number, number: number): TableRow<typeof SIGNATURES> {
	const ids = keys.map((key) => key.id);
	const starts = keys.map((key) => key.start_micros);
	return {
		project_id: present(keys[0], "a content of a run").project_id,
		from_micros: starts.reduce((a, b) => Math.min(a, b)),
		to_micros: starts.reduce((a, b) => Math.max(a, b)),
		first_id: ids.reduce((a, b) => Math.min(a, b)),
		last_id: ids.reduce((a, b) => Math.max(a, b)),
		...{ until, number, signature: Buffer.from(signature) },
		...{ version: until, is_deleted: 0 },
	};
}

interface Signed {
	readonly keys: readonly ContentKey[];
	readonly signature: Uint8Array;
}

export type Contents = ReadonlyMap<number, readonly { readonly bytes: Uint8Array }[]>;

function signRun(keys: readonly ContentKey[], contents: Contents): Signed[] {
	const signature = signatureOf({ spans: keys.flatMap((key) => contents.get(key.id) ?? []) });
	if (keys.length <= LEAST_OF_RUN || fullnessOf(signature) <= FULLEST) return [{ keys, signature }];
	const middle = Math.ceil(keys.length / 2);
	return [...signRun(keys.slice(0, middle), contents), ...signRun(keys.slice(middle), contents)];
}

/** Of one project and day. */
type Run = readonly [Key, ...Key[]];

/** Keys of one project and day that follow each other. */
export function* runsOf(keys: readonly Key[]): Generator<Run> {
	let run: [Key, ...Key[]] | undefined;
	let bytes = 0;
	for (const key of keys) {
		const fits =
			run !== undefined &&
			run.length < MOST_OF_RUN &&
			bytes + key.bytes <= BYTES_OF_RUN &&
			run[0].project_id === key.project_id &&
			dayOf(run[0].start_micros) === dayOf(key.start_micros);
		if (run !== undefined && fits) run.push(key);
		else {
			if (run !== undefined) yield run;
			run = [key];
			bytes = 0;
		}
		bytes += key.bytes;
	}
	if (run !== undefined) yield run;
}

export function* readTogether(runs: Iterable<Run>): Generator<Run[]> {
	let together: Run[] = [];
	let count = 0;
	let bytes = 0;
	for (const run of runs) {
		const size = run.reduce((sum, key) => sum + key.bytes, 0);
		if (together.length > 0 && (count + run.length > MOST_READ || bytes + size > BYTES_READ)) {
			yield together;
			[together, count, bytes] = [[], 0, 0];
		}
		together.push(run);
		count += run.length;
		bytes += size;
	}
	if (together.length > 0) yield together;
}

/** By row number; of one that was replaced meanwhile, both. */
async function readContents(shard: Shard, versions: Versions, keys: readonly Key[]): Promise<Contents> {
	const rows = await shard.select(
		`select id, span from ${CONTENTS.name} where project_id in {projects:Array(Int64)}
			and start_micros in {starts:Array(Int64)} and id in {ids:Array(Int64)} and ${IN_VERSIONS}`,
		{ id: CONTENTS.columns.id, span: CONTENTS.columns.span },
		{
			params: {
				...versions,
				projects: [...new Set(keys.map((key) => key.project_id))],
				starts: [...new Set(keys.map((key) => key.start_micros))],
				ids: [...new Set(keys.map((key) => key.id))],
			},
			settings: { final: 0 },
		},
	);
	const contents = new Map<number, { readonly bytes: Uint8Array }[]>();
	for (const row of rows) {
		const known = contents.get(row.id);
		if (known === undefined) contents.set(row.id, [{ bytes: row.span }]);
		else known.push({ bytes: row.span });
	}
	return contents;
}
