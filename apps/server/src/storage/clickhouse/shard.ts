import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseFailure, NodeIsSilent } from "./failures.ts";
import { type ClickHouseAccess, ClickHouseNode, type InsertOptions, type StatementOptions } from "./node.ts";
import type { Columns, RowOf } from "./row-binary.ts";

/** A replica that failed is left for the next one, and tried again after this time. */
const AWAY_MS = 10_000;
/** Senders wait for 10 s; an insert is repeated twice within them. */
const PATIENCE_MS = 10_000;
const INSERT_PAUSES_MS = [200, 1_000] as const;
/** Before a statement is repeated that came while too many others ran. */
const CROWDED_PAUSE_MS = 200;

interface Replica {
	readonly node: ClickHouseNode;
	/** `performance.now()` until which the others are preferred; 0 for one that answers. */
	awayUntil: number;
}

/** The shards that the settings name. @param database that of the settings when absent */
export function openEachShard(settings: ClickHouseSettings, database = settings.database): Shard[] {
	return shardUrls(settings).map((urls) => new Shard(urls, { ...settings, database }));
}

/** Of each shard the replicas, in the order of preference. */
export function shardUrls({ shards }: Pick<ClickHouseSettings, "shards">): readonly (readonly URL[])[] {
	return shards.map((urls) => urls.map((url) => new URL(url)));
}

export interface AskOptions extends StatementOptions {
	/** Ids of the traces that the rows are of: shards where these cannot be are not asked. */
	readonly traceIds?: (() => readonly string[]) | undefined;
	/** There cannot be more rows: where so many are found, a shard that is away has none. */
	readonly most?: number | undefined;
}

/** One shard, or all of them, for those who only read. */
export interface ShardReader {
	/** As `Shard.select`; rows of several shards in no order, and with `limit` so many of each. */
	select<Of extends Columns>(statement: string, columns: Of, options?: AskOptions): Promise<RowOf<Of>[]>;
}

/**
 * Nodes that have the same rows. The first that answers is preferred, for writing and reading, so that what was written
 * is seen.
 */
export class Shard implements AsyncDisposable {
	readonly #replicas: readonly Replica[];

	/** @param urls of the replicas, in the order of preference; at least one */
	constructor(urls: readonly URL[], access: ClickHouseAccess) {
		if (urls.length === 0) throw new RangeError("a shard needs a node");
		this.#replicas = urls.map((url) => ({ node: new ClickHouseNode(url, access), awayUntil: 0 }));
	}

	/** The replicas, in the order of preference. */
	get nodes(): readonly ClickHouseNode[] {
		return this.#replicas.map(({ node }) => node);
	}

	/** As `ClickHouseNode.select`, on another replica where one cannot be reached. @throws ClickHouseFailure */
	async select<Of extends Columns>(statement: string, columns: Of, options?: StatementOptions): Promise<RowOf<Of>[]> {
		// A single node is asked again, too: it may have closed a connection that was idle.
		const pauses = Array.from({ length: Math.max(1, this.#replicas.length - 1) }, () => 0);
		return await this.#try(pauses, options?.signal, (node) => node.select(statement, columns, options));
	}

	/** As `ClickHouseNode.execute`, once, on the preferred replica. @throws ClickHouseFailure */
	async execute(statement: string, options?: StatementOptions): Promise<void> {
		await this.#try([], options?.signal, (node) => node.execute(statement, options));
	}

	/**
	 * As `ClickHouseNode.insert`. Without an answer, where ClickHouse does not know whether it was done, or while too many
	 * statements run, it is repeated with the same token, twice, within 10 s; not on a node that is silent.
	 * @throws ClickHouseFailure; with `mayBeDone`, the rows may be stored, or be stored later
	 */
	async insert(table: string, columns: Columns, rows: Buffer, options: InsertOptions): Promise<void> {
		await this.#try(INSERT_PAUSES_MS, options.signal, (node, isRepeat) =>
			node.insert(table, columns, rows, { ...options, isRepeat }),
		);
	}

	/** Whether any of its nodes answers, as far as is known. */
	get isReachable(): boolean {
		return true;
	}

	/** Calls `listener` when `isReachable` changes. Returns the function that unsubscribes. */
	onReachable(_listener: (isReachable: boolean) => void): () => void {
		return () => undefined;
	}

	/** `host:port` of its nodes, for people. */
	get name(): string {
		return this.#replicas.map(({ node }) => node.name).join(", ");
	}

	/** Whether any of its nodes answers `/ping` within 2 s; false when nobody waits any more. */
	async answers(signal?: AbortSignal): Promise<boolean> {
		const wereAllAway = this.#replicas.every(isAway);
		const any = Promise.withResolvers<boolean>();
		const asked = this.#replicas.map(async (replica) => {
			if (!(await replica.node.answers(signal))) return;
			// None was better, so that it need not be left for the rest of its time.
			if (wereAllAway) replica.awayUntil = 0;
			any.resolve(true);
		});
		void Promise.all(asked).then(() => any.resolve(false), any.reject);
		return await any.promise;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#replicas.map(({ node }) => node[Symbol.asyncDispose]()));
	}

	async #try<Result>(
		pauses: readonly number[],
		signal: AbortSignal | undefined,
		work: (node: ClickHouseNode, isRepeat: boolean) => Promise<Result>,
	): Promise<Result> {
		const deadline = performance.now() + PATIENCE_MS;
		for (let attempt = 0; ; attempt++) {
			const replica = this.#preferred();
			try {
				const result = await work(replica.node, attempt > 0);
				replica.awayUntil = 0;
				return result;
			} catch (error) {
				if (!(error instanceof ClickHouseFailure)) throw error;
				if (isOfNode(error)) replica.awayUntil = performance.now() + AWAY_MS;
				const pause = pauses[attempt];
				if (pause === undefined || performance.now() > deadline || !mayBeRepeated(error)) throw error;
				const isSame = this.#preferred() === replica;
				// It was waited for already.
				if (isSame && error instanceof NodeIsSilent) throw error;
				// Another replica may answer at once.
				const pauseMs = isCrowded(error) ? Math.max(pause, CROWDED_PAUSE_MS) : pause;
				if (isSame) await sleep(pauseMs, undefined, signal === undefined ? {} : { signal });
			}
		}
	}

	/** The first that is not away; where all are, the one that has been for longest. */
	#preferred(): Replica {
		const there = this.#replicas.find((replica) => !isAway(replica));
		return there ?? this.#replicas.reduce((first, next) => (next.awayUntil < first.awayUntil ? next : first));
	}
}

function isAway({ awayUntil }: Replica): boolean {
	return awayUntil > performance.now();
}

function mayBeRepeated(error: ClickHouseFailure): boolean {
	return error.mayBeDone || isOfNode(error) || isCrowded(error);
}

/** Whether too many statements ran in that moment. Parts that wait for merges take longer. */
function isCrowded({ code }: ClickHouseFailure): boolean {
	return code === 202 || code === 439;
}

/** Whether another replica may do it. */
function isOfNode({ kind }: ClickHouseFailure): boolean {
	return kind === "unreachable" || kind === "foreign" || kind === "read_only" || kind === "full";
}
