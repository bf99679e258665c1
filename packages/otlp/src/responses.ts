import { WireWriter } from "./wire-writer.ts";

/**
 * The answers of the OTLP services and the `google.rpc.Status` of their errors, in protobuf and JSON.
 * Sources: opentelemetry-proto `collector/*`, googleapis `rpc/status.proto` and `rpc/error_details.proto`.
 */

export interface TraceResult {
	readonly rejectedSpans: number;
	/** The reason; may also be a warning when nothing was rejected. */
	readonly errorMessage: string;
}

export interface LogsResult {
	readonly rejectedLogRecords: number;
	readonly errorMessage: string;
}

export interface RpcStatus {
	/** gRPC status code. */
	readonly code: number;
	readonly message: string;
	/** Tells the exporter to retry, and after how long. */
	readonly retryDelaySeconds?: number;
}

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

/** `ExportTraceServiceResponse`; empty when everything was accepted. */
export function encodeTraceResponse(result: TraceResult): Uint8Array {
	return encodeResponse(result.rejectedSpans, result.errorMessage);
}

/** `ExportLogsServiceResponse`; empty when everything was accepted. */
export function encodeLogsResponse(result: LogsResult): Uint8Array {
	return encodeResponse(result.rejectedLogRecords, result.errorMessage);
}

/** `ExportTraceServiceResponse` as JSON. */
export function formatTraceResponseJson({ rejectedSpans, errorMessage }: TraceResult): string {
	return formatResponse(rejectedSpans, errorMessage, { rejectedSpans: String(rejectedSpans), errorMessage });
}

/** `ExportLogsServiceResponse` as JSON. */
export function formatLogsResponseJson({ rejectedLogRecords, errorMessage }: LogsResult): string {
	return formatResponse(rejectedLogRecords, errorMessage, {
		rejectedLogRecords: String(rejectedLogRecords),
		errorMessage,
	});
}

/** `google.rpc.Status`, with a `RetryInfo` when a delay is given. */
export function encodeRpcStatus({ code, message, retryDelaySeconds }: RpcStatus): Uint8Array {
	const writer = new WireWriter();
	writer.int32Field(0x08, code);
	writer.stringField(0x12, message);
	if (retryDelaySeconds !== undefined) {
		writer.message(0x1a, () => {
			writer.string(0x0a, RETRY_INFO);
			writer.bytes(0x12, encodeRetryInfo(retryDelaySeconds));
		});
	}
	return writer.finish();
}

/** `google.rpc.Status` as JSON. */
export function formatRpcStatusJson({ code, message, retryDelaySeconds }: RpcStatus): string {
	if (retryDelaySeconds === undefined) return JSON.stringify({ code, message });
	return JSON.stringify({ code, message, details: [{ "@type": RETRY_INFO, retryDelay: `${retryDelaySeconds}s` }] });
}

function encodeRetryInfo(delaySeconds: number): Uint8Array {
	const seconds = Math.floor(delaySeconds);
	const writer = new WireWriter();
	writer.message(0x0a, () => {
		writer.int32Field(0x08, seconds);
		writer.int32Field(0x10, Math.round((delaySeconds - seconds) * 1e9));
	});
	return writer.finish();
}

function encodeResponse(rejected: number, errorMessage: string): Uint8Array {
	const writer = new WireWriter();
	if (rejected > 0 || errorMessage !== "") {
		writer.message(0x0a, () => {
			writer.int32Field(0x08, rejected);
			writer.stringField(0x12, errorMessage);
		});
	}
	return writer.finish();
}

function formatResponse(rejected: number, errorMessage: string, partialSuccess: Record<string, string>): string {
	return rejected > 0 || errorMessage !== "" ? JSON.stringify({ partialSuccess }) : "{}";
}
