import { createHash, type Hash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Dicer } from "@fastify/busboy";
import { UserError } from "../errors.ts";
import { StorageUnavailable } from "../storage/traces/span-batch.ts";
import { invalid } from "./uploaded-rows.ts";

const MAX_FIELDS = 20_000;
const MAX_FIELD_BYTES = 4 * 1_024 * 1_024;
const HEADER_LIMITS = { maxHeaderPairs: 50, maxHeaderSize: 16_384 };

/** The file of a form: on the disk, without a name there, so that it goes with the process. */
export interface ReceivedFile {
	readonly name: string | undefined;
	/** In lower case, without parameters. */
	readonly contentType: string;
	/** In lower case. */
	readonly contentEncoding: string;
	/** From its beginning at each call. */
	read(): Readable;
}

/** A form with at most one file. Disposing closes the file. */
export interface ReceivedForm extends AsyncDisposable {
	readonly fields: ReadonlyMap<string, readonly string[]>;
	readonly file: ReceivedFile | undefined;
	/** Equal for forms that say the same, however they are sent. */
	readonly digest: string;
	close(): Promise<void>;
}

/**
 * Takes a `multipart/form-data` body off the wire; its part `file` goes to the disk as it comes.
 * @throws UserError 413 when it is too large, 422 when it is no such body
 */
export async function receiveForm(
	payload: Readable,
	contentType: string,
	{ folder, maxBytes, hungUp }: { folder: string; maxBytes: number; hungUp: AbortSignal },
): Promise<ReceivedForm> {
	const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType);
	if (boundary === null) throw invalid("The Content-Type has no boundary");
	const form = new Form(folder, hungUp);
	try {
		await form.receive(payload, boundary[1] ?? boundary[2] ?? "", maxBytes);
		return form;
	} catch (error) {
		await form.close();
		throw error;
	}
}

class Form implements ReceivedForm {
	readonly fields = new Map<string, string[]>();
	file: ReceivedFile | undefined;
	readonly #fileHash = createHash("sha256");
	readonly #folder: string;
	readonly #hungUp: AbortSignal;
	#handle: FileHandle | undefined;
	#hasFile = false;
	#fieldCount = 0;
	#fieldBytes = 0;

	constructor(folder: string, hungUp: AbortSignal) {
		this.#folder = folder;
		this.#hungUp = hungUp;
	}

