import { present } from "#base/present.ts";
import type { Columns, RowOf } from "#storage/clickhouse/row-binary.ts";
import type { AskOptions, Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import { ShardUnavailable, StorageUnavailable } from "#storage/traces/span-batch.ts";
import { Conditions } from "../read/conditions.ts";
import { TRACE_PLACES } from "../tables.ts";
import { ShardHistory } from "./shard-history.ts";

/**
 * All shards of an installation. A trace is whole on one of them, with its spans, their content and its log records; a
 * session is noted on one, and may have traces on all. Hours are on the shard of their spans. Whoever reads asks all that
 * may have what is wanted, and gets the rows of all.
 */
export class TraceShards implements ShardReader, AsyncDisposable {
	/** In the order of the settings. */
	readonly list: readonly Shard[];
	readonly history: ShardHistory;
	/** How many there are by what other servers have noted, where this one knows fewer. */
	#recorded = 0;
	readonly #suspects = new Set<Shard>();

	/** @param list at least one */
	constructor(list: readonly Shard[], history = ShardHistory.of(list.length)) {
		this.list = list;
		this.history = history;
	}

	/** Whether any of them can be reached, as last seen. */
	get isReachable(): boolean {
		return this.list.some(({ isReachable }) => isReachable);
	}

	/** The numbers, from 1, of those that cannot be reached, as last seen, or that this server does not know. */
	get away(): readonly number[] {
		const { length } = this.list;
		const unknown = Array.from({ length: Math.max(0, this.#recorded - length) }, (_, index) => length + index + 1);
		return [...this.list.flatMap(({ isReachable }, index) => (isReachable ? [] : [index + 1])), ...unknown];
	}

	/** How long ago something may have been stored that {@link reader} does not see yet, in seconds, as last seen. */
	get readDelaySeconds(): number {
		return Math.max(...this.list.map((shard) => shard.readDelaySeconds));
	}

	/** For what people look at: see `Shard.read`. */
	get reader(): ShardReader {
		return { select: (statement, columns, options) => this.#ask("read", statement, columns, options) };
	}

	/** Calls `listener` when none can be reached any more, and when one is back. Returns the function that unsubscribes. */
	onReachable(listener: (isReachable: boolean) => void): () => void {
		let was = true;
		const look = () => {
			const is = this.isReachable;
			if (is !== was) listener(is);
			was = is;
		};
		const ends = this.list.map((shard) => shard.onReachable(look));
		return () => {
			for (const end of ends) end();
		};
	}

	/** Answers nothing from now on if there are more shards than these: what is asked would not be the whole truth. */
	expect(recorded: number): void {
		this.#recorded = recorded;
	}

	/**
	 * The rows of all shards, or of those where these traces may be.
	 * @throws ShardUnavailable when one of them is away that may have rows; StorageUnavailable when all are
	 */
	async select<Of extends Columns>(statement: string, columns: Of, options?: AskOptions): Promise<RowOf<Of>[]> {
		return await this.#ask("select", statement, columns, options);
	}

	async #ask<Of extends Columns>(
		how: "read" | "select",
		statement: string,
		columns: Of,
		{ traceIds, most, ...options }: AskOptions = {},
	): Promise<RowOf<Of>[]> {
		if (this.#recorded > this.list.length) throw this.#lacks();
		const asked = traceIds === undefined ? this.list : await this.#mayHave(traceIds);
		const [only, ...others] = asked;
		if (only === undefined) return [];
		if (others.length === 0) return await this.#orAway(only[how](statement, columns, options));
		const failed = new AbortController();
		const signal = options.signal === undefined ? failed.signal : AbortSignal.any([options.signal, failed.signal]);
		let reason: unknown;
		const answers = await Promise.all(
			asked.map(async (shard) => {
				try {
					return await shard[how](statement, columns, { ...options, signal });
				} catch (error) {
					if (!failed.signal.aborted) reason = error;
					// What the others say would be left out, unless it is everything that there can be.
					if (most === undefined || !(error instanceof ShardUnavailable)) failed.abort();
					return undefined;
				}
			}),
		);
		const rows = answers.flatMap((answer) => answer ?? []);
		const isAll = most !== undefined && rows.length >= most && !failed.signal.aborted;
		if (reason === undefined || isAll) return rows;
		throw this.#asWhole(reason);
	}

	/** Writing failed as this shard did not answer. @param number from 1 */
	suspect(number: number): void {
		const shard = this.list[number - 1];
		if (shard !== undefined) this.#suspects.add(shard);
	}

	/**
	 * Before something is begun that could not be completed: asks those that did not answer before and may have these.
	 * @throws ShardUnavailable
	 */
	async expectThere(traceIds: Iterable<string>, sessionIds: Iterable<string>): Promise<void> {
		if (this.#recorded > this.list.length) throw this.#lacks();
		if (this.#suspects.size === 0) return;
		const needed = new Set(this.#whereMayBe(new Set(traceIds)));
		for (const sessionId of sessionIds) needed.add(this.ofSession(sessionId));
		for (const shard of needed) {
			if (!this.#suspects.has(shard)) continue;
			if (!(await shard.answers()))
				throw new ShardUnavailable(this.list.indexOf(shard) + 1, new Error(`there is no answer from ${shard.name}`));
			this.#suspects.delete(shard);
		}
	}

	/** What is done on each shard, at the same time. */
	async onEach<Result>(work: (shard: Shard) => Promise<readonly Result[]>): Promise<Result[]> {
		return (await Promise.all(this.list.map((shard) => this.#orAway(work(shard))))).flat();
	}

	/** Where a trace is put that is nowhere yet. */
	ofNew(traceId: string, startMicros: number): Shard {
		return this.#at(this.history.numberOf(traceId, startMicros));
	}

	ofSession(sessionId: string): Shard {
		return this.#at(this.history.numberOfSession(sessionId));
	}

	/** What is done with keys of traces on each shard where these may be, at the same time. */
	async onEachOf<Key, Result>(
		keys: readonly Key[],
		traceIdOf: (key: Key) => string,
		work: (shard: Shard, keys: readonly Key[]) => Promise<readonly Result[]>,
	): Promise<Result[]> {
		if (keys.length === 0) return [];
		const [only, ...others] = this.list;
		if (only !== undefined && others.length === 0) return [...(await work(only, keys))];
		const byShard = new Map<Shard, Key[]>();
		for (const key of keys)
			for (const number of this.history.numbersOf(traceIdOf(key))) {
				const shard = this.#at(number);
				const own = byShard.get(shard);
				if (own === undefined) byShard.set(shard, [key]);
				else own.push(key);
			}
		const done = [...byShard].map(([shard, own]) => this.#orAway(work(shard, own)));
		return (await Promise.all(done)).flat();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.list.map((shard) => shard[Symbol.asyncDispose]()));
	}

	#at(number: number): Shard {
		if (number >= this.list.length) throw this.#lacks();
		return present(this.list[number], "a shard");
	}

	#lacks(): ShardUnavailable {
		const cause = new Error("other servers have more shards in SERVICE_CLICKHOUSE_URL than this one");
		return new ShardUnavailable(this.list.length + 1, cause);
	}

	/** Those where the traces may be. Of a shard that is away, others may know that it has none of them. */
	async #mayHave(traceIds: () => readonly string[]): Promise<readonly Shard[]> {
		if (this.list.length === 1) return this.list;
		// As they are stored, from which their places follow.
		const ids = new Set(traceIds().map((id) => id.toLowerCase()));
		const asked = this.#whereMayBe(ids);
		const there = asked.filter(({ isReachable }) => isReachable);
		if (there.length === asked.length || there.length === 0) return asked;
		const where = new Conditions().addInHex("trace_id", 16, [...ids]);
		const found = await Promise.all(
			there.map(async (shard) => {
				const rows = await shard.select(
					`select trace_id from ${TRACE_PLACES.name} where ${where.sql}`,
					{ trace_id: TRACE_PLACES.columns.trace_id },
					{ params: where.params, settings: { final: 1 } },
				);
				return rows.map(({ trace_id }) => trace_id.toString("hex"));
			}),
		);
		for (const id of found.flat()) ids.delete(id);
		const needed = new Set([...this.#whereMayBe(ids), ...there]);
		return asked.filter((shard) => needed.has(shard));
	}

	#whereMayBe(traceIds: ReadonlySet<string>): readonly Shard[] {
		const numbers = new Set([...traceIds].flatMap((id) => this.history.numbersOf(id)));
		return [...numbers].map((number) => this.#at(number));
	}

	async #orAway<Result>(work: Promise<Result>): Promise<Result> {
		try {
			return await work;
		} catch (error) {
			throw this.#asWhole(error);
		}
	}

	/** Where no shard is there, that one is away says too little. */
	#asWhole(error: unknown): unknown {
		if (!(error instanceof ShardUnavailable) || this.isReachable) return error;
		return new StorageUnavailable("traces_unreachable", error.cause);
	}
}
