import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Spanward } from "@spanward/client";
import { CommandFailure, EXIT, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { formatBytes } from "../quantities.ts";
import { belongTogether, type Refused, sendBatch } from "./batch.ts";
import { type FileState, ImportState } from "./import-state.ts";
import { type FileRecord, readRecords } from "./records.ts";
import { uploadFetch } from "./upload-fetch.ts";

/** Requests under way, and bytes of each; a single message may be larger. */
const AT_ONCE = 4;
const REQUEST_BYTES = 1_048_576;
const SAVED_EVERY_MS = 1_000;
/** Messages that are named one by one. */
const MOST_NAMED = 50;
/** Exports wait for a server with too much to do. */
const RETRIES = { attempts: 8 };

interface Source {
	readonly name: string;
	readonly open: () => Readable;
	/** Absent for standard input, which cannot be read again. */
	readonly state?: ImportState;
}

/** `spanward import otlp`: sends the spans of files. Exit code 1 when not all of them were stored. */
export async function importOtlp(invocation: Invocation): Promise<number | undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect({ retries: RETRIES, fetch: uploadFetch(invocation.signal) });
	const sources = await sourcesOf(invocation, spanward.baseUrl);
	const totals = new Totals(invocation);
	for (const source of sources) await new FileImport(invocation, spanward, source, totals).run();
	const { messages, bytes, refused, ignored } = totals;
	if (terminal.isJson) await terminal.printJson({ messages, bytes, refused, ignored });
	else {
		const left = ignored > 0 ? ` Left out ${ignored} of metrics or profiles.` : "";
		const failed = refused > 0 ? ` ${refused} were not stored whole.` : "";
		terminal.note(`Sent ${messages.toLocaleString("en")} messages (${formatBytes(bytes)}).${failed}${left}`);
	}
	return refused > 0 ? EXIT.condition : undefined;
}

async function sourcesOf(invocation: Invocation, url: string): Promise<Source[]> {
	const { io, positionals } = invocation;
	const project = invocation.value("project") ?? "";
	const ofFile = async (path: string): Promise<Source> => {
		const { size, mtimeMs } = await stat(path);
		const state = new ImportState(io.environment, [url, project, resolve(path), size, mtimeMs]);
		return { name: path, open: () => createReadStream(path, { highWaterMark: 1_048_576 }), state };
	};
	const sources: Source[] = [];
	for (const given of positionals) {
		if (given === "-") sources.push({ name: "standard input", open: () => io.stdin });
		else if ((await stat(given)).isDirectory()) {
			const entries = await readdir(given, { recursive: true, withFileTypes: true });
			const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
			const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
			for (const path of paths) sources.push(await ofFile(path));
			if (paths.length === 0) throw usageFailure(`There is no file in ${given}.`);
		} else sources.push(await ofFile(given));
	}
	return sources;
}

/** What was sent of all files, and the messages about what was not stored. */
class Totals {
	messages = 0;
	bytes = 0;
	refused = 0;
	ignored = 0;
	#named = 0;
	readonly #invocation: Invocation;

	constructor(invocation: Invocation) {
		this.#invocation = invocation;
	}

	name(file: string, { record, rejected, reason }: Refused): void {
		this.refused += 1;
		this.#named += 1;
		if (this.#named > MOST_NAMED) return;
		const { io, terminal } = this.#invocation;
		terminal.endProgress();
		const part = rejected === undefined ? " " : `: ${rejected} rejected: `;
		io.stderr.write(`${terminal.oneLine(`${file}, ${record.place}${part}${reason}`)}\n`);
		if (this.#named === MOST_NAMED) io.stderr.write("Further ones are counted, not named.\n");
	}

	progress(file: string): void {
		this.#invocation.terminal.progress(
			`${file}: ${this.messages.toLocaleString("en")} messages, ${formatBytes(this.bytes)}`,
		);
	}
}

class FileImport {
	readonly #invocation: Invocation;
	readonly #spanward: Spanward;
	readonly #source: Source;
	readonly #totals: Totals;
	/** Requests under way, in order of the file: what is before the first of them is done. */
	readonly #underWay: { readonly done: Promise<readonly Refused[]>; readonly count: number }[] = [];
	#state: FileState = { messages: 0, refused: 0 };
	#savedAt = performance.now();

