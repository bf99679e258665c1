import type { FastifyBaseLogger } from "fastify";
import type { Denials } from "#access/auth/denials.ts";
import type { Principals } from "#access/auth/principals/principals.ts";
import type { TokenCounts } from "#access/authorization-server/token-counts.ts";
import type { Config } from "#base/config.ts";
import { HIDDEN } from "#http/actor.ts";
import type { Ingest } from "#ingest/ingest.ts";
import type { StatementFigures } from "#storage/clickhouse/statement-channel.ts";
import type { Cluster } from "#storage/cluster.ts";
import type { Storage } from "#storage/storage.ts";
import { AnalyticsMetrics } from "./analytics-metrics.ts";
import { budgetFamilies } from "./budget-families.ts";
import { ClickHouseMetrics } from "./clickhouse-metrics.ts";
import { DamagedContents } from "./damaged-contents.ts";
import { DatabaseMetrics } from "./database-metrics.ts";
import { errorFamilies } from "./error-families.ts";
import { counter, type Family, gauge, sample, toText } from "./exposition.ts";
import { ingestFamilies } from "./ingest-families.ts";
import { keyFamilies } from "./key-families.ts";
import { ModelCallMetrics } from "./model-calls.ts";
import { ProcessFamilies } from "./process-families.ts";
import { Counter, Histogram } from "./recorders.ts";

type Measured = Pick<Ingest, "health" | "commitHistogram" | "insertIntervalMs">;

