import type { EventEmitter } from "node:events";
import type { FastifyBaseLogger } from "fastify";
import type { Auth } from "#access/create-auth.ts";
import type { Config } from "#base/config.ts";
import type { OutgoingGuard } from "#base/outgoing/outgoing-guard.ts";
import type { CodeRunner } from "#evaluation/code/code-pool.ts";
import type { Lessons } from "#evaluation/judge/lessons.ts";
import type { Ingest } from "#ingest/ingest.ts";
import type { ModelCaller } from "#models/call-model.ts";
import type { Metrics } from "#operations/metrics/metrics.ts";
import type { SelfTracing } from "#operations/self-tracing/self-tracing.ts";
import type { StorageCapacity } from "#operations/storage-capacity/storage-capacity.ts";
import type { Cluster } from "#storage/cluster.ts";
import type { Database, ReadableDatabase } from "#storage/database.ts";
import type { SpendLedger } from "#storage/spend-ledger.ts";
import type { Upkeep } from "#storage/storage.ts";
import type { TracePlace } from "#storage/trace-place.ts";
import type { TraceRepairs } from "#storage/trace-repairs.ts";
import type { ArrivalMarks } from "#storage/traces/entity.ts";
import type { SentIds } from "#storage/traces/sent-ids/sent-ids.ts";
import type { TraceMutations, TraceStore } from "#storage/traces/trace-store.ts";

/** Events by which requests notify background work. */
export interface ServiceEvents {
	retention_run_asked: [];
	cost_recomputation_asked: [];
	bulk_run_asked: [];
	repair_asked: [];
	experiment_job_asked: [];
	review_gold_asked: [];
	/** With marks of what had arrived before the annotations began to wait. */
	annotations_wait: [ArrivalMarks];
}

/**
 * What a handler may use; made once by `main.ts`. Capabilities only, never a field per resource. Traces are those that
 * `request.actor` sees.
 */
export interface Context {
	readonly config: Config;
	/** Changed only by `request.actor`. */
	readonly db: ReadableDatabase;
	/** Removes what nobody sees any more, or never saw: nobody needs a right for it. */
	readonly discard: Pick<Database, "write"> & Pick<TraceMutations, "deleteProject">;
	/** The other processes on the same database. */
	readonly cluster: Cluster;
	readonly auth: Auth;
	/** Sends requests to addresses that users chose. */
	readonly outgoing: OutgoingGuard;
	/** Calls models within the limits of their connections. */
	readonly models: ModelCaller;
	/** Where they are. */
	readonly place: TracePlace;
	readonly repairs: TraceRepairs;
	readonly sentIds: SentIds;
	readonly ingest: Ingest;
	readonly capacity: StorageCapacity;
	/** What the storage wants to be done in the background. */
	readonly upkeep: readonly Upkeep[];
	readonly events: EventEmitter<ServiceEvents>;
	/** What judges found out about models. */
	readonly lessons: Lessons;
	readonly metrics: Metrics;
	/** Runs the code of evaluators. */
	readonly code: CodeRunner;
	readonly tracing: SelfTracing;
	readonly log: FastifyBaseLogger;
	/** Aborts when the server is about to stop: it says that it is not ready, and connections end with their next answer. */
	readonly stopping: AbortSignal;
	/** Microseconds since 1970. */
	readonly now: () => number;
}

/** What works behind requests, and what signs people in, may use: it changes things as nobody whose rights could end. */
export interface WritingContext extends Context {
	readonly db: Database;
	/** Ids are texts as they were sent. */
	readonly traces: TraceStore;
	readonly spend: SpendLedger;
}
