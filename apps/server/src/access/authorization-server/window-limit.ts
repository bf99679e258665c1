/** Beyond it, keys whose window is over are forgotten, then all. */
const MAX_KEYS = 100_000;

interface Window {
	readonly startedAt: number;
	count: number;
}

/** Counts what somebody does within a window of time that begins with the first of it, in this process. */
export class WindowLimit {
	readonly #most: number;
	readonly #windowMs: number;
	readonly #nowMs: () => number;
	readonly #windows = new Map<string, Window>();

	constructor(most: number, windowMs: number, nowMs: () => number = () => performance.now()) {
		this.#most = most;
		this.#windowMs = windowMs;
		this.#nowMs = nowMs;
	}

	/** Seconds until `key` may do it again; undefined while it may. */
	waitOf(key: string): number | undefined {
		const window = this.#current(key);
		if (window === undefined || window.count < this.#most) return undefined;
		return Math.ceil((window.startedAt + this.#windowMs - this.#nowMs()) / 1_000);
	}

	count(key: string): void {
		const window = this.#current(key);
		if (window !== undefined) window.count += 1;
		else {
			if (this.#windows.size >= MAX_KEYS) this.#forget();
			this.#windows.set(key, { startedAt: this.#nowMs(), count: 1 });
		}
	}

	#current(key: string): Window | undefined {
		const window = this.#windows.get(key);
		return window !== undefined && this.#nowMs() - window.startedAt < this.#windowMs ? window : undefined;
	}

	#forget(): void {
		for (const key of this.#windows.keys()) if (this.#current(key) === undefined) this.#windows.delete(key);
		if (this.#windows.size >= MAX_KEYS) this.#windows.clear();
	}
}
