const LINE_FEED = 0x0a;

/** Reads bytes of a stream piece by piece, with a look ahead. What lies in one chunk is not copied. */
export class ByteReader {
	readonly #source: AsyncIterator<Uint8Array>;
	/** What was taken from the stream and is still to be read; none is empty. */
	#chunks: Buffer[] = [];
	#length = 0;
	#isAtEnd = false;

	constructor(source: AsyncIterable<Uint8Array>) {
		this.#source = source[Symbol.asyncIterator]();
	}

	/** The next bytes, at most so many; fewer at the end. They stay to be read. */
	async peek(count: number): Promise<Buffer> {
		await this.#fill(count);
		return this.#first(count);
	}

	/** The next bytes; fewer at the end. */
	async read(count: number): Promise<Buffer> {
		await this.#fill(count);
		const read = this.#first(count);
		this.#drop(read.length);
		return read;
	}

	/**
	 * The next line without its end; undefined after the last one. Of a line with more than `most` bytes, at least so many
	 * come, and the rest is read as another.
	 */
	async readLine(most: number): Promise<Buffer | undefined> {
		let looked = 0;
		let before = 0;
		for (;;) {
			for (; looked < this.#chunks.length; looked += 1) {
				const chunk = this.#chunks[looked] ?? Buffer.alloc(0);
				const end = chunk.indexOf(LINE_FEED);
				if (end !== -1) {
					const line = this.#first(before + end);
					this.#drop(line.length + 1);
					return line;
				}
				before += chunk.length;
			}
			if (this.#length <= most && (await this.#next())) continue;
			return this.#length === 0 ? undefined : await this.read(this.#length);
		}
	}

	#first(count: number): Buffer {
		const [first] = this.#chunks;
		if (first !== undefined && first.length >= count) return first.subarray(0, count);
		return Buffer.concat(this.#chunks, Math.min(count, this.#length));
	}

	#drop(count: number): void {
		this.#length -= count;
		let dropped = 0;
		let left = count;
		for (const chunk of this.#chunks) {
			if (chunk.length > left) break;
			left -= chunk.length;
			dropped += 1;
		}
		this.#chunks = this.#chunks.slice(dropped);
		const [first] = this.#chunks;
		if (first !== undefined && left > 0) this.#chunks[0] = first.subarray(left);
	}

	async #fill(count: number): Promise<void> {
		while (this.#length < count && (await this.#next()));
	}

	/** Takes a chunk from the stream; false at its end. */
	async #next(): Promise<boolean> {
		if (this.#isAtEnd) return false;
		const { done, value } = await this.#source.next();
		if (done) {
			this.#isAtEnd = true;
			return false;
		}
		if (value.length === 0) return true;
		this.#chunks.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
		this.#length += value.length;
		return true;
	}
}
