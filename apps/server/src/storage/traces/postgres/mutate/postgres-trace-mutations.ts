import type * as Store from "../../trace-store.ts";
import type { PostgresStoreOptions } from "../postgres-trace-store.ts";

/** What changes stored traces, in bounded batches. */
export class PostgresTraceMutations {
	readonly #pool: PostgresStoreOptions["writing"];
	readonly #tell: (change: Store.TraceChange) => void;

	constructor({ writing }: PostgresStoreOptions, tell: (change: Store.TraceChange) => void) {
		this.#pool = writing;
		this.#tell = tell;
	}

	async deleteSpan(_spanRowId: number): Promise<boolean> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}

	async deleteTrace(_traceRowId: number): Promise<boolean> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}

	async deleteTracesBetween(_projectId: number, _startMicros: number, _endMicros: number): Promise<number> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}

	async deleteSession(_sessionRowId: number): Promise<boolean> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}

	async deleteProject(_projectId: number): Promise<boolean> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}

	async transferTraces(_traceRowIds: readonly number[], _destinationProjectId: number): Promise<number> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}

	async deleteExpired(
		_rule: Store.RetentionRule,
		_goOn: (batch: { deleted: number; kept: number }) => Promise<boolean>,
	): Promise<void> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}

	async recomputeCosts(_query: Store.CostQuery): Promise<Store.CostStep> {
		throw new Error(`not yet ${this.#pool.totalCount} ${this.#tell.length}`);
	}
}
