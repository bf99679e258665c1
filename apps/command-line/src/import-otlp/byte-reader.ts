/** Reads bytes of a stream piece by piece, with a look ahead. */
export class ByteReader {
	readonly #chunks: AsyncIterator<Uint8Array>;
	#rest: Buffer = Buffer.alloc(0);
	#isAtEnd = false;

	constructor(chunks: AsyncIterable<Uint8Array>) {
		this.#chunks = chunks[Symbol.asyncIterator]();
	}

	/** The next bytes, at most so many; fewer at the end. They stay to be read. */
	async peek(count: number): Promise<Buffer> {
		await this.#fill(count);
		return this.#rest.subarray(0, count);
	}

	/** The next bytes; fewer at the end. */
	async read(count: number): Promise<Buffer> {
		await this.#fill(count);
		const read = this.#rest.subarray(0, count);
		this.#rest = this.#rest.subarray(count);
		return read;
	}

	/**
	 * The next line without its end; undefined after the last one. Of a line with more than `most` bytes, at least so many
	 * come, and the rest is read as another.
	 */
	async readLine(most: number): Promise<Buffer | undefined> {
		const parts: Buffer[] = [];
		for (let length = 0; ; ) {
			const end = this.#rest.indexOf(0x0a);
			if (end !== -1) {
				parts.push(this.#rest.subarray(0, end));
				this.#rest = this.#rest.subarray(end + 1);
				return Buffer.concat(parts);
			}
			if (this.#rest.length > 0) parts.push(this.#rest);
			length += this.#rest.length;
			this.#rest = Buffer.alloc(0);
			if (length > most) return Buffer.concat(parts);
			if (!(await this.#next())) return parts.length === 0 ? undefined : Buffer.concat(parts);
		}
	}

	async #fill(count: number): Promise<void> {
		const parts = [this.#rest];
		let length = this.#rest.length;
		while (length < count) {
			this.#rest = Buffer.alloc(0);
			if (!(await this.#next())) break;
			parts.push(this.#rest);
			length += this.#rest.length;
		}
		this.#rest = parts.length > 1 ? Buffer.concat(parts) : (parts[0] ?? this.#rest);
	}

	async #next(): Promise<boolean> {
		if (this.#isAtEnd) return false;
		const { done, value } = await this.#chunks.next();
		if (done) {
			this.#isAtEnd = true;
			return false;
		}
		this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
		return true;
	}
}
