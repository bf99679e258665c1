import { ClickHouseFailure } from "./failures.ts";

/** How often the shard is asked. */
const PROBE_MS = 1_000;
/** Whether it lets this server in is asked every so many times, as that is a statement. */
const PROBES_A_LOG_IN = 10;
/** A log-in may wait for other statements, and is given up then. */
const LOG_IN_WITHIN_MS = 2_000;
/** What somebody has to put right is said again after this time. */
const REPEAT_MS = 60_000;

export interface ReachabilityOptions {
	/** Of the nodes, for people. */
	readonly name: string;
	/** Whether any node answers, within some seconds. */
	readonly answers: (signal: AbortSignal) => Promise<boolean>;
	/** Does nothing but log in. @throws ClickHouseFailure */
	readonly logIn: (signal: AbortSignal) => Promise<void>;
	/** Gets a sentence when the shard is away or back, and at most once a minute that it refuses this server. */
	readonly tell: (sentence: string) => void;
	/** Milliseconds on a clock that is never set. */
	readonly now?: () => number;
}

/** Whether a shard can be reached, as last seen. It is asked every second, by a timer that keeps no process alive. */
export class Reachability implements AsyncDisposable {
	readonly #options: ReachabilityOptions;
	readonly #listeners = new Set<(isReachable: boolean) => void>();
	readonly #timer: NodeJS.Timeout;
	readonly #ended = new AbortController();
	#isReachable = true;
	#probing: Promise<void> | undefined;
	#loggingIn: Promise<void> | undefined;
	#probes = 0;
	#refusalToldAt: number | undefined;

	constructor(options: ReachabilityOptions) {
		this.#options = options;
		this.#timer = setInterval(() => this.probe(), PROBE_MS).unref();
		this.probe();
	}

	get isReachable(): boolean {
		return this.#isReachable;
	}

	/** Called with each change. Returns the function that unsubscribes. */
	onChange(listener: (isReachable: boolean) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Asks now, unless it is being asked. */
	probe(): void {
		if (this.#ended.signal.aborted) return;
		this.#probing ??= this.#ask().finally(() => {
			this.#probing = undefined;
		});
	}

	/** To be called with what a statement failed with: the shard is asked at once when it may be away. */
	noteFailure(error: unknown): void {
		if (!(error instanceof ClickHouseFailure)) return;
		if (error.kind === "unreachable") this.probe();
		else if (error.kind === "refused") this.#tellRefusal(error);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#timer);
		this.#ended.abort();
		this.#listeners.clear();
		await Promise.all([this.#probing, this.#loggingIn]);
	}

	async #ask(): Promise<void> {
		const isReachable = await this.#options.answers(this.#ended.signal);
		if (this.#ended.signal.aborted) return;
		this.#set(isReachable);
		if (!isReachable || this.#probes++ % PROBES_A_LOG_IN > 0) return;
		this.#loggingIn ??= this.#logIn().finally(() => {
			this.#loggingIn = undefined;
		});
	}

	/** Whoever only writes does so in other threads, which do not tell that they are refused. */
	async #logIn(): Promise<void> {
		const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(LOG_IN_WITHIN_MS)]);
		try {
			await this.#options.logIn(signal);
		} catch (error) {
			if (!signal.aborted) this.noteFailure(error);
		}
	}

	#set(isReachable: boolean): void {
		if (isReachable === this.#isReachable) return;
		this.#isReachable = isReachable;
		const { name, tell } = this.#options;
		tell(isReachable ? "ClickHouse can be reached again" : `ClickHouse cannot be reached: no answer from ${name}`);
		for (const listener of this.#listeners) listener(isReachable);
	}

	#tellRefusal({ message }: ClickHouseFailure): void {
		const { tell, now = () => performance.now() } = this.#options;
		if (this.#refusalToldAt !== undefined && now() - this.#refusalToldAt < REPEAT_MS) return;
		this.#refusalToldAt = now();
		tell(
			`ClickHouse refuses this server: ${message}; check SERVICE_CLICKHOUSE_USER, SERVICE_CLICKHOUSE_PASSWORD and what this user may do`,
		);
	}
}
