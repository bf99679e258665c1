import {
	createKeyTable,
	encodeLogsRequest,
	encodeTraceRequest,
	OtlpDecodeError,
	PROJECT_NAME,
	parseLogsRequestJson,
	parseTraceRequestJson,
	type Rejection,
	scanLogsRequest,
	scanTraceRequest,
} from "@spanward/otlp";
import { FACT_KEYS, isAgentEvent, RESOURCE_FACT_KEYS } from "@spanward/semconv";
import type { SpanPrices } from "#pricing/price-of.ts";
import type { NormalizedLogRecord, NormalizedSpan } from "#storage/traces/span-batch.ts";
import { spansOfEvents } from "./agent-spans.ts";
import { badRequest, corruptCompression, internalError, tooDetailed, tooLarge, undecodable } from "./answers.ts";
import { describeError } from "./describe-error.ts";
import { CorruptCompression, InflatedTooLarge, inflate } from "./inflate.ts";
import type { ExportAnswer } from "./ingest.ts";
import { limitExport, readLimits } from "./limit-export.ts";
import { type Naming, normalizeLogs, normalizeSpans } from "./normalize.ts";
import { ProjectNameTooLong, readProjectName } from "./project-name.ts";
import { checkJsonTokens, checkMessageCount, RequestTooDetailed } from "./request-size.ts";
import type { DecodingSettings, RequestToDecode } from "./worker-messages.ts";

/** What a request asks to be stored. */
export interface DecodedExport {
	readonly spans: readonly NormalizedSpan[];
	readonly logs: readonly NormalizedLogRecord[];
	readonly ignoredLogRecords: number;
	readonly rejections: readonly Rejection[];
	/** The message that spans and log records are views of. */
	readonly message: Uint8Array;
}

/** The answer to a request that cannot be decoded; `error` is for the log when the fault is ours. */
export interface Undecodable {
	readonly refused: ExportAnswer;
	readonly error?: string;
}

/** Decodes requests; never throws for what was sent. */
export function createExportDecoder(
	settings: DecodingSettings,
	prices: SpanPrices,
): (request: RequestToDecode) => DecodedExport | Undecodable {
	const { limits, maxInflatedBytes, defaultProjectName, ignoresFailures = false } = settings;
	const meaning = { prices, ignoresFailures };
	const keys = createKeyTable(FACT_KEYS);
	const resourceKeys = createKeyTable([PROJECT_NAME, ...RESOURCE_FACT_KEYS]);

	function decode(request: RequestToDecode): DecodedExport {
		const naming: Naming = {
			requested: readProjectName("x-project-name", request.projectName),
			fallback: fallbackOf(request) ?? defaultProjectName,
		};
		const inflated = inflate(request.body, request.encoding, maxInflatedBytes);
		return request.signal === "traces"
			? decodeTraces(toProtobuf(request, inflated, limits.depth), naming, request.apiKeyId)
			: decodeLogs(toProtobuf(request, inflated, limits.depth), naming, request.apiKeyId);
	}

	function decodeTraces({ message, rejected }: Protobuf, naming: Naming, apiKeyId?: number): DecodedExport {
		const scanned = scanTraceRequest(message, { limits, keys, resourceKeys });
		const spans = normalizeSpans(scanned, naming, { ...meaning, apiKeyId });
		return {
			spans: spans.items,
			logs: [],
			ignoredLogRecords: 0,
			rejections: [...rejected, ...scanned.rejected, ...spans.rejected],
			message,
		};
	}

	function decodeLogs({ message, rejected }: Protobuf, naming: Naming, apiKeyId?: number): DecodedExport {
		const scanned = scanLogsRequest(message, { limits, isEvent: isAgentEvent });
		const told = spansOfEvents(scanned, limits.depth);
		const traces = scanTraceRequest(told.message, { limits, keys, resourceKeys });
		const spans = normalizeSpans(traces, naming, { ...meaning, apiKeyId });
		const logs = normalizeLogs({ ...scanned, records: [...scanned.records, ...told.records] }, naming);
		return {
			spans: spans.items,
			logs: logs.items,
			ignoredLogRecords: scanned.ignored + told.unread,
			rejections: [...rejected, ...scanned.rejected, ...traces.rejected, ...spans.rejected, ...logs.rejected],
			message,
		};
	}

	return (request) => {
		try {
			return limitExport(decode(request), request.sender?.limits);
		} catch (error) {
			return toUndecodable(error, request, maxInflatedBytes);
		}
	};
}

/** The only project of a key. */
function fallbackOf({ sender }: RequestToDecode): string | undefined {
	if (sender?.limits === undefined) return undefined;
	const { limits } = readLimits(sender.limits);
	return "only" in limits ? limits.fallback : undefined;
}

interface Protobuf {
	readonly message: Uint8Array;
	readonly rejected: readonly Rejection[];
}

/** Everything is stored as protobuf, so that blocks have one form and one scan reads them. */
function toProtobuf({ format, signal }: RequestToDecode, inflated: Uint8Array, depth: number): Protobuf {
	// An empty body is an empty request in JSON too.
	if (format === "protobuf" || inflated.byteLength === 0) {
		checkMessageCount(inflated);
		return { message: inflated, rejected: [] };
	}
	checkJsonTokens(inflated);
	const text = new TextDecoder().decode(inflated);
	if (signal === "traces") {
		const { resourceSpans, rejected } = parseTraceRequestJson(text, depth);
		return { message: encodeTraceRequest(resourceSpans), rejected };
	}
	const { resourceLogs, rejected } = parseLogsRequestJson(text, depth);
	return { message: encodeLogsRequest(resourceLogs), rejected };
}

function toUndecodable(error: unknown, request: RequestToDecode, maxInflatedBytes: number): Undecodable {
	if (error instanceof OtlpDecodeError) return { refused: undecodable(error.message) };
	if (error instanceof CorruptCompression) return { refused: corruptCompression(request.encoding) };
	if (error instanceof InflatedTooLarge) {
		return { refused: tooLarge(maxInflatedBytes, "SERVICE_OTLP_MAX_INFLATED_BYTES") };
	}
	if (error instanceof RequestTooDetailed) return { refused: tooDetailed(error.message) };
	if (error instanceof ProjectNameTooLong) return { refused: badRequest("project_name_too_long", error.message) };
	return { refused: internalError(), error: describeError(error) };
}
