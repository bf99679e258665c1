import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { selectFinal } from "#storage/traces/clickhouse/read/query.ts";
import type { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import { LOG_RECORDS, type LogRow } from "#storage/traces/clickhouse/tables.ts";
import { hasFailed } from "../copy-shard.ts";
import type { Page } from "../side.ts";
import type { Value } from "../tables.ts";

/** Of one answer; more for a single log record that is larger. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Trace ids by their first 4 bytes. */
const ALL = 2 ** 32;
const COLUMNS = Object.keys(LOG_RECORDS.columns).join(", ");
const KEY = LOG_RECORDS.orderBy.join(", ");

/** Reads log records in the order of their key, in windows of trace ids that hold about as many as one step. */
export class LogRecordWalk {
	readonly #shards: TraceShards;
	#width: number | undefined;

	constructor(shards: TraceShards) {
		this.#shards = shards;
	}

	/** As `Side.read`, at most `step` rows. @throws ClickHouseOpenError */
	async read(after: readonly Value[] | null, step: number): Promise<Page> {
		this.#width ??= await this.#firstWidth(step);
		for (let key = after ?? startingWith(0); ; ) {
			const to = (key[0] as Buffer).readUInt32BE() + this.#width;
			const { rows, isWhole } = await this.#readWindow(key, to, step);
			const last = rows.at(-1);
			if (isWhole && rows.length < step / 4) this.#width = Math.min(this.#width * 2, ALL);
			if (!isWhole) this.#width = Math.max(1, Math.floor(this.#width / 2));
			if (last !== undefined && !isWhole) return { rows, next: [last.trace_id, last.span_id, last.hash] };
			if (last !== undefined || to >= ALL) return { rows, next: to >= ALL ? null : startingWith(to) };
			key = startingWith(to);
		}
	}

	async #firstWidth(step: number): Promise<number> {
		const rows = await selectFinal(this.#shards, "select count() as count from log_records", { count: types.Count });
		const count = rows.reduce((sum, row) => sum + row.count, 0);
		return Math.max(1, Math.floor((ALL * step) / Math.max(step, count)));
	}

	/** The first rows after a key whose trace ids begin with less than `to`; fewer where they are large. */
	async #readWindow(
		key: readonly Value[],
		to: number,
		step: number,
	): Promise<{ rows: readonly LogRow[]; isWhole: boolean }> {
		for (let limit = step; ; limit = Math.ceil(limit / 8))
			try {
				return firstOfAll(await this.#shards.onEach(async (shard) => [await readFirst(shard, key, { to, limit })]));
			} catch (error) {
				if (!hasFailed(error, "memory") || limit === 1) throw error;
			}
	}
}

interface Read {
	readonly rows: readonly LogRow[];
	readonly isWhole: boolean;
}

async function readFirst(
	shard: Shard,
	key: readonly Value[],
	{ to, limit }: { readonly to: number; readonly limit: number },
): Promise<Read> {
	const [trace, span, hash] = key.map((part) => Buffer.from(part as Uint8Array).toString("hex"));
	const bound = to >= ALL ? "" : `and trace_id < ${fixed("to", 16)}`;
	const found = await selectFinal(
		shard,
		`select ${COLUMNS}, found from (
				select ${COLUMNS}, sum(length(data)) over (order by ${KEY}) - length(data) as before, count() over () as found
				from (
					select ${COLUMNS} from log_records
					where trace_id >= ${fixed("trace", 16)} ${bound}
						and (${KEY}) > (${fixed("trace", 16)}, ${fixed("span", 8)}, ${fixed("hash", 16)})
					order by ${KEY} limit ${limit}))
			where before < ${MOST_BYTES} order by ${KEY}`,
		{ ...LOG_RECORDS.columns, found: types.Count },
		{ ...{ trace: trace ?? "", span: span ?? "", hash: hash ?? "" }, to: hexOf(to) },
	);
	return { rows: found, isWhole: found.length < limit && found.length === (found[0]?.found ?? 0) };
}

/** In the order of their keys, as far as all shards have been read. */
function firstOfAll(reads: readonly Read[]): Read {
	const [only, ...others] = reads;
	if (only !== undefined && others.length === 0) return only;
	const ends = reads.flatMap(({ rows, isWhole }) => (isWhole ? [] : (rows.at(-1) ?? []))).toSorted(byKey);
	const [end] = ends;
	const rows = reads.flatMap((read) => read.rows).filter((row) => end === undefined || byKey(row, end) <= 0);
	return { rows: rows.toSorted(byKey), isWhole: end === undefined };
}

function byKey(a: LogRow, b: LogRow): number {
	return (
		Buffer.compare(a.trace_id, b.trace_id) || Buffer.compare(a.span_id, b.span_id) || Buffer.compare(a.hash, b.hash)
	);
}

function fixed(parameter: string, bytes: number): string {
	return `toFixedString(unhex({${parameter}:String}), ${bytes})`;
}

/** The key before those of the trace ids that begin with so much. */
function startingWith(prefix: number): readonly Uint8Array[] {
	return [Buffer.from(hexOf(prefix), "hex"), Buffer.alloc(8), Buffer.alloc(16)];
}

function hexOf(prefix: number): string {
	return Math.min(prefix, ALL - 1)
		.toString(16)
		.padStart(8, "0")
		.padEnd(32, "0");
}
