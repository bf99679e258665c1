import type { Ingest } from "#ingest/ingest.ts";
import { counter, type Family, gauge, sample } from "./exposition.ts";

/** Metrics of ingest since the start of the process. */
export function ingestFamilies(ingest: Pick<Ingest, "health" | "commitHistogram">): readonly Family[] {
	const health = ingest.health();
	const commits = ingest.commitHistogram();
	return [
		counter("spanward_ingest_spans_accepted_total", "Spans acknowledged, duplicates included.", health.acceptedSpans),
		counter(
			"spanward_ingest_spans_duplicate_total",
			"Spans acknowledged that were stored already.",
			health.duplicateSpans,
		),
		counter(
			"spanward_ingest_spans_rejected_total",
			"Spans and log records left out and named in the answer.",
			byReason(health.rejectedSpans),
		),
		counter(
			"spanward_ingest_requests_refused_total",
			"Requests answered with an error.",
			byReason(health.refusedRequests),
		),
		counter("spanward_ingest_log_records_accepted_total", "GenAI log events stored.", health.acceptedLogRecords),
		counter(
			"spanward_ingest_log_records_ignored_total",
			"Log records refused because they are neither GenAI events of a span nor events of a coding agent.",
			health.ignoredLogRecords,
		),
		gauge("spanward_ingest_queue_requests", "Requests waiting for their commit.", health.queuedRequests),
		gauge("spanward_ingest_queue_bytes", "Bytes of requests being received or waiting.", health.queuedBytes),
		gauge("spanward_ingest_queue_limit_bytes", "Maximum number of bytes that may wait.", health.queueLimitBytes),
		gauge(
			"spanward_ingest_last_commit_timestamp_seconds",
			"When spans were last stored; 0 if none were since the start.",
			(health.lastCommitAtMicros ?? 0) / 1_000_000,
		),
		{
			name: "spanward_ingest_commit_seconds",
			type: "histogram",
			help: "Duration of a transaction until it is on disk.",
			samples: [
				...commits.buckets.map(({ atMostMs, count }) => sample(count, { le: String(atMostMs / 1_000) }, "_bucket")),
				sample(commits.count, { le: "+Inf" }, "_bucket"),
				sample(commits.sumMs / 1_000, {}, "_sum"),
				sample(commits.count, {}, "_count"),
			],
		},
	];
}

function byReason(counts: Readonly<Record<string, number>>) {
	return Object.entries(counts).map(([reason, count]) => sample(count, { reason }));
}