/** The metrics of this process for Prometheus; most are not recorded when `SERVICE_ENABLE_PROMETHEUS` is off. */
export class Metrics implements Disposable {
	readonly modelCalls = new ModelCallMetrics();
	readonly analytics = new AnalyticsMetrics();
	readonly #ingest: Measured;
	readonly #denials: Pick<Denials, "counts">;
	readonly #programTokens: Pick<TokenCounts, "all">;
	readonly #now: () => number;
	readonly #parts:
		| {
				readonly database: DatabaseMetrics;
				/** Where traces are there. */
				readonly clickhouse: ClickHouseMetrics | undefined;
				readonly process: ProcessFamilies;
				readonly keys: () => Promise<readonly Family[]>;
				readonly budgets: () => Promise<readonly Family[]>;
				readonly errors: () => Promise<readonly Family[]>;
		  }
		| undefined;
	readonly #requests = new Counter("spanward_http_requests_total", "Requests answered, by route and status.");
	readonly #durations = new Histogram(
		"spanward_http_request_duration_seconds",
		"Time from the headers of a request to the end of its answer, by route.",
	);
	readonly #calls = new Counter("spanward_mcp_calls_total", "Calls of tools over MCP, by tool and outcome.");
	readonly #callDurations = new Histogram(
		"spanward_mcp_call_duration_seconds",
		"Time of calls of tools over MCP, by tool.",
	);
	readonly #codeRuns = new Histogram(
		"spanward_code_evaluator_seconds",
		"Time of runs of the code of evaluators, without waiting for a thread.",
	);
	readonly #codeKills = new Counter(
		"spanward_code_evaluator_kills_total",
		"Threads that were ended because the code of an evaluator did not end in time.",
	);
	readonly #works = new Histogram("spanward_background_work_seconds", "Time of background jobs, by name.");
	readonly #failures = new Counter("spanward_background_work_failures_total", "Background jobs that failed.");
	readonly #successes = new Map<string, number>();
	readonly #damaged: DamagedContents;
	readonly #hasMcp: boolean;
	#running = 0;

	constructor(
		config: Pick<
			Config,
			| "SERVICE_ENABLE_PROMETHEUS"
			| "SERVICE_ENABLE_TEXT_INDEX"
			| "SERVICE_ENABLE_MCP"
			| "SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS"
		>,
		storage: Pick<Storage, "db" | "kind" | "place" | "server" | "traces">,
		ingest: Measured,
		auth: {
			readonly principals: Pick<Principals, "refusals">;
			readonly denials: Pick<Denials, "counts">;
			readonly programTokens: Pick<TokenCounts, "all">;
		},
		now: () => number,
		log: FastifyBaseLogger,
	) {
		this.#damaged = new DamagedContents(log);
		this.#ingest = ingest;
		this.#denials = auth.denials;
		this.#programTokens = auth.programTokens;
		this.#now = now;
		this.#hasMcp = config.SERVICE_ENABLE_MCP;
		if (!config.SERVICE_ENABLE_PROMETHEUS) return;
		const { place } = storage;
		this.#parts = {
			clickhouse: place.kind === "clickhouse" ? new ClickHouseMetrics(config, place, ingest) : undefined,
			database: new DatabaseMetrics(storage, config.SERVICE_ENABLE_TEXT_INDEX),
			process: new ProcessFamilies(),
			keys: () => keyFamilies(storage.db, Math.floor(now() / 1_000), auth.principals.refusals),
			budgets: () => budgetFamilies(storage.db, Math.floor(now() / 1_000)),
			errors: () => errorFamilies(storage.db),
		};
	}

	requestBegins(): void {
		this.#running += 1;
	}

	/** @param route the pattern of the route, `none` where no route matches */
	requestEnds(method: string, route: string, status: number, milliseconds: number): void {
		this.#running -= 1;
		if (this.#parts === undefined) return;
		this.#requests.add({ method, route, status: String(status) });
		this.#durations.record({ method, route }, milliseconds / 1_000);
	}

	/** Counts statements of other threads to ClickHouse. */
	countStatements(statements: readonly StatementFigures[]): void {
		for (const statement of statements) this.#parts?.clickhouse?.count(statement);
	}

	/** Wraps the cluster so that the leased jobs that this process does are measured. */
	watch(cluster: Cluster): Cluster {
		return {
			withLease: (name, work) => cluster.withLease(name, (lost) => this.noteWork(kindOfWork(name), () => work(lost))),
			tell: (message) => cluster.tell(message),
			onMessage: (listener) => cluster.onMessage(listener),
			findOlderServers: () => cluster.findOlderServers(),
			[Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
		};
	}

	/**
	 * @param showsHidden whether the reader sees everything: to others the number of requests for hidden things would tell
	 *   whether what they just asked for exists
	 */
	async text({ showsHidden }: { readonly showsHidden: boolean } = { showsHidden: true }): Promise<string> {
		const families: readonly Family[] = [
			...ingestFamilies(this.#ingest),
			gauge("spanward_http_requests_running", "Requests being answered.", this.#running),
			this.#requests.family(),
			this.#durations.family(),
			...(this.#hasMcp ? [this.#calls.family(), this.#callDurations.family()] : []),
			this.#codeRuns.family(),
			this.#codeKills.family(),
			...this.modelCalls.families(),
			...this.analytics.families(),
			gauge(
				"spanward_background_work_last_success_timestamp_seconds",
				"When this process last did a background job without an error, by name.",
				[...this.#successes].map(([work, micros]) => sample(micros / 1_000_000, { work })),
			),
			this.#works.family(),
			this.#failures.family(),
			counter(
				"spanward_access_denied_total",
				"Calls for what the caller may not do or see, by the code of the error, or hidden for what is answered as if it did not exist.",
				[...this.#denials.counts]
					.filter(([reason]) => showsHidden || reason !== HIDDEN)
					.map(([reason, count]) => sample(count, { reason })),
			),
			counter(
				"spanward_oauth_tokens_total",
				"Requests of programs for tokens, by the type of the grant, and success or the code of the error.",
				this.#programTokens.all.map(({ grantType, outcome, count }) =>
					sample(count, { grant_type: grantType, outcome }),
				),
			),
			...this.#damaged.families(),
			...((await this.#parts?.database.families()) ?? []),
			...((await this.#parts?.clickhouse?.families()) ?? []),
			...((await this.#parts?.keys()) ?? []),
			...((await this.#parts?.budgets()) ?? []),
			...((await this.#parts?.errors()) ?? []),
			...(this.#parts?.process.families() ?? []),
		];
		return toText(families);
	}

	/** @param tool one of the tools that there are @param outcome one of few */
	countCall(tool: string, outcome: string, milliseconds: number): void {
		this.#calls.add({ tool, outcome });
		this.#callDurations.record({ tool }, milliseconds / 1_000);
	}

	/** Counts runs of the code of evaluators. */
	readonly code = {
		noteRun: (seconds: number): void => this.#codeRuns.record({}, seconds),
		noteKill: (): void => this.#codeKills.add({}),
	};

	/**
	 * Runs a background job, and records its duration and outcome.
	 * @param work its name, a label of the metrics, so one of few
	 * @param isFailure whether a rejection counts as a failure; other rejections count as neither failure nor success
	 * @throws what `run` rejects with
	 */
	async noteWork(
		work: string,
		run: () => Promise<void>,
		isFailure: (error: unknown) => boolean = () => true,
	): Promise<void> {
		const start = performance.now();
		try {
			await run();
			this.#successes.set(work, this.#now());
		} catch (error) {
			if (isFailure(error)) this.#failures.add({ work });
			throw error;
		} finally {
			this.#works.record({ work }, (performance.now() - start) / 1_000);
		}
	}

	[Symbol.dispose](): void {
		this.#damaged[Symbol.dispose]();
		this.#parts?.database[Symbol.dispose]();
		this.#parts?.clickhouse?.[Symbol.dispose]();
		this.#parts?.process[Symbol.dispose]();
	}
}

/** Removes the row number that some names end with, which would make a series for each. */
function kindOfWork(name: string): string {
	return name.replace(/ \d+$/, "");
}
