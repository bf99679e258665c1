import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { CommandFailure, EXIT } from "../failure.ts";

interface State {
	/** What was asked for. */
	readonly request: string;
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

	/** @throws CommandFailure when the file is there, or another request has begun it */
	static async open(path: string, asked: object): Promise<ResumableFile> {
		const request = JSON.stringify(asked);
		if (await exists(path)) throw new CommandFailure(EXIT.condition, `${path} is there already: give another name.`);
		const state = (await readState(path)) ?? { request, bytes: 0, items: 0 };
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
		await this.#handle.write(chunk, 0, chunk.length, this.#state.bytes);
		await this.#handle.datasync();
		const { request, bytes, items } = this.#state;
		this.#state = {
			...{ request, bytes: bytes + chunk.length, items: items + lines.length },
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

async function exists(path: string): Promise<boolean> {
	try {
		await stat(path);
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
		throw error;
	}
}
