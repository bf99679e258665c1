import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../io.ts";

/** How far a file was imported. */
export interface FileState {
	/** Messages from its beginning that were sent and answered. */
	readonly messages: number;
	/** Of these, how many were not stored whole. */
	readonly refused: number;
}

/**
 * How far the import of a file into a project of a server has come, in `$XDG_STATE_HOME/spanward`. A file that has changed
 * is another one.
 */
export class ImportState {
	readonly #path: string;

	constructor(environment: Environment, identity: readonly (string | number)[]) {
		const given = environment["XDG_STATE_HOME"];
		const state = given?.startsWith("/") ? given : join(environment["HOME"] || homedir(), ".local", "state");
		const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
		this.#path = join(state, "spanward", `import-${name}.json`);
	}

	async read(): Promise<FileState> {
		try {
			const { messages, refused }: FileState = JSON.parse(await readFile(this.#path, "utf8"));
			return { messages, refused };
		} catch (error) {
			const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
			// A damaged one: the import begins anew, which changes nothing of what is stored.
			if (isAbsent || error instanceof SyntaxError) return { messages: 0, refused: 0 };
			throw error;
		}
	}

	async write(state: FileState): Promise<void> {
		await mkdir(join(this.#path, ".."), { recursive: true, mode: 0o700 });
		await writeFile(`${this.#path}.new`, JSON.stringify(state), { mode: 0o600 });
		await rename(`${this.#path}.new`, this.#path);
	}

	async remove(): Promise<void> {
		await rm(this.#path, { force: true });
	}
}
