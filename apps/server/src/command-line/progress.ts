const REDRAW_MS = 200;

/** A progress line on standard error; nothing if that is not a terminal. */
export class Progress implements Disposable {
	readonly #startedAt = performance.now();
	#drawnAt = 0;
	#width = 0;

	/** Replaces the line by `text`, at most a few times a second. */
	show(text: string): void {
		const now = performance.now();
		if (!process.stderr.isTTY || now - this.#drawnAt < REDRAW_MS) return;
		this.#drawnAt = now;
		process.stderr.write(`\r${text.padEnd(this.#width)}`);
		this.#width = text.length;
	}

	/** Seconds since the start. */
	get seconds(): number {
		return (performance.now() - this.#startedAt) / 1_000;
	}

	[Symbol.dispose](): void {
		if (this.#width > 0) process.stderr.write(`\r${" ".repeat(this.#width)}\r`);
		this.#width = 0;
	}
}
