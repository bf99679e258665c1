import type { UserError } from "#base/errors.ts";
import { NO_ACCESS } from "./answers.ts";
import type { ExportCounts } from "./history/ingest-history.ts";
import type { CommitHistogram, ExportAnswer, IngestHealth } from "./ingest.ts";
import type { GroupReport } from "./worker-messages.ts";

const KEPT_COMMITS = 1_000;
const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

const NO_ACCESS_MESSAGE = "A sender may not write to the projects that it named.";

/** A hostile sender must not be able to invent counters without end. */
const MAX_REASONS = 100;

/** What has become of requests and spans since the start. */
export class IngestCounters {
	readonly #now: () => number;
	readonly #startedAtMicros: number;
	#acceptedSpans = 0;
	#duplicateSpans = 0;
	#acceptedLogRecords = 0;
	#ignoredLogRecords = 0;
	readonly #rejected = new Map<string, number>();
	readonly #refused = new Map<string, number>();
	readonly #commitMs: number[] = [];
	#commits = 0;
	#commitSumMs = 0;
	readonly #histogram: number[] = BUCKETS_MS.map(() => 0);
	#lastCommitAtMicros: number | null = null;
	#lastError: IngestHealth["lastError"] = null;

	readonly #onCounts: ((counts: ExportCounts) => void) | undefined;

	/** @param onCounts called with each thing that is counted of what becomes of exports */
	constructor(now: () => number, onCounts?: (counts: ExportCounts) => void) {
		this.#now = now;
		this.#onCounts = onCounts;
		this.#startedAtMicros = now();
	}

	countGroup(report: GroupReport): void {
		this.#acceptedSpans += report.written + report.duplicates;
		this.#duplicateSpans += report.duplicates;
		this.#acceptedLogRecords += report.logRecords;
		this.#ignoredLogRecords += report.ignoredLogRecords;
		for (const [reason, count] of Object.entries(report.rejected)) add(this.#rejected, reason, count);
		for (const ms of report.commitMs) this.#countCommit(ms);
		this.#onCounts?.({
			acceptedSpans: report.written + report.duplicates,
			duplicateSpans: report.duplicates,
			rejectedSpans: report.rejected,
		});
	}

	countRefusal(answer: ExportAnswer): void {
		this.#countRefused(answer.reason ?? `status_${answer.status}`);
		// Everybody reads the last error; the names of projects are not for everybody.
		this.recordError(answer.reason === NO_ACCESS ? NO_ACCESS_MESSAGE : answer.message);
	}

	/** Counts a request that was not let in. Nobody may make it the last error who may not send. */
	countDenial({ status, code }: Pick<UserError, "status" | "code">): void {
		this.#countRefused(status === 401 ? "unauthorized" : code);
	}

	#countRefused(reason: string): void {
		add(this.#refused, reason, 1);
		this.#onCounts?.({ refused: reason });
	}

	recordError(message: string): void {
		this.#lastError = { atMicros: this.#now(), message };
	}

	health(): Omit<IngestHealth, "queuedRequests" | "queuedBytes" | "queueLimitBytes"> {
		return {
			startedAtMicros: this.#startedAtMicros,
			acceptedSpans: this.#acceptedSpans,
			duplicateSpans: this.#duplicateSpans,
			acceptedLogRecords: this.#acceptedLogRecords,
			ignoredLogRecords: this.#ignoredLogRecords,
			rejectedSpans: Object.fromEntries(this.#rejected),
			refusedRequests: Object.fromEntries(this.#refused),
			commitMs: percentiles(this.#commitMs),
			commits: this.#commits,
			lastCommitAtMicros: this.#lastCommitAtMicros,
			lastError: this.#lastError,
		};
	}

	commitHistogram(): CommitHistogram {
		return {
			buckets: BUCKETS_MS.map((atMostMs, index) => ({ atMostMs, count: this.#histogram[index] ?? 0 })),
			count: this.#commits,
			sumMs: this.#commitSumMs,
		};
	}

	#countCommit(ms: number): void {
		this.#commitMs[this.#commits % KEPT_COMMITS] = ms;
		this.#commits += 1;
		this.#commitSumMs += ms;
		this.#lastCommitAtMicros = this.#now();
		for (const [index, atMost] of BUCKETS_MS.entries()) {
			if (ms <= atMost) this.#histogram[index] = (this.#histogram[index] ?? 0) + 1;
		}
	}
}

function add(counters: Map<string, number>, reason: string, count: number): void {
	const known = counters.has(reason) || counters.size < MAX_REASONS ? reason : "other";
	counters.set(known, (counters.get(known) ?? 0) + count);
}

function percentiles(values: readonly number[]): IngestHealth["commitMs"] {
	const sorted = values.toSorted((a, b) => a - b);
	const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
	const [p50, p99, max] = [at(0.5), at(0.99), sorted.at(-1)];
	return p50 === undefined || p99 === undefined || max === undefined ? null : { p50, p99, max };
}
