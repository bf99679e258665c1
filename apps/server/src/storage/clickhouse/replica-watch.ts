import { ClickHouseFailure } from "./failures.ts";
import type { ClickHouseNode } from "./node.ts";
import type { ToldState } from "./replicas.ts";
import { types } from "./row-binary.ts";

const EVERY_MS = 5_000;
const WITHIN_MS = 4_000;

/**
 * Has replicas asked every few seconds how far they are behind the others. The timer keeps no process alive.
 * @param note gets what a replica tells; nothing of one that does not answer, or whose user may not ask
 */
export class ReplicaWatch implements AsyncDisposable {
	readonly #nodes: readonly ClickHouseNode[];
	readonly #note: (node: ClickHouseNode, state: ToldState) => void;
	readonly #timer: NodeJS.Timeout;
	readonly #ended = new AbortController();
	#asking: Promise<void> | undefined;

	constructor(nodes: readonly ClickHouseNode[], note: (node: ClickHouseNode, state: ToldState) => void) {
		this.#nodes = nodes;
		this.#note = note;
		this.#timer = setInterval(() => this.#askAll(), EVERY_MS).unref();
		this.#askAll();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#timer);
		this.#ended.abort();
		await this.#asking;
	}

	#askAll(): void {
		this.#asking ??= Promise.all(this.#nodes.map((node) => this.#ask(node))).then(() => {
			this.#asking = undefined;
		});
	}

	async #ask(node: ClickHouseNode): Promise<void> {
		const { signal } = this.#ended;
		try {
			this.#note(node, await readReplicaState(node, { signal, withinMs: WITHIN_MS }));
		} catch (error) {
			if (!signal.aborted && !(error instanceof ClickHouseFailure)) throw error;
		}
	}
}

/**
 * How a node fares among the replicas, by the worst of its tables. One that is read-only cannot know how far it is behind.
 * @throws ClickHouseFailure
 */
export async function readReplicaState(
	node: Pick<ClickHouseNode, "select">,
	options: { readonly signal?: AbortSignal; readonly withinMs?: number } = {},
): Promise<ToldState> {
	const [row] = await node.select(
		`select maxIf(absolute_delay, not (is_readonly or is_session_expired)) as delay,
			toUInt8(max(is_readonly or is_session_expired)) as isReadOnly
		from system.replicas where database = currentDatabase()`,
		{ delay: types.Count, isReadOnly: types.UInt8 },
		{ ...options, isProbe: true, settings: { log_queries: 0 } },
	);
	return { delay: row?.delay ?? 0, isReadOnly: row?.isReadOnly === 1 };
}
