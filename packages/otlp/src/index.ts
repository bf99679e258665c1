export { cutText } from "./cut.ts";
export {
	decodeLogRecord,
	decodeLogsRequest,
	decodeResource,
	decodeScope,
	decodeSpan,
	decodeSpanAttributes,
	decodeTraceRequest,
} from "./decode.ts";
export { CUT_ATTRIBUTE } from "./drop-surplus.ts";
export {
	encodeLogRecord,
	encodeLogsRequest,
	encodeResource,
	encodeScope,
	encodeSpan,
	encodeTraceRequest,
} from "./encode.ts";
export { OtlpDecodeError } from "./errors.ts";
export { type ParsedLogs, type ParsedTraces, parseLogsRequestJson, parseTraceRequestJson } from "./json.ts";
export { createKeyTable, type KeyTable } from "./key-table.ts";
export type { SpanLimits } from "./limits.ts";
export type * from "./model.ts";
export { fromPlain, toPlain, toPlainMap } from "./plain.ts";
export {
	encodeLogsResponse,
	encodeRpcStatus,
	encodeTraceResponse,
	formatLogsResponseJson,
	formatRpcStatusJson,
	formatTraceResponseJson,
	type LogsResult,
	type RpcStatus,
	type TraceResult,
} from "./responses.ts";
export { PROJECT_NAME } from "./scan-frame.ts";
export { scanLogsRequest } from "./scan-logs.ts";
export type * from "./scan-model.ts";
export { type ScanOptions, scanTraceRequest } from "./scan-traces.ts";
export { type VisitText, visitLogRecordTexts, visitSpanTexts } from "./visit-texts.ts";
