/** A replica that failed is left for the next one, and tried again after this time. */
const AWAY_MS = 10_000;

/** What is known of a replica. */
interface ReplicaState {
	/** `performance.now()` until which the others are preferred; 0 for one that answers. */
	awayUntil: number;
	/** Seconds; 0 where nothing replicates. */
	delay: number;
	isReadOnly: boolean;
	/** It was away, and may lack what the others were told meanwhile. */
	isCatchingUp: boolean;
}

/** What a replica told of itself. */
export type ToldState = Pick<ReplicaState, "delay" | "isReadOnly">;

interface ReplicaOptions {
	/** Whether they copy rows from each other, so that one may be behind. */
	readonly replicate: boolean;
	readonly reads: "preferred" | "any";
	/** One that is further behind is not read. */
	readonly maxDelaySeconds: number;
}

interface Known<Replica> {
	readonly replica: Replica;
	readonly state: ReplicaState;
}

/** Which of the replicas of a shard is used. */
export class Replicas<Replica> {
	readonly #known: readonly Known<Replica>[];
	readonly #options: ReplicaOptions;
	#reads = 0;

	/** @param replicas in the order of preference; at least one */
	constructor(replicas: readonly Replica[], options: ReplicaOptions) {
		if (replicas.length === 0) throw new RangeError("a shard needs a node");
		this.#known = replicas.map((replica) => ({
			replica,
			state: { awayUntil: 0, delay: 0, isReadOnly: false, isCatchingUp: false },
		}));
		this.#options = options;
	}

	get all(): readonly Replica[] {
		return this.#known.map(({ replica }) => replica);
	}

	/**
	 * The one to write to, and to read what was written: the first that is there, can be written, is near enough and has
	 * caught up; as good as they get.
	 */
	preferred(): Replica {
		return this.#best(this.#known).replica;
	}

	/** The one to read for people, by the settings; undefined while all that are there are too far behind. */
	readable(): Replica | undefined {
		const near = this.#near();
		if (near.length === 0) return this.#known.some(isThere) ? undefined : this.preferred();
		if (this.#options.reads === "preferred") return this.#best(near).replica;
		const equals = near.filter(({ state }) => !state.isReadOnly);
		const choice = equals.length > 0 ? equals : near;
		this.#reads += 1;
		return choice[this.#reads % choice.length]?.replica;
	}

	/** How long ago something may have been stored that is not read yet, in seconds. */
	get readDelay(): number {
		const near = this.#near();
		const read = this.#options.reads === "any" ? near : near.length > 0 ? [this.#best(near)] : [];
		const there = this.#known.filter(isThere);
		return Math.max(0, ...(read.length > 0 ? read : there).map(({ state }) => state.delay));
	}

	/** To be called when a replica has answered. */
	noteAnswer(replica: Replica): void {
		this.#stateOf(replica).awayUntil = 0;
	}

	/** To be called when a replica failed at what another one may do. */
	noteFailure(replica: Replica): void {
		const state = this.#stateOf(replica);
		state.awayUntil = performance.now() + AWAY_MS;
		state.isCatchingUp = this.#options.replicate && this.#known.length > 1;
	}

	/** To be called with what a replica tells of itself. */
	noteState(replica: Replica, { delay, isReadOnly }: ToldState): void {
		const state = this.#stateOf(replica);
		Object.assign(state, { delay, isReadOnly });
		if (delay === 0 && !isReadOnly) state.isCatchingUp = false;
	}

	/** Whether none is there; then none is better than another that answers. */
	get areAllAway(): boolean {
		return !this.#known.some(isThere);
	}

	/** Those that are there and may be read. */
	#near(): readonly Known<Replica>[] {
		return this.#known.filter((known) => isThere(known) && this.#isNear(known));
	}

	#best(of: readonly Known<Replica>[]): Known<Replica> {
		return of.reduce((best, next) => (this.#isBetter(next, best) ? next : best));
	}

	/** Whether a replica is better than one before it in the order of preference. */
	#isBetter(next: Known<Replica>, best: Known<Replica>): boolean {
		if (isThere(next) !== isThere(best)) return isThere(next);
		if (!isThere(next)) return next.state.awayUntil < best.state.awayUntil;
		if (next.state.isReadOnly !== best.state.isReadOnly) return best.state.isReadOnly;
		if (this.#isNear(next) !== this.#isNear(best)) return this.#isNear(next);
		return best.state.isCatchingUp && !next.state.isCatchingUp;
	}

	#isNear({ state }: Known<Replica>): boolean {
		return state.delay <= this.#options.maxDelaySeconds;
	}

	#stateOf(replica: Replica): ReplicaState {
		const known = this.#known.find((each) => each.replica === replica);
		if (known === undefined) throw new RangeError("a replica of another shard");
		return known.state;
	}
}

function isThere({ state }: { readonly state: ReplicaState }): boolean {
	return state.awayUntil <= performance.now();
}
