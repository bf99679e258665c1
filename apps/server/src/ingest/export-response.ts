import {
	encodeLogsResponse,
	encodeRpcStatus,
	encodeTraceResponse,
	formatLogsResponseJson,
	formatRpcStatusJson,
	formatTraceResponseJson,
	type RpcStatus,
} from "@spanward/otlp";
import type { ExportAnswer, ExportRequest } from "./ingest.ts";

/** `Export…ServiceResponse` in protobuf; zero bytes when everything was taken. */
export function encodeExportResponse(answer: ExportAnswer, signal: ExportRequest["signal"]): Uint8Array {
	const errorMessage = answer.rejectedMessage;
	return signal === "traces"
		? encodeTraceResponse({ rejectedSpans: answer.rejected, errorMessage })
		: encodeLogsResponse({ rejectedLogRecords: answer.rejected, errorMessage });
}

export function exportResponseJson(answer: ExportAnswer, signal: ExportRequest["signal"]): string {
	const errorMessage = answer.rejectedMessage;
	return signal === "traces"
		? formatTraceResponseJson({ rejectedSpans: answer.rejected, errorMessage })
		: formatLogsResponseJson({ rejectedLogRecords: answer.rejected, errorMessage });
}

/** `google.rpc.Status` of a refusal, in protobuf. */
export function encodeStatus(answer: ExportAnswer): Uint8Array {
	return encodeRpcStatus(toRpcStatus(answer));
}

export function statusJson(answer: ExportAnswer): string {
	return formatRpcStatusJson(toRpcStatus(answer));
}

function toRpcStatus({ code, message, retryAfter }: ExportAnswer): RpcStatus {
	return { code, message, ...(retryAfter === undefined ? {} : { retryDelaySeconds: retryAfter }) };
}
