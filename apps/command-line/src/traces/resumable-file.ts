import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { CommandFailure, EXIT } from "../failure.ts";
import type { Selection } from "../span-query.ts";

interface State {
	/** What was asked for. */
	readonly request: string;
	/** What that meant when it was begun. */
	readonly selection: Selection;
	/** Where the next page begins; absent at the beginning. */
	readonly cursor?: string;
	readonly bytes: number;
	readonly items: number;
}

/**
 * A file that is written page by page, as `<file>.part`, and gets its name when it is whole. `<file>.part.json` says how
 * much of it counts and what comes next: what a crash left behind it is cut off.
 */
export class ResumableFile implements AsyncDisposable {
	readonly part: string;
	readonly #path: string;
	readonly #handle: FileHandle;
	#state: State;

	private constructor(path: string, handle: FileHandle, state: State) {
		this.#path = path;
		this.part = `${path}.part`;
		this.#handle = handle;
		this.#state = state;
	}

	/**
	 * @param asked what has to be the same when it goes on
	 * @param selection what that means now; one that goes on keeps its own
	 * @throws CommandFailure when the file is there, or another request has begun it
	 */
	static async open(path: string, asked: object, selection: Selection): Promise<ResumableFile> {
		const request = JSON.stringify(asked);
		await assertAbsent(path);
		const state = (await readState(path)) ?? { request, selection, bytes: 0, items: 0 };
		if (state.request !== request) {
			throw new CommandFailure(
				EXIT.condition,
				`${path}.part is of another export: delete it and ${path}.part.json, or give another name.`,
			);
		}
		const handle = await open(`${path}.part`, state.bytes === 0 ? "w" : "r+", 0o600);
		try {
			const { size } = await handle.stat();
			if (size < state.bytes)
				throw new CommandFailure(
					EXIT.condition,
					`${path}.part is shorter than it was: delete it and ${path}.part.json.`,
				);
			await handle.truncate(state.bytes);
			return new ResumableFile(path, handle, state);
		} catch (error) {
			await handle.close();
			throw error;
		}
	}

	get selection(): Selection {
		return this.#state.selection;
	}

	get cursor(): string | undefined {
		return this.#state.cursor;
	}

	get bytes(): number {
		return this.#state.bytes;
	}

	get items(): number {
		return this.#state.items;
	}

	/** Adds lines, and where to go on from; once it resolves, a crash loses nothing of it. */
	async append(lines: readonly string[], next: string | null): Promise<void> {
		const chunk = Buffer.from(lines.map((line) => `${line}\n`).join(""));
		const { request, selection, bytes, items } = this.#state;
		// One call may write a part of it.
		for (let written = 0; written < chunk.length; )
			written += (await this.#handle.write(chunk, written, chunk.length - written, bytes + written)).bytesWritten;
		await this.#handle.datasync();
		this.#state = {
			...{ request, selection, bytes: bytes + chunk.length, items: items + lines.length },
			...(next !== null && { cursor: next }),
		};
		const file = `${this.part}.json`;
		await writeFile(`${file}.new`, JSON.stringify(this.#state), { mode: 0o600 });
		await rename(`${file}.new`, file);
	}

	/** Gives the file its name. */
	async complete(): Promise<void> {
		await rename(this.part, this.#path);
		await rm(`${this.part}.json`, { force: true });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#handle.close();
	}
}

async function readState(path: string): Promise<State | undefined> {
	try {
		return JSON.parse(await readFile(`${path}.part.json`, "utf8"));
	} catch (error) {
		if (error instanceof SyntaxError)
			throw new CommandFailure(EXIT.condition, `${path}.part.json is damaged: delete it and ${path}.part.`);
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

/** @throws CommandFailure when the file is there */
export async function assertAbsent(path: string): Promise<void> {
	try {
		await stat(path);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
		throw error;
	}
	throw new CommandFailure(EXIT.condition, `${path} is there already: give another name.`);
}