	get digest(): string {
		const about = [[...this.fields], this.file?.contentType, this.#fileHash.copy().digest("hex")];
		return createHash("sha256").update(JSON.stringify(about)).digest("hex");
	}

	async receive(payload: Readable, boundary: string, maxBytes: number): Promise<void> {
		const config = { boundary, ...HEADER_LIMITS };
		const splitter = new Dicer(config);
		const parts: Promise<void>[] = [];
		const streams: Readable[] = [];
		splitter.on("part", (part) => {
			// The splitter's own error says the same.
			part.on("error", () => undefined);
			streams.push(part);
			part.on("header", (headers) => {
				const received = this.#receivePart(part, headers as Readonly<Record<string, readonly string[]>>);
				received.catch((error: unknown) => splitter.destroy(error instanceof Error ? error : new Error(String(error))));
				parts.push(received);
			});
		});
		try {
			// The splitter may wait for ever for more of a part whose sender is gone.
			const isGone = rejectedAt(this.#hungUp);
			await Promise.race([split(payload, splitter, maxBytes), isGone]);
			await Promise.race([Promise.all(parts), isGone]);
		} catch (error) {
			for (const stream of streams) stream.destroy();
			await Promise.allSettled(parts);
			throw toReceiveError(error);
		}
	}

	async #receivePart(part: Readable, headers: Readonly<Record<string, readonly string[]>>): Promise<void> {
		const { name, filename } = dispositionOf(headers["content-disposition"]?.[0] ?? "");
		if (name === "file") {
			if (this.#hasFile) throw invalid("The form has more than one file");
			this.#hasFile = true;
			await this.#receiveFile(part, filename, headers);
			return;
		}
		// Fields end in another order than they begin, depending on the pieces that they come in.
		const values = this.fields.get(name) ?? [];
		this.fields.set(name, values);
		const place = values.push("") - 1;
		values[place] = await this.#readField(part);
	}

	async #receiveFile(
		part: Readable,
		name: string | undefined,
		headers: Readonly<Record<string, readonly string[]>>,
	): Promise<void> {
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		const path = join(this.#folder, randomUUID());
		const handle = await open(path, "wx+", 0o600);
		this.#handle = handle;
		await rm(path);
		// A pipeline from what is destroyed already would never end.
		if (part.destroyed) throw new Error("the file breaks off");
		await pipeline(part, writerOf(handle, this.#fileHash), { signal: this.#hungUp });
		this.file = {
			name,
			contentType: (headers["content-type"]?.[0] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
			contentEncoding: headers["content-encoding"]?.[0]?.trim().toLowerCase() ?? "none",
			read: () => Readable.from(chunksOf(handle), { objectMode: false }),
		};
	}

	async #readField(part: Readable): Promise<string> {
		this.#fieldCount += 1;
		const chunks: Buffer[] = [];
		for await (const chunk of part as AsyncIterable<Buffer>) {
			this.#fieldBytes += chunk.length;
			if (this.#fieldBytes > MAX_FIELD_BYTES) break;
			chunks.push(chunk);
		}
		if (this.#fieldBytes > MAX_FIELD_BYTES || this.#fieldCount > MAX_FIELDS) {
			throw new UserError(413, "form_too_large", "The fields of the form are too many or too long");
		}
		return Buffer.concat(chunks).toString("utf8");
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	async close(): Promise<void> {
		const handle = this.#handle;
		this.#handle = undefined;
		await handle?.close();
	}
}

function rejectedAt(signal: AbortSignal): Promise<never> {
	const rejected = new Promise<never>((_, reject) => {
		const gone = () => reject(new Error("the sender hung up"));
		if (signal.aborted) gone();
		else signal.addEventListener("abort", gone, { once: true });
	});
	rejected.catch(() => undefined);
	return rejected;
}

/** Leaves the file open. */
function writerOf(handle: FileHandle, hash: Hash): Writable {
	return new Writable({
		write(chunk: Buffer, _encoding, done) {
			hash.update(chunk);
			handle.writeFile(chunk).then(() => done(), done);
		},
	});
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
	for (let position = 0; ; ) {
		const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(65_536), position });
		if (bytesRead === 0) return;
		position += bytesRead;
		yield buffer.subarray(0, bytesRead);
	}
}

/** By hand, as the splitter says that it has finished when it has seen the last boundary, before its source has ended. */
async function split(payload: Readable, splitter: Dicer, maxBytes: number): Promise<void> {
	const finished = new Promise<void>((resolve, reject) => {
		splitter.once("finish", resolve).once("error", reject);
	});
	finished.catch(() => undefined);
	const failed = new Promise<never>((_, reject) => finished.catch(reject));
	let bytes = 0;
	for await (const chunk of payload as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > maxBytes) {
			splitter.destroy(uploadTooLarge());
			throw uploadTooLarge();
		}
		const written = new Promise<void>((resolve) => splitter.write(chunk, () => resolve()));
		await Promise.race([written, failed]);
	}
	splitter.end();
	await finished;
}

export function uploadTooLarge(): UserError {
	return new UserError(413, "upload_too_large", "The upload is larger than SERVICE_MAX_UPLOAD_BYTES allows.");
}

const BROKEN_OFF: ReadonlySet<unknown> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET"]);
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

function toReceiveError(error: unknown): unknown {
	if (!(error instanceof Error) || error instanceof UserError) return error;
	if ("code" in error && FULL.has(error.code)) return new StorageUnavailable("full", error);
	// What the splitter says has no code, unlike errors of the system.
	return "code" in error && !BROKEN_OFF.has(error.code)
		? error
		: new UserError(422, "invalid_form", `The form is incomplete or malformed: ${error.message}`, { cause: error });
}

/** RFC 7578, 4.2; the bytes of names are UTF-8. */
function dispositionOf(header: string): { name: string; filename: string | undefined } {
	const parameters = new Map<string, string>();
	for (const [, key = "", quoted, bare = ""] of header.matchAll(
		/;\s*([a-z]+\*?)=(?:"((?:\\.|[^"\\])*)"|([^;\s]*))/gi,
	)) {
		parameters.set(key.toLowerCase(), Buffer.from(quoted?.replace(/\\(.)/g, "$1") ?? bare, "latin1").toString("utf8"));
	}
	return { name: parameters.get("name") ?? "", filename: parameters.get("filename") };
}
