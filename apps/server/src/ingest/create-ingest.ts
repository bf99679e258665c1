import { Worker } from "node:worker_threads";
import type { Config } from "#base/config.ts";
import type { StatementFigures } from "#storage/clickhouse/statement-channel.ts";
import type { Storage } from "#storage/storage.ts";
import type { TraceChange } from "#storage/traces/trace-store.ts";
import type { Ingest } from "./ingest.ts";
import { type IngestLog, type IngestOptions, IngestPool } from "./ingest-pool.ts";
import type { GroupReport, WorkerData } from "./worker-messages.ts";

/** Little lives longer than a group; V8's default would take 120 MB more under load and be no faster. */
const YOUNG_GENERATION_MEBIBYTES = 16;
/** A thread that needs more ends, and its requests answer 503, before the process runs out of memory. */
const OLD_GENERATION_MEBIBYTES = 1_024;

/**
 * The ingest queue of a server. Its threads start with the first export; disposing answers what is queued and
 * ends them, within ten seconds.
 */
export function createIngest(
	config: Config,
	options: {
		readonly storage: Pick<Storage, "writerOptions" | "releaseWriter">;
		/** Called after each commit with the traces that it added or changed. */
		readonly onChange: (change: TraceChange) => void;
		/** Called with what each group of exports came to. */
		readonly onGroup?: (report: GroupReport) => void;
		/** Called with what the statements of its threads to ClickHouse came to, where traces are there. */
		readonly onStatements?: (statements: readonly StatementFigures[]) => void;
		/** Called with what becomes of exports. */
		readonly onCounts?: IngestOptions["onCounts"];
		/** Those of senders; absent where nobody sends with rights. */
		readonly rights?: IngestOptions["rights"];
		readonly log: IngestLog;
		/** Microseconds since 1970. */
		readonly now: () => number;
	},
): Ingest {
	const { writerOptions, releaseWriter } = options.storage;
	const { onChange, onCounts, onGroup, onStatements, rights, log, now } = options;
	const tellsStatements = onStatements !== undefined && writerOptions.kind === "clickhouse";
	return new IngestPool(config, {
		startWorker: (settings) => {
			const workerData: WorkerData = { settings, storage: writerOptions, tellsStatements };
			return new Worker(new URL("./worker.ts", import.meta.url), {
				workerData,
				name: "ingest",
				resourceLimits: {
					maxYoungGenerationSizeMb: YOUNG_GENERATION_MEBIBYTES,
					maxOldGenerationSizeMb: OLD_GENERATION_MEBIBYTES,
				},
			});
		},
		onWorkerExit: releaseWriter,
		onChange,
		...(onCounts === undefined ? {} : { onCounts }),
		...(onGroup === undefined ? {} : { onGroup }),
		...(onStatements === undefined ? {} : { onStatements }),
		...(rights === undefined ? {} : { rights }),
		log,
		now,
	});
}
