import type { CommitHistogram, IngestHealth } from "./ingest.ts";

export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The text exposition format. Source: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function formatMetrics(health: IngestHealth, commits: CommitHistogram): string {
	return [
		...metric("spanward_ingest_spans_accepted_total", "counter", "Spans acknowledged, duplicates included.", [
			sample(health.acceptedSpans),
		]),
		...metric("spanward_ingest_spans_duplicate_total", "counter", "Spans acknowledged that were stored already.", [
			sample(health.duplicateSpans),
		]),
		...metric(
			"spanward_ingest_spans_rejected_total",
			"counter",
			"Spans and log records left out and named in the answer.",
			byReason(health.rejectedSpans),
		),
		...metric(
			"spanward_ingest_requests_refused_total",
			"counter",
			"Requests answered with an error.",
			byReason(health.refusedRequests),
		),
		...metric("spanward_ingest_log_records_accepted_total", "counter", "GenAI log events stored.", [
			sample(health.acceptedLogRecords),
		]),
		...metric("spanward_ingest_log_records_ignored_total", "counter", "Log records acknowledged and not kept.", [
			sample(health.ignoredLogRecords),
		]),
		...metric("spanward_ingest_queue_requests", "gauge", "Requests that wait for their commit.", [
			sample(health.queuedRequests),
		]),
		...metric("spanward_ingest_queue_bytes", "gauge", "Bytes of requests being received or waiting.", [
			sample(health.queuedBytes),
		]),
		...metric("spanward_ingest_queue_limit_bytes", "gauge", "Most bytes that may wait.", [
			sample(health.queueLimitBytes),
		]),
		...metric("spanward_ingest_commit_seconds", "histogram", "Time of a transaction until it is on disk.", [
			...commits.buckets.map(({ atMostMs, count }) => sample(count, { le: String(atMostMs / 1_000) }, "_bucket")),
			sample(commits.count, { le: "+Inf" }, "_bucket"),
			sample(commits.sumMs / 1_000, {}, "_sum"),
			sample(commits.count, {}, "_count"),
		]),
		"",
	].join("\n");
}

interface Sample {
	readonly suffix: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
}

function sample(value: number, labels: Readonly<Record<string, string>> = {}, suffix = ""): Sample {
	return { value, labels, suffix };
}

function byReason(counts: Readonly<Record<string, number>>): Sample[] {
	return Object.entries(counts).map(([reason, count]) => sample(count, { reason }));
}

function metric(name: string, type: "counter" | "gauge" | "histogram", help: string, samples: Sample[]): string[] {
	return [
		`# HELP ${name} ${help}`,
		`# TYPE ${name} ${type}`,
		...samples.map(({ suffix, labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`),
	];
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
	const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeLabel)}"`);
	return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(character: string): string {
	return character === "\n" ? "\\n" : `\\${character}`;
}
