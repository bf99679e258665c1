import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { formatTime } from "#http/wire-times.ts";
import type { IngestHealth } from "./ingest.ts";

const time = z.string();
const counts = z.record(z.string(), z.int());

const IngestHealthWire = z
	.object({
		started_at: time,
		accepted_spans: z.int().describe("Since the start, duplicates included."),
		duplicate_spans: z.int().describe("Accepted again and already stored, as after a retry."),
		accepted_log_records: z.int(),
		ignored_log_records: z
			.int()
			.describe("Refused because they are neither GenAI events of a span nor events of a coding agent that are kept."),
		rejected_spans: counts.describe("Left out and named in the answer, by reason."),
		refused_requests: counts.describe("Answered with an error, by reason."),
		queued_requests: z.int(),
		queued_bytes: z.int(),
		queue_limit_bytes: z.int(),
		commits: z.int(),
		commit_ms: z
			.object({ p50: z.number(), p99: z.number(), max: z.number() })
			.nullable()
			.describe("Last 1,000 commits."),
		last_commit_at: time.nullable(),
		last_error: z.object({ at: time, message: z.string() }).nullable(),
	})
	.meta({ id: "IngestHealth" });

/** How receiving goes. */
export function ingestRoutes(app: App, { ingest }: Pick<Context, "ingest">): void {
	app.get(
		"/v1/ingest/health",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getIngestHealth",
				tags: ["ingest"],
				summary: "Counters of received, rejected and waiting spans since the start",
				response: { 200: z.object({ data: IngestHealthWire }) },
			},
		},
		async () => ({ data: toWire(ingest.health()) }),
	);
}

function toWire(health: IngestHealth): z.output<typeof IngestHealthWire> {
	const { lastCommitAtMicros, lastError } = health;
	return {
		started_at: formatTime(health.startedAtMicros),
		accepted_spans: health.acceptedSpans,
		duplicate_spans: health.duplicateSpans,
		accepted_log_records: health.acceptedLogRecords,
		ignored_log_records: health.ignoredLogRecords,
		rejected_spans: health.rejectedSpans,
		refused_requests: health.refusedRequests,
		queued_requests: health.queuedRequests,
		queued_bytes: health.queuedBytes,
		queue_limit_bytes: health.queueLimitBytes,
		commits: health.commits,
		commit_ms: health.commitMs,
		last_commit_at: lastCommitAtMicros === null ? null : formatTime(lastCommitAtMicros),
		last_error: lastError === null ? null : { at: formatTime(lastError.atMicros), message: lastError.message },
	};
}
