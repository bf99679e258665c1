import type { UserError } from "#base/errors.ts";
import type { ProblemCode } from "#base/problems.ts";
import type { WhyUnavailable } from "#storage/traces/span-batch.ts";
import type { ExportAnswer } from "./ingest.ts";

/** Codes of google.rpc.Code, as gRPC answers them. */
export const RPC_CODE = {
	ok: 0,
	invalidArgument: 3,
	notFound: 5,
	permissionDenied: 7,
	resourceExhausted: 8,
	unimplemented: 12,
	internal: 13,
	unavailable: 14,
	unauthenticated: 16,
} as const;

/** Reason of spans for projects that their sender may not write. */
export const NO_ACCESS = "no_access";

/** Exporters give up after some tens of seconds, so the waits are short. */
const RETRY_SOON_SECONDS = 1;
const RETRY_STORAGE_SECONDS = 5;
/** Somebody has to do something first. */
const RETRY_FULL_SECONDS = 30;
/** The database is tried every second; senders should not all return in the moment when it is back. */
const RETRY_UNREACHABLE_SECONDS = 2;
/** How often the storage is measured. */
const RETRY_OVER_LIMIT_SECONDS = 60;

/** What is answered when a request is not 200. */
function refusal(
	status: number,
	code: number,
	reason: ProblemCode,
	message: string,
	retryAfter?: number,
): ExportAnswer {
	return {
		status,
		code,
		reason,
		message,
		...(retryAfter === undefined ? {} : { retryAfter }),
		accepted: 0,
		acceptedSpans: 0,
		rejected: 0,
		rejectedMessage: "",
	};
}

export function accepted(
	{ spans, logs }: { readonly spans: readonly unknown[]; readonly logs: readonly unknown[] },
	rejected: number,
	rejectedMessage: string,
): ExportAnswer {
	const counts = { accepted: spans.length + logs.length, acceptedSpans: spans.length };
	return { status: 200, code: RPC_CODE.ok, message: "", ...counts, rejected, rejectedMessage };
}

const ACCESS_CODES = new Map<number, number>([
	[401, RPC_CODE.unauthenticated],
	[429, RPC_CODE.resourceExhausted],
]);

/** The sender is unknown (401), may not send (403), or has sent as much as it may (429). */
export function notAllowed({ status, code, message, retryAfter }: UserError): ExportAnswer {
	return refusal(status, ACCESS_CODES.get(status) ?? RPC_CODE.permissionDenied, code, message, retryAfter);
}

/** All of an export is for projects that the sender may not write. */
export function noAccess(count: number, message: string): ExportAnswer {
	return { ...refusal(403, RPC_CODE.permissionDenied, NO_ACCESS, message), rejected: count };
}

/** The rights of senders changed again and again while it was tried to write what they allow. */
export function rightsChanging(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.unavailable,
		"rights_changing",
		"Who may send what is being changed; send it again.",
		RETRY_SOON_SECONDS,
	);
}

export function unsupportedMediaType(message: string): ExportAnswer {
	return refusal(415, RPC_CODE.invalidArgument, "unsupported_media_type", message);
}

export function badMessage(): ExportAnswer {
	return refusal(400, RPC_CODE.invalidArgument, "bad_message", "The call must contain one complete message.");
}

export function unsupportedGrpcEncoding(encoding: string): ExportAnswer {
	const message = `Unsupported grpc-encoding: ${encoding}. Send gzip, deflate, zstd or identity.`;
	return refusal(415, RPC_CODE.unimplemented, "unsupported_media_type", message);
}

export function unknownMethod(path: string): ExportAnswer {
	return refusal(404, RPC_CODE.unimplemented, "unknown_method", `There is no method ${path}.`);
}

export function corruptCompression(encoding: string): ExportAnswer {
	return refusal(
		400,
		RPC_CODE.invalidArgument,
		"corrupt_compression",
		`The body is not valid ${encoding}; send it completely, or without Content-Encoding.`,
	);
}

export function undecodable(message: string): ExportAnswer {
	return refusal(422, RPC_CODE.invalidArgument, "undecodable", message);
}

export function badRequest(reason: ProblemCode, message: string): ExportAnswer {
	return refusal(422, RPC_CODE.invalidArgument, reason, message);
}

export function tooLarge(
	limitBytes: number,
	setting: "SERVICE_OTLP_MAX_BODY_BYTES" | "SERVICE_OTLP_MAX_INFLATED_BYTES",
) {
	const what = setting === "SERVICE_OTLP_MAX_INFLATED_BYTES" ? "inflates to more than" : "is larger than";
	return refusal(
		413,
		RPC_CODE.resourceExhausted,
		"too_large",
		`The request ${what} ${limitBytes} bytes; send smaller batches, or raise ${setting}.`,
	);
}

