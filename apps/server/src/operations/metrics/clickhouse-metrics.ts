import type { Config } from "#base/config.ts";
import type { Ingest } from "#ingest/ingest.ts";
import {
	ABANDONED,
	type StatementDone,
	type StatementFigures,
	statementsDone,
} from "#storage/clickhouse/statement-channel.ts";
import type { StorageNode, TracePlace } from "#storage/trace-place.ts";
import { counter, type Family, gauge, sample } from "./exposition.ts";
import { ReconcilerRepairs } from "./reconciler-repairs.ts";
import { Counter, Histogram } from "./recorders.ts";

const ROWS_OF_AN_INSERT = [1, 10, 100, 1_000, 5_000, 20_000, 100_000];
const ROWS_READ = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/** Metrics of the nodes that have the traces, and of what this process asks them. */
export class ClickHouseMetrics implements Disposable {
	readonly #config: Pick<Config, "SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS">;
	readonly #place: Pick<TracePlace, "listNodes" | "countOlderRows">;
	readonly #ingest: Pick<Ingest, "health" | "insertIntervalMs">;
	readonly #insertSeconds = new Histogram(
		"spanward_clickhouse_insert_seconds",
		"Time until ClickHouse answered an insert.",
	);
	readonly #insertRows = new Histogram(
		"spanward_clickhouse_insert_rows",
		"Rows of an insert that was stored.",
		ROWS_OF_AN_INSERT,
	);
	readonly #inserts = new Counter("spanward_clickhouse_inserts_total", "Inserts that were sent, repeats included.");
	readonly #retries = new Counter(
		"spanward_clickhouse_insert_retries_total",
		"Inserts that were sent again with the same token, so that they are stored once.",
	);
	readonly #errors = new Counter(
		"spanward_clickhouse_errors_total",
		"Statements that failed, by ClickHouse's code, or why there was none.",
	);
	readonly #querySeconds = new Histogram(
		"spanward_clickhouse_query_seconds",
		"Time until ClickHouse answered a statement that reads.",
	);
	readonly #queryRows = new Histogram(
		"spanward_clickhouse_query_rows_read",
		"Rows that ClickHouse read for a statement.",
		ROWS_READ,
	);
	readonly #repairs = new ReconcilerRepairs();
	readonly #onStatement = (message: unknown) => {
		const done = message as StatementDone;
		if (!done.isProbe) this.count(done);
	};

	constructor(
		config: Pick<Config, "SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS">,
		place: Pick<TracePlace, "listNodes" | "countOlderRows">,
		ingest: Pick<Ingest, "health" | "insertIntervalMs">,
	) {
		this.#config = config;
		this.#place = place;
		this.#ingest = ingest;
		statementsDone.subscribe(this.#onStatement);
	}

	/** Counts a statement; those of this thread are counted by themselves. */
	count({ node, kind, durationMs, rowsRead, rowsWritten, isRepeat, errorCode }: StatementFigures): void {
		if (errorCode === ABANDONED) return;
		if (errorCode !== undefined) this.#errors.add({ node, kind, code: errorCode });
		const seconds = durationMs / 1_000;
		if (kind === "insert") {
			this.#insertSeconds.record({ node }, seconds);
			this.#inserts.add({ node });
			if (isRepeat) this.#retries.add({ node });
			if (errorCode === undefined) this.#insertRows.record({ node }, rowsWritten);
		} else if (kind === "select") {
			this.#querySeconds.record({ node }, seconds);
			if (errorCode === undefined) this.#queryRows.record({ node }, rowsRead);
		}
	}

	/** Nodes are named by shard and replica, as in links to the Storage page: who may read metrics need not know hosts. */
	async families(): Promise<readonly Family[]> {
		const [nodes, older] = await Promise.all([this.#place.listNodes(), this.#place.countOlderRows?.()]);
		const positions = new Map(nodes.map((node) => [node.host, positionOf(node)]));
		const intervalMs = this.#ingest.insertIntervalMs() ?? this.#config.SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS;
		return [
			...nodeFamilies(nodes),
			...this.#ofStatements(positions),
			counter(
				"spanward_clickhouse_duplicates_total",
				"Spans that were sent and found stored already.",
				this.#ingest.health().duplicateSpans,
			),
			gauge(
				"spanward_clickhouse_insert_interval_seconds",
				"Least time between two inserts of this process while it is busy; it grows while merges do not keep up.",
				intervalMs / 1_000,
			),
			gauge(
				"spanward_clickhouse_older_rows",
				"Rows that a former version's reading of attributes has made and that are to be made anew, by table.",
				Object.entries(older ?? {}).map(([table, count]) => sample(count, { table })),
			),
			...this.#repairs.families(),
		];
	}

	#ofStatements(positions: ReadonlyMap<string, string>): readonly Family[] {
		const recorders = [
			...[this.#inserts, this.#retries, this.#insertSeconds, this.#insertRows],
			...[this.#querySeconds, this.#queryRows, this.#errors],
		];
		return recorders.map((recorder) => {
			const family = recorder.family();
			const samples = family.samples.map(({ labels, ...rest }) => {
				const node = positions.get(labels["node"] ?? "") ?? "";
				return { ...rest, labels: { ...labels, node } };
			});
			return { ...family, samples };
		});
	}

	[Symbol.dispose](): void {
		statementsDone.unsubscribe(this.#onStatement);
		this.#repairs[Symbol.dispose]();
	}
}

function positionOf({ shard, replica }: StorageNode): string {
	return `${shard}.${replica}`;
}

/** What nodes tell of themselves; without samples of a node for what it does not tell. */
function nodeFamilies(nodes: readonly StorageNode[]): readonly Family[] {
	const ofNodes = (name: string, help: string, read: (node: StorageNode) => number | null) =>
		gauge(
			`spanward_clickhouse_${name}`,
			help,
			nodes.flatMap((node) => {
				const value = read(node);
				return value === null ? [] : [sample(value, { node: positionOf(node) })];
			}),
		);
	return [
		ofNodes("up", "Whether a node answers this process.", ({ state }) => Number(state !== "unreachable")),
		ofNodes("active_parts", "Parts of the partition that has most of them.", (node) => node.activePartsMax),
		ofNodes(
			"parts_limit_ratio",
			"The same as a share of the parts at which ClickHouse refuses inserts.",
			(node) => node.partsLimitRatio,
		),
		ofNodes("merges", "Merges that run.", (node) => node.merges),
		ofNodes("mutations_pending", "Changes of stored rows that are not done.", (node) => node.mutationsPending),
		ofNodes("replica_delay_seconds", "Delay behind the other replicas.", (node) => node.delaySeconds),
		ofNodes("free_bytes", "Room of the disks that the tables may use.", (node) => node.freeBytes),
		ofNodes("total_bytes", "Size of these disks.", (node) => node.totalBytes),
	];
}
