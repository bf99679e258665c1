import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { type Part, readParts } from "./multipart.ts";
import { invalid, uploadTooLarge } from "./uploaded-rows.ts";

const MAX_FIELDS = 20_000;
/** Total of all fields, including their names. */
const MAX_FIELD_BYTES = 4 * 1_024 * 1_024;

/** The file of a form: an unnamed file on the disk, which disappears with the process. */
export interface ReceivedFile {
	readonly name: string | undefined;
	/** In lower case, without parameters. */
	readonly contentType: string;
	/** In lower case. */
	readonly contentEncoding: string;
	/** To be read at explicit positions: its current position is not the beginning. */
	readonly fd: number;
	/** Bytes, as sent. */
	readonly size: number;
}

/** A form with at most one file. Disposing closes the file. */
export interface ReceivedForm extends AsyncDisposable {
	readonly fields: ReadonlyMap<string, readonly string[]>;
	readonly file: ReceivedFile | undefined;
	/** Equal for forms with the same contents, whatever their boundaries and chunks. */
	readonly digest: string;
	close(): Promise<void>;
}

/**
 * Receives a `multipart/form-data` body; its part `file` is written to the disk as it arrives. A caller that refuses a
 * body before its end has to close the connection.
 * @param hungUp aborts when the sender has disconnected
 * @throws UserError 413 when it is too large, 422 when it is malformed, 507 when the folder cannot be written
 */
export async function receiveForm(
	payload: Readable,
	contentType: string,
	{ folder, maxBytes, hungUp }: { folder: string; maxBytes: number; hungUp: AbortSignal },
): Promise<ReceivedForm> {
	const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType);
	if (boundary === null) throw invalid("The Content-Type has no boundary");
	const form = new Form(folder);
	const hangUp = () => payload.destroy(new Error("the sender hung up"));
	hungUp.addEventListener("abort", hangUp, { once: true });
	try {
		await form.receive(readParts(bounded(payload, maxBytes), present(boundary[1] ?? boundary[2], "a boundary")));
		return form;
	} catch (error) {
		await form.close();
		throw toReceiveError(error, payload);
	} finally {
		hungUp.removeEventListener("abort", hangUp);
	}
}

class Form implements ReceivedForm {
	readonly fields = new Map<string, string[]>();
	file: ReceivedFile | undefined;
	readonly #fileHash = createHash("sha256");
	readonly #folder: string;
	#handle: FileHandle | undefined;
	#fieldCount = 0;
	#fieldBytes = 0;

	constructor(folder: string) {
		this.#folder = folder;
	}

	get digest(): string {
		const about = [[...this.fields], this.file?.contentType, this.#fileHash.copy().digest("hex")];
		return createHash("sha256").update(JSON.stringify(about)).digest("hex");
	}

	async receive(parts: AsyncIterable<Part>): Promise<void> {
		for await (const part of parts) {
			const { name, filename } = dispositionOf(part.headers.get("content-disposition") ?? "");
			if (name === undefined) throw invalid("A part of the form has no name");
			if (name === "file") await this.#receiveFile(part, filename);
			else await this.#receiveField(part, name);
		}
	}

	async #receiveFile({ headers, body }: Part, name: string | undefined): Promise<void> {
		if (this.#handle !== undefined) throw invalid("The form has more than one file");
		const handle = await onDisk(() => openUnnamed(this.#folder));
		this.#handle = handle;
		let size = 0;
		for await (const chunk of body) {
			size += chunk.length;
			this.#fileHash.update(chunk);
			await onDisk(() => handle.writeFile(chunk));
		}
		this.file = {
			name,
			contentType: headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "",
			contentEncoding: headers.get("content-encoding")?.trim().toLowerCase() ?? "none",
			fd: handle.fd,
			size,
		};
	}

	async #receiveField({ body }: Part, name: string): Promise<void> {
		const chunks: Buffer[] = [];
		this.#fieldCount += 1;
		this.#countBytes(name.length);
		for await (const chunk of body) {
			this.#countBytes(chunk.length);
			chunks.push(chunk);
		}
		const value = Buffer.concat(chunks).toString("utf8");
		const values = this.fields.get(name);
		if (values === undefined) this.fields.set(name, [value]);
		else values.push(value);
	}

	#countBytes(more: number): void {
		this.#fieldBytes += more;
		if (this.#fieldBytes <= MAX_FIELD_BYTES && this.#fieldCount <= MAX_FIELDS) return;
		throw new UserError(413, "form_too_large", "The form has too many fields, or they are too long");
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

/** An open file without a name, which disappears with the process. */
async function openUnnamed(folder: string): Promise<FileHandle> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, randomUUID());
	const handle = await open(path, "wx+", 0o600);
	try {
		await rm(path);
		return handle;
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** Does not destroy the payload at an early end: its connection is still needed for the answer. */
async function* bounded(payload: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	let bytes = 0;
	for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > maxBytes) throw uploadTooLarge();
		yield chunk;
	}
}

const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** @throws StorageUnavailable when the disk is full, UserError 507 when it fails otherwise */
async function onDisk<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
		if (FULL.has(error.code)) throw new StorageUnavailable("full", error);
		throw new UserError(
			507,
			"uploads_not_writable",
			"The server cannot write to its upload folder; its log says why.",
			{
				cause: error,
			},
		);
	}
}

function toReceiveError(error: unknown, payload: Readable): unknown {
	if (payload.errored === null || error !== payload.errored) return error;
	return new UserError(422, "invalid_form", "The form is incomplete or malformed: it broke off", { cause: error });
}

/** RFC 7578, 4.2; the bytes of names are UTF-8. */
function dispositionOf(header: string): { name: string | undefined; filename: string | undefined } {
	const parameters = new Map<string, string>();
	for (const [, key = "", quoted, bare = ""] of header.matchAll(
		/;\s*([a-z]+\*?)=(?:"((?:\\.|[^"\\])*)"|([^;\s]*))/gi,
	)) {
		parameters.set(key.toLowerCase(), Buffer.from(quoted?.replace(/\\(.)/g, "$1") ?? bare, "latin1").toString("utf8"));
	}
	return { name: parameters.get("name"), filename: parameters.get("filename") };
}