	constructor(invocation: Invocation, spanward: Spanward, source: Source, totals: Totals) {
		this.#invocation = invocation;
		this.#spanward = spanward;
		this.#source = source;
		this.#totals = totals;
	}

	async run(): Promise<void> {
		const { name, open, state } = this.#source;
		const before = (await state?.read()) ?? this.#state;
		if (before.messages > 0) {
			this.#invocation.terminal.note(`${name}: going on after ${before.messages.toLocaleString("en")} messages.`);
			this.#totals.refused += before.refused;
		}
		this.#state = before;
		try {
			await this.#send(open(), before.messages);
		} catch (error) {
			// What is under way is not waited for; it is sent again.
			for (const { done } of this.#underWay) done.catch(() => {});
			if (this.#state.messages > 0) await state?.write(this.#state);
			if (this.#invocation.signal.aborted)
				throw new CommandFailure(
					EXIT.interrupted,
					`Interrupted in ${name} after ${this.#state.messages.toLocaleString("en")} messages. The same command again goes on from there.`,
				);
			throw unreadable(error, name);
		}
		await state?.remove();
	}

	async #send(file: Readable, skipped: number): Promise<void> {
		let batch: FileRecord[] = [];
		let size = 0;
		let number = 0;
		const flush = async () => {
			if (batch.length === 0) return;
			await this.#start(batch);
			[batch, size] = [[], 0];
		};
		for await (const record of readRecords(file)) {
			this.#invocation.signal.throwIfAborted();
			number += 1;
			if (number <= skipped) continue;
			const [first] = batch;
			const isApart = record.error !== undefined || record.signal === "other";
			if (
				first !== undefined &&
				(isApart || size + record.bytes.length > REQUEST_BYTES || !belongTogether(first, record))
			)
				await flush();
			batch.push(record);
			size += record.bytes.length;
			if (isApart) await flush();
		}
		await flush();
		while (this.#underWay.length > 0) await this.#settleFirst();
	}

	async #start(batch: readonly FileRecord[]): Promise<void> {
		while (this.#underWay.length >= AT_ONCE) await this.#settleFirst();
		const [first] = batch;
		const done = this.#deliver(batch, first);
		// It is looked at in its turn.
		done.catch(() => {});
		this.#underWay.push({ done, count: batch.length });
		this.#totals.messages += batch.length;
		this.#totals.bytes += batch.reduce((sum, { bytes }) => sum + bytes.length, 0);
		this.#totals.progress(this.#source.name);
	}

	async #deliver(batch: readonly FileRecord[], first: FileRecord | undefined): Promise<readonly Refused[]> {
		if (first?.error !== undefined) return [{ record: first, reason: first.error }];
		if (first?.signal !== "other")
			return await sendBatch({ spanward: this.#spanward, project: this.#invocation.value("project") }, batch);
		this.#totals.ignored += 1;
		return [];
	}

	async #settleFirst(): Promise<void> {
		const [first] = this.#underWay;
		if (first === undefined) return;
		const refused = await first.done;
		this.#underWay.shift();
		for (const one of refused) this.#totals.name(this.#source.name, one);
		this.#state = { messages: this.#state.messages + first.count, refused: this.#state.refused + refused.length };
		if (performance.now() - this.#savedAt < SAVED_EVERY_MS) return;
		this.#savedAt = performance.now();
		await this.#source.state?.write(this.#state);
	}
}

/** Errors of zlib are of the file. */
function unreadable(error: unknown, name: string): unknown {
	if (!(error instanceof Error && "code" in error && String(error.code).startsWith("Z"))) return error;
	return new CommandFailure(EXIT.condition, `${name} is damaged: ${error.message}. What comes before was sent.`);
}
