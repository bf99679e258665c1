import { ModelError } from "./model-error.ts";
import type { Providers } from "./providers.ts";

/** What a provider told about its models. */
export interface ModelList {
	readonly names: readonly string[];
	/** Why there is no list. */
	readonly problem: ModelError | undefined;
}

interface Kept {
	readonly list: Promise<ModelList>;
	readonly until: number;
}

const KEPT_MS = 10 * 60_000;
/** A list that could not be had is asked for again soon, but not by each who looks. */
const PROBLEM_KEPT_MS = 30_000;
const MAX_WAIT_MS = 30_000;
/** More than there may be connections. */
const MAX_KEPT = 200;

/** Lists of the models of providers, as this server got them. */
export class ModelLists {
	readonly #providers: Pick<Providers, "open" | "listModels">;
	readonly #kept = new Map<string, Kept>();

	constructor(providers: Pick<Providers, "open" | "listModels">) {
		this.#providers = providers;
	}

	/** The list that is kept; undefined when there is none, or when the connection was changed since. */
	async find(connection: Version): Promise<ModelList | undefined> {
		const kept = this.#kept.get(keyOf(connection));
		return kept === undefined || kept.until < performance.now() ? undefined : await kept.list;
	}

	/** The list, which is asked for unless it is kept. */
	async get(connection: Version): Promise<ModelList> {
		const found = await this.find(connection);
		if (found !== undefined) return found;
		const key = keyOf(connection);
		const list = this.#ask(connection.id);
		this.#keep(key, list, KEPT_MS);
		const { problem } = await list;
		if (problem !== undefined) this.#keep(key, list, PROBLEM_KEPT_MS);
		return await list;
	}

	async #ask(connectionId: number): Promise<ModelList> {
		try {
			const connection = await this.#providers.open(connectionId);
			const names = await this.#providers.listModels(
				{ ...connection, timeoutMs: Math.min(connection.timeoutMs, MAX_WAIT_MS) },
				AbortSignal.timeout(MAX_WAIT_MS),
			);
			return { names, problem: undefined };
		} catch (error) {
			if (!(error instanceof ModelError)) throw error;
			return { names: [], problem: error };
		}
	}

	#keep(key: string, list: Promise<ModelList>, milliseconds: number): void {
		this.#kept.delete(key);
		this.#kept.set(key, { list, until: performance.now() + milliseconds });
		const [oldest] = this.#kept.keys();
		if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
	}
}

/** A connection as it was at some time. */
interface Version {
	readonly id: number;
	readonly revision: number;
}

function keyOf({ id, revision }: Version): string {
	return `${id} ${revision}`;
}
