import { ApiError, type Spanward } from "@spanward/client";
import { decodeTraceRequest, OtlpDecodeError, parseTraceRequestJson } from "@spanward/otlp";
import { readFields } from "./protobuf.ts";
import type { FileRecord } from "./records.ts";

/** What the Collector writes: messages of this form can be sent as one. */
const WHOLE = /^\{"resource(?:Spans|Logs)":\[/;
const TYPES = { json: "application/json", protobuf: "application/x-protobuf" } as const;
/** Refusals that are of one message, and not of all. */
const OF_A_MESSAGE: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** What became of a message that was not stored whole. */
export interface Refused {
	readonly record: FileRecord;
	/** Spans or log records of it; undefined for all of them. */
	readonly rejected?: number;
	readonly reason: string;
}

interface Destination {
	readonly spanward: Spanward;
	/** Project of all spans; undefined leaves it to their resource. */
	readonly project: string | undefined;
}

/** Whether two messages can be sent in one request. */
export function belongTogether(one: FileRecord, other: FileRecord): boolean {
	const isWhole = (record: FileRecord) => record.format === "protobuf" || wholeArray(record.bytes) !== undefined;
	return one.format === other.format && one.signal === other.signal && isWhole(one) && isWhole(other);
}

/**
 * Sends messages in one request; when not all of it is stored, each by itself, to learn which one it is: what is stored
 * already stays as it is.
 * @returns those that were not stored whole
 * @throws ApiError when the server takes none at all, ConnectionError when it is not there
 */
export async function sendBatch(to: Destination, records: readonly FileRecord[]): Promise<readonly Refused[]> {
	const refused = await sendTogether(to, records);
	if (refused === undefined) return [];
	const [only] = records;
	if (only === undefined) return [];
	if (records.length === 1) return [{ record: only, ...refused }];
	const each: Refused[] = [];
	for (const record of records) each.push(...(await sendBatch(to, [record])));
	return each;
}

async function sendTogether(
	{ spanward, project }: Destination,
	records: readonly FileRecord[],
): Promise<Omit<Refused, "record"> | undefined> {
	const [first] = records;
	if (first === undefined) return undefined;
	const body = bodyOf(records);
	try {
		const response = await spanward.api.fetch(`/v1/${first.signal}`, {
			method: "POST",
			headers: {
				"content-type": TYPES[first.format],
				accept: TYPES[first.format],
				...(project !== undefined && { "x-project-name": project }),
			},
			body,
		});
		const answer = Buffer.from(await response.arrayBuffer());
		return first.format === "json" ? partialOfJson(answer) : partialOfProtobuf(answer);
	} catch (error) {
		if (!(error instanceof ApiError) || !OF_A_MESSAGE.has(error.status)) throw error;
		return {
			reason: error.status === 413 ? "is larger than the server takes." : (whatIsWrong(first, body) ?? sayOf(error)),
		};
	}
}

function bodyOf(records: readonly FileRecord[]): Buffer<ArrayBuffer> {
	const [first] = records;
	// Files and streams give no shared memory.
	if (first === undefined || records.length === 1) return (first?.bytes ?? Buffer.alloc(0)) as Buffer<ArrayBuffer>;
	// Messages one after the other are one with the repeated fields of all.
	if (first.format === "protobuf") return Buffer.concat(records.map(({ bytes }) => bytes));
	const arrays = records.flatMap(({ bytes }, index) => [
		...(index > 0 ? [Buffer.from(",")] : []),
		wholeArray(bytes) ?? Buffer.alloc(0),
	]);
	const open = first.signal === "traces" ? '{"resourceSpans":[' : '{"resourceLogs":[';
	return Buffer.concat([Buffer.from(open), ...arrays, Buffer.from("]}")]);
}

/** What is between the brackets of the only array of a message; undefined for one of another form. */
function wholeArray(bytes: Buffer): Buffer | undefined {
	const start = WHOLE.exec(bytes.subarray(0, 32).toString("latin1"))?.[0].length;
	let end = bytes.length;
	while (end > 0 && (bytes[end - 1] ?? 0) <= 0x20) end -= 1;
	if (start === undefined || bytes.subarray(end - 2, end).toString("latin1") !== "]}" || end - 2 <= start)
		return undefined;
	return bytes.subarray(start, end - 2);
}

/** The server says it in the format of the request: in words here, by the same reader. */
function whatIsWrong({ format, signal }: FileRecord, body: Uint8Array): string | undefined {
	if (signal !== "traces") return undefined;
	try {
		if (format === "json") parseTraceRequestJson(Buffer.from(body).toString("utf8"));
		else decodeTraceRequest(body);
		return undefined;
	} catch (error) {
		if (!(error instanceof OtlpDecodeError || error instanceof SyntaxError)) throw error;
		return `is no OTLP: ${error.message}`;
	}
}

function sayOf(error: ApiError): string {
	return `is refused with ${error.status}: ${error.message}`;
}

function partialOfJson(answer: Buffer): Omit<Refused, "record"> | undefined {
	const { partialSuccess }: { partialSuccess?: Readonly<Record<string, string>> } = JSON.parse(
		answer.toString() || "{}",
	);
	const rejected = Number(partialSuccess?.["rejectedSpans"] ?? partialSuccess?.["rejectedLogRecords"] ?? 0);
	return rejected > 0 ? { rejected, reason: partialSuccess?.["errorMessage"] ?? "" } : undefined;
}

/**
 * The partial success of an `ExportTraceServiceResponse`: field 1, with the number in its field 1 and the message in 2.
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/collector/trace/v1/trace_service.proto
 */
function partialOfProtobuf(answer: Buffer): Omit<Refused, "record"> | undefined {
	const partial = fieldsOf(answer).get(1);
	if (!(partial instanceof Buffer)) return undefined;
	const fields = fieldsOf(partial);
	const [rejected, reason] = [fields.get(1), fields.get(2)];
	if (typeof rejected !== "number" || rejected === 0) return undefined;
	return { rejected, reason: reason instanceof Buffer ? reason.toString("utf8") : "" };
}

/** Numbers and byte strings of a message, by the number of their field. */
function fieldsOf(message: Buffer): ReadonlyMap<number, number | Buffer | undefined> {
	return new Map(Array.from(readFields(message), ({ number, value }) => [number, value]));
}
