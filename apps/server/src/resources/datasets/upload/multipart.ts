import { UserError } from "#base/errors.ts";

const CRLF = "\r\n";
const MAX_HEADER_BYTES = 16_384;
const MAX_HEADERS = 50;

/** A part of a `multipart/form-data` body. */
export interface Part {
	/** The first value of each, by names in lower case; bytes as Latin-1. */
	readonly headers: ReadonlyMap<string, string>;
	/** Can be read once; an unread rest is skipped when the next part is requested. */
	readonly body: AsyncIterable<Buffer>;
}

/**
 * The parts of a `multipart/form-data` body (RFC 7578, RFC 2046 5.1) as a stream. What follows the last boundary is
 * read and dropped.
 * @throws UserError 422 when the body is malformed or ends early
 */
export async function* readParts(payload: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Part> {
	const input = new Input(payload, boundary);
	// The preamble before the first boundary is ignored.
	for await (const _ of input.body());
	while (!(await input.isAtEnd())) {
		const headers = toHeaders(await input.headers());
		const body = input.body();
		yield { headers, body };
		for await (const _ of body);
	}
	await input.drop();
}

class Input {
	readonly #chunks: AsyncIterator<Buffer>;
	readonly #delimiter: Buffer;
	/** Bytes read, but not consumed. Starts with a line break, as the first boundary may come without. */
	#held: Buffer = Buffer.from(CRLF);

	constructor(payload: AsyncIterable<Buffer>, boundary: string) {
		this.#chunks = payload[Symbol.asyncIterator]();
		this.#delimiter = Buffer.from(`${CRLF}--${boundary}`);
	}

	/** Whether the boundary just read was the last one. */
	async isAtEnd(): Promise<boolean> {
		await this.#hold(2);
		return this.#held.toString("latin1", 0, 2) === "--";
	}

	/** The text from the end of a boundary to the empty line, whose line break is not consumed. */
	async headers(): Promise<string> {
		for (;;) {
			const end = this.#held.indexOf(CRLF + CRLF);
			const boundary = this.#held.indexOf(this.#delimiter);
			if (boundary !== -1 && (end === -1 || boundary < end)) throw malformed("a part ends within its headers");
			if ((end === -1 ? this.#held.length : end) > MAX_HEADER_BYTES)
				throw malformed("a part has headers that are too long");
			if (end !== -1) {
				const text = this.#take(end).toString("latin1");
				this.#take(CRLF.length);
				return text;
			}
			await this.#hold(this.#held.length + 1);
		}
	}

	/** The bytes up to the next boundary, which is consumed, too. */
	async *body(): AsyncGenerator<Buffer> {
		// In a part without a body, the line break after the headers belongs to the boundary.
		await this.#hold(this.#delimiter.length);
		if (this.#held.indexOf(this.#delimiter) !== 0) this.#take(CRLF.length);
		for (;;) {
			const end = this.#held.indexOf(this.#delimiter);
			if (end > 0) yield this.#take(end);
			if (end !== -1) break;
			const open = this.#held.length - this.#delimiter.length + 1;
			if (open > 0) yield this.#take(open);
			await this.#hold(this.#held.length + 1);
		}
		this.#take(this.#delimiter.length);
	}

	async drop(): Promise<void> {
		while ((await this.#chunks.next()).done !== true);
	}

	#take(bytes: number): Buffer {
		const taken = this.#held.subarray(0, bytes);
		this.#held = this.#held.subarray(bytes);
		return taken;
	}

	async #hold(bytes: number): Promise<void> {
		while (this.#held.length < bytes) {
			const { done, value } = await this.#chunks.next();
			if (done === true) throw malformed("it ends before its last boundary");
			this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
		}
	}
}

function toHeaders(text: string): Map<string, string> {
	const [rest, ...lines] = text.replaceAll(/\r\n[ \t]+/g, " ").split(CRLF);
	// Blanks may follow a boundary (RFC 2046, 5.1.1).
	if (rest?.trim() !== "") throw malformed("something follows a boundary");
	if (lines.length > MAX_HEADERS) throw malformed("a part has too many headers");
	const headers = new Map<string, string>();
	for (const line of lines) {
		const [, name, value] = /^([!#$%&'*+.^\w`|~-]+):[ \t]*([^\r\n]*)$/.exec(line) ?? [];
		if (name === undefined || value === undefined) throw malformed("a part has a malformed header");
		const key = name.toLowerCase();
		if (!headers.has(key)) headers.set(key, value);
	}
	return headers;
}

function malformed(what: string): UserError {
	return new UserError(422, "invalid_form", `The form is incomplete or malformed: ${what}`);
}
