/** More texts than this are not prepared: each takes memory in each connection, for as long as it is open. */
const MOST = 200;

/** Names of prepared statements, the same on all connections of a process. */
export class StatementNames {
	readonly #names = new Map<string, string>();
	#given = 0;

	/** @returns undefined when there are too many */
	of(text: string): string | undefined {
		const known = this.#names.get(text);
		if (known !== undefined || this.#names.size >= MOST) return known;
		this.#given += 1;
		const name = `kept_${this.#given}`;
		this.#names.set(text, name);
		return name;
	}

	/** Gives new names to all texts, so that each connection plans them anew. */
	renew(): void {
		this.#names.clear();
	}
}
