/** No turn: too many pieces of work wait already. */
export class NoTurn extends Error {
	override readonly name = "NoTurn";
	/** Whether they are the caller's own. */
	readonly isOwn: boolean;

	constructor(isOwn: boolean) {
		super(isOwn ? "too much work of this caller waits" : "too much work waits");
		this.isOwn = isOwn;
	}
}

/** The caller did not wait for its turn. */
export class Abandoned extends Error {
	override readonly name = "Abandoned";

	constructor() {
		super("its caller has gone");
	}
}

export interface FairTurnsOptions {
	/** How much work runs at a time. */
	readonly atOnce: number;
	/** How much of it is of one caller. */
	readonly atOnceEach: number;
	/** How much work may wait. */
	readonly waiting: number;
	/** How much of it is of one caller. */
	readonly waitingEach: number;
}

export interface TurnOptions {
	/** The work waits however much waits already. */
	readonly isPatient?: boolean;
	/** Aborted when nobody waits for the work any longer. */
	readonly gone?: AbortSignal | undefined;
}

interface CallersWork {
	running: number;
	/** In order of arrival. */
	readonly waiting: (() => void)[];
}

/** Runs a limited amount of work at a time: callers take turns, and each caller's work runs in order of arrival. */
export class FairTurns {
	readonly #options: FairTurnsOptions;
	/** Those with work; whose work ended last stands last. */
	readonly #callers = new Map<string, CallersWork>();
	#running = 0;
	#waiting = 0;

	constructor(options: FairTurnsOptions) {
		this.#options = options;
	}

	/** @throws NoTurn at once when too much waits; Abandoned when the caller has gone before the work begins */
	async run<T>(caller: string, work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
		if (options.gone?.aborted) throw new Abandoned();
		const own = this.#callers.get(caller) ?? { running: 0, waiting: [] };
		if (this.#isFree(own) && own.waiting.length === 0) this.#begin(caller, own);
		else await this.#wait(caller, own, options);
		try {
			return await work();
		} finally {
			this.#end(caller, own);
		}
	}

	#isFree(own: CallersWork): boolean {
		return this.#running < this.#options.atOnce && own.running < this.#options.atOnceEach;
	}

	#begin(caller: string, own: CallersWork): void {
		this.#running += 1;
		own.running += 1;
		this.#callers.set(caller, own);
	}

	#wait(caller: string, own: CallersWork, { isPatient = false, gone }: TurnOptions): Promise<void> {
		if (!isPatient) {
			if (own.waiting.length >= this.#options.waitingEach) throw new NoTurn(true);
			if (this.#waiting >= this.#options.waiting) throw new NoTurn(false);
		}
		this.#callers.set(caller, own);
		this.#waiting += 1;
		return new Promise((resolve, reject) => {
			const leave = () => {
				own.waiting.splice(own.waiting.indexOf(begin), 1);
				this.#waiting -= 1;
				if (own.running === 0 && own.waiting.length === 0) this.#callers.delete(caller);
				reject(new Abandoned());
			};
			const begin = () => {
				gone?.removeEventListener("abort", leave);
				resolve();
			};
			own.waiting.push(begin);
			gone?.addEventListener("abort", leave, { once: true });
		});
	}

	#end(caller: string, own: CallersWork): void {
		this.#running -= 1;
		own.running -= 1;
		this.#callers.delete(caller);
		if (own.running > 0 || own.waiting.length > 0) this.#callers.set(caller, own);
		for (const [next, theirs] of this.#callers) {
			if (theirs.waiting.length === 0 || !this.#isFree(theirs)) continue;
			this.#begin(next, theirs);
			this.#waiting -= 1;
			theirs.waiting.shift()?.();
			return;
		}
	}
}
