import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseFailure, NodeIsSilent } from "./failures.ts";
import { isReplicated } from "./insert-settings.ts";
import { type ClickHouseAccess, ClickHouseNode, type InsertOptions, type StatementOptions } from "./node.ts";
import { ReplicaWatch } from "./replica-watch.ts";
import { Replicas } from "./replicas.ts";
import type { Columns, RowOf } from "./row-binary.ts";

/** Senders wait for 10 s; an insert is repeated twice within them. */
const PATIENCE_MS = 10_000;
const INSERT_PAUSES_MS = [200, 1_000] as const;
/** Before a statement is repeated that came while too many others ran. */
const CROWDED_PAUSE_MS = 200;

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
	readonly #replicas: Replicas<ClickHouseNode>;
	readonly #watch: ReplicaWatch | undefined;
	/** Before a statement that reads is repeated. */
	readonly #readPauses: readonly number[];

	/** @param urls of the replicas, in the order of preference; at least one */
	constructor(urls: readonly URL[], access: ClickHouseAccess) {
		const nodes = urls.map((url) => new ClickHouseNode(url, access));
		const { reads = "preferred", maxReplicaDelaySeconds = Number.POSITIVE_INFINITY } = access;
		const replicate = isReplicated(access.topology);
		this.#replicas = new Replicas(nodes, { replicate, reads, maxDelaySeconds: maxReplicaDelaySeconds });
		// A single node is asked again, too: it may have closed a connection that was idle.
		this.#readPauses = Array.from({ length: Math.max(1, nodes.length - 1) }, () => 0);
		if (replicate) this.#watch = new ReplicaWatch(nodes, (node, state) => this.#replicas.noteState(node, state));
	}

	/** The replicas, in the order of preference. */
	get nodes(): readonly ClickHouseNode[] {
		return this.#replicas.all;
	}

	/**
	 * As {@link select}, for what people look at: by the settings from any replica, and from none that is too far behind.
	 * @throws ClickHouseFailure
	 */
	async read<Of extends Columns>(statement: string, columns: Of, options?: StatementOptions): Promise<RowOf<Of>[]> {
		const choose = () => {
			const node = this.#replicas.readable();
			if (node === undefined) throw new ClickHouseFailure("behind", `all replicas at ${this.name} are too far behind`);
			return node;
		};
		return await this.#try(
			this.#readPauses,
			options?.signal,
			(node) => node.select(statement, columns, options),
			choose,
		);
	}

	/** How long ago something may have been stored that `read` does not see yet, in seconds, as last seen. */
	get readDelaySeconds(): number {
		return this.#replicas.readDelay;
	}

	/** As `ClickHouseNode.select`, on another replica where one cannot be reached. @throws ClickHouseFailure */
	async select<Of extends Columns>(statement: string, columns: Of, options?: StatementOptions): Promise<RowOf<Of>[]> {
		return await this.#try(this.#readPauses, options?.signal, (node) => node.select(statement, columns, options));
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
		return this.nodes.map(({ name }) => name).join(", ");
	}

	/** Whether any of its nodes answers `/ping` within 2 s; false when nobody waits any more. */
	async answers(signal?: AbortSignal): Promise<boolean> {
		const wereAllAway = this.#replicas.areAllAway;
		const any = Promise.withResolvers<boolean>();
		const asked = this.nodes.map(async (node) => {
			if (!(await node.answers(signal))) return;
			// None was better, so that it need not be left for the rest of its time.
			if (wereAllAway) this.#replicas.noteAnswer(node);
			any.resolve(true);
		});
		void Promise.all(asked).then(() => any.resolve(false), any.reject);
		return await any.promise;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#watch?.[Symbol.asyncDispose]();
		await Promise.all(this.nodes.map((node) => node[Symbol.asyncDispose]()));
	}

	async #try<Result>(
		pauses: readonly number[],
		signal: AbortSignal | undefined,
		work: (node: ClickHouseNode, isRepeat: boolean) => Promise<Result>,
		choose = () => this.#replicas.preferred(),
	): Promise<Result> {
		const deadline = performance.now() + PATIENCE_MS;
		let node = choose();
		for (let attempt = 0; ; attempt++) {
			try {
				const result = await work(node, attempt > 0);
				this.#replicas.noteAnswer(node);
				return result;
			} catch (error) {
				if (!(error instanceof ClickHouseFailure)) throw error;
				if (isOfNode(error)) this.#replicas.noteFailure(node);
				const pause = pauses[attempt];
				if (pause === undefined || performance.now() > deadline || !mayBeRepeated(error)) throw error;
				const next = choose();
				const isSame = next === node;
				// It was waited for already.
				if (isSame && error instanceof NodeIsSilent) throw error;
				// Another replica may answer at once.
				const pauseMs = isCrowded(error) ? Math.max(pause, CROWDED_PAUSE_MS) : pause;
				if (isSame) await sleep(pauseMs, undefined, signal === undefined ? {} : { signal });
				node = next;
			}
		}
	}
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