export function tooDetailed(message: string): ExportAnswer {
	return refusal(413, RPC_CODE.resourceExhausted, "too_large", message);
}

export function queueFull(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.unavailable,
		"queue_full",
		"The service is at capacity; nothing of this request was stored, send it again.",
		RETRY_SOON_SECONDS,
	);
}

export function stopping(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.unavailable,
		"stopping",
		"The service is stopping; nothing of this request was stored, send it again.",
		RETRY_SOON_SECONDS,
	);
}

export function workerFailed(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.unavailable,
		"worker_failed",
		"The service could not process the request; send it again.",
		RETRY_SOON_SECONDS,
	);
}

/** Why a write failed, for counters and people, and how soon it may succeed. */
const STORAGE_FAILURES: Readonly<
	Record<
		Exclude<WhyUnavailable, "unreachable" | "busy" | "traces_unreachable" | "traces_incomplete">,
		[ProblemCode, string, number]
	>
> = {
	full: ["storage_full", "The storage is full", RETRY_FULL_SECONDS],
	read_only: ["storage_read_only", "The storage is read-only", RETRY_STORAGE_SECONDS],
	failing: ["storage_failing", "The storage does not work", RETRY_STORAGE_SECONDS],
	traces_behind: ["storage_behind", "The replicas of the storage are too far behind", RETRY_STORAGE_SECONDS],
	traces_busy: ["storage_busy", "The storage cannot take spans at the moment", RETRY_STORAGE_SECONDS],
	traces_refused: ["storage_refused", "The storage refuses this server, whose log says why", RETRY_FULL_SECONDS],
	too_slow: ["storage_too_slow", "The storage takes too long", RETRY_STORAGE_SECONDS],
	too_large: ["storage_too_slow", "The storage has too little memory for this request", RETRY_STORAGE_SECONDS],
};

/** @param shard the one that is away. Where a batch is no transaction, a part of it may have been stored; sending it again completes it. */
export function storageUnavailable(reason: WhyUnavailable, shard?: number): ExportAnswer {
	if (reason === "unreachable") return databaseUnreachable();
	if (reason === "traces_unreachable") return tracesUnreachable();
	if (reason === "traces_incomplete") return tracesIncomplete(shard);
	if (reason === "busy") return connectionsInUse();
	const [name, sentence, retryAfter] = STORAGE_FAILURES[reason];
	return refusal(503, RPC_CODE.unavailable, name, `${sentence}; send it again.`, retryAfter);
}

/** What was being written may have been stored; sending it again changes nothing. */
export function databaseUnreachable(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.unavailable,
		"database_unreachable",
		"The database cannot be reached; send it again.",
		RETRY_UNREACHABLE_SECONDS,
	);
}

/** As {@link databaseUnreachable}, where traces have a database of their own. */
export function tracesUnreachable(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.unavailable,
		"storage_unreachable",
		"The database of traces cannot be reached; send it again.",
		RETRY_UNREACHABLE_SECONDS,
	);
}

/** Of the traces of this request some belong on a shard that is away; others are taken. */
function tracesIncomplete(shard: number | undefined): ExportAnswer {
	const which = shard === undefined ? "A shard" : `Shard ${shard}`;
	return refusal(
		503,
		RPC_CODE.unavailable,
		"storage_incomplete",
		`${which} of the database of traces cannot be reached; send it again.`,
		RETRY_UNREACHABLE_SECONDS,
	);
}

/** The connections that authentication uses: spans are written on connections of their own. */
function connectionsInUse(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.unavailable,
		"database_connections_in_use",
		"All connections of this server to the database are in use; nothing of this request was stored, send it again. SERVICE_DATABASE_POOL_SIZE allows more.",
		RETRY_SOON_SECONDS,
	);
}

/** The database is as large as the settings allow. */
export function storageOverLimit(): ExportAnswer {
	return refusal(
		503,
		RPC_CODE.resourceExhausted,
		"storage_over_limit",
		"The storage is full; nothing of this request was stored. Delete old data or increase storage, and send it again.",
		RETRY_OVER_LIMIT_SECONDS,
	);
}

export function internalError(): ExportAnswer {
	return refusal(500, RPC_CODE.internal, "internal", "The server failed on this request; its log says why.");
}

export function aborted(): ExportAnswer {
	return refusal(400, RPC_CODE.invalidArgument, "aborted", "The connection ended before the body was complete.");
}

/**
 * Exporters drop what is answered so and do not send it again
 * (https://opentelemetry.io/docs/specs/otlp/#failures-1, https://opentelemetry.io/docs/specs/otlp/#failures).
 */
export function metricsUnsupported(): ExportAnswer {
	return refusal(
		404,
		RPC_CODE.unimplemented,
		"metrics",
		"Spanward keeps no metrics: set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT to a system that does, such as an OpenTelemetry Collector or Prometheus, or OTEL_METRICS_EXPORTER to none.",
	);
}
