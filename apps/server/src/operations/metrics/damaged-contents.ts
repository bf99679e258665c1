import type { FastifyBaseLogger } from "fastify";
import { type DamageFound, onDamage } from "#storage/traces/content/damaged-blocks.ts";
import { type Family, gauge } from "./exposition.ts";

/** Bounds the memory; the count stops here, too. */
const MOST_REMEMBERED = 10_000;
/** How many are named in the log; `spanward verify` finds all. */
const MOST_LOGGED = 20;

/** Damaged blocks and spans that were found while reading, each once. */
export class DamagedContents implements Disposable {
	readonly #found = new Set<string>();
	readonly #log: FastifyBaseLogger;
	readonly #listening: Disposable;

	constructor(log: FastifyBaseLogger) {
		this.#log = log;
		this.#listening = onDamage((found) => this.#note(found));
	}

	families(): readonly Family[] {
		const help = "Stored blocks, and spans in them, that could not be read since the start.";
		return [gauge("spanward_damaged_contents", help, this.#found.size)];
	}

	#note({ reason, ...what }: DamageFound): void {
		const key = JSON.stringify(what);
		if (this.#found.has(key) || this.#found.size === MOST_REMEMBERED) return;
		this.#found.add(key);
		if (this.#found.size > MOST_LOGGED) return;
		const more = this.#found.size === MOST_LOGGED ? "; further ones are not logged" : "";
		const message = `the stored content of spans is damaged: they are shown without it; spanward verify finds all${more}`;
		this.#log.error({ ...what, reason }, message);
	}

	[Symbol.dispose](): void {
		this.#listening[Symbol.dispose]();
	}
}
