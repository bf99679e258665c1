import { OtlpDecodeError } from "./errors.ts";
import { isObject, JsonReader, member, type Problem } from "./json-reader.ts";
import { type Json, type JsonObject, parseJson } from "./json-text.ts";
import type {
	EntityRef,
	LogRecord,
	Resource,
	ResourceLogs,
	ResourceSpans,
	Scope,
	Span,
	SpanEvent,
	SpanLink,
} from "./model.ts";
import { describeItem, Rejections } from "./rejections.ts";
import type { Rejection } from "./scan-model.ts";
import { DEFAULT_DEPTH } from "./wire-cursor.ts";

export interface ParsedTraces {
	readonly resourceSpans: readonly ResourceSpans[];
	readonly rejected: readonly Rejection[];
}

export interface ParsedLogs {
	readonly resourceLogs: readonly ResourceLogs[];
	readonly rejected: readonly Rejection[];
}

const SPAN_KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"].map(
	(kind) => `SPAN_KIND_${kind}`,
);
const STATUS_CODES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];
const SEVERITIES = [
	"SEVERITY_NUMBER_UNSPECIFIED",
	...["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"].flatMap((level) =>
		["", "2", "3", "4"].map((step) => `SEVERITY_NUMBER_${level}${step}`),
	),
];

/**
 * Parses an `ExportTraceServiceRequest` in OTLP/JSON: ids in hex of any case, 64-bit integers as strings or numbers,
 * enums as numbers or names, bytes in base64. Unknown members are skipped, null counts as absent, and member names of
 * the .proto files are accepted. A wrong span is left out and reported, as are the spans of a wrong resource or scope.
 * @param depth deepest nesting of attribute values
 * @throws OtlpDecodeError when the text is not JSON or does not have the structure of a request
 */
export function parseTraceRequestJson(text: string, depth = DEFAULT_DEPTH): ParsedTraces {
	const request = new RequestReader(text, "ExportTraceServiceRequest", "Span", depth);
	const resourceSpans = request.groups("resourceSpans", "scopeSpans", "spans", readSpan, spanProblem);
	return {
		resourceSpans: resourceSpans.map(({ resource, scoped, schemaUrl }) => ({
			resource,
			scopeSpans: scoped.map(({ scope, items, schemaUrl }) => ({ scope, spans: items, schemaUrl })),
			schemaUrl,
		})),
		rejected: request.rejections.list,
	};
}

/** As `parseTraceRequestJson`, for an `ExportLogsServiceRequest`. */
export function parseLogsRequestJson(text: string, depth = DEFAULT_DEPTH): ParsedLogs {
	const request = new RequestReader(text, "ExportLogsServiceRequest", "Log record", depth);
	const resourceLogs = request.groups("resourceLogs", "scopeLogs", "logRecords", readLogRecord, () => undefined);
	return {
		resourceLogs: resourceLogs.map(({ resource, scoped, schemaUrl }) => ({
			resource,
			scopeLogs: scoped.map(({ scope, items, schemaUrl }) => ({ scope, logRecords: items, schemaUrl })),
			schemaUrl,
		})),
		rejected: request.rejections.list,
	};
}

interface Group<T> {
	readonly resource: Resource;
	readonly scoped: Scoped<T>[];
	readonly schemaUrl: string;
}

interface Scoped<T> {
	readonly scope: Scope;
	readonly items: T[];
	readonly schemaUrl: string;
}

/** The structure of both requests: groups by resource, within them groups by scope, within them items. */
class RequestReader {
	readonly rejections = new Rejections();
	readonly #message: string;
	readonly #item: string;
	readonly #root: JsonObject;
	readonly #reader: JsonReader;
	#position = 0;

	constructor(text: string, message: string, item: string, depth: number) {
		const root = parseJson(text);
		if (!isObject(root)) throw new OtlpDecodeError(`The JSON is not an object; send an ${message}.`);
		this.#message = message;
		this.#item = item;
		this.#root = root;
		this.#reader = new JsonReader(depth);
	}

	groups<T>(
		groupsName: string,
		scopedName: string,
		itemsName: string,
		read: (reader: JsonReader, object: JsonObject) => T,
		check: (item: T) => Problem | undefined,
	): Group<T>[] {
		const reader = this.#reader;
		return this.#framed(this.#root, groupsName).map((group) => {
			const resource = readResource(reader, reader.object(group, "resource"));
			const schemaUrl = reader.string(group, "schemaUrl");
			const resourceProblem = owned(reader.takeProblem(), "resource");
			const scoped = this.#framed(group, scopedName).map((part) => {
				const scope = readScope(reader, reader.object(part, "scope"));
				const scopedSchemaUrl = reader.string(part, "schemaUrl");
				const frameProblem = resourceProblem ?? owned(reader.takeProblem(), "scope");
				const items: T[] = [];
				for (const json of this.#array(part, itemsName)) {
					const object = isObject(json) ? json : {};
					if (object !== json) reader.fail("JSON must be an object");
					const item = read(reader, object);
					const misshapen = reader.takeProblem();
					const problem = frameProblem ?? (object === json ? check(item) : undefined) ?? misshapen;
					if (problem === undefined) items.push(item);
					else this.#reject(problem, object["name"]);
					this.#position++;
				}
				return { scope, items, schemaUrl: scopedSchemaUrl };
			});
			return { resource, scoped, schemaUrl };
		});
	}

	/** A repeated message of the structure around the items, which has to be correct. */
	#framed(object: JsonObject, name: string): readonly JsonObject[] {
		const items = this.#array(object, name);
		if (items.every(isObject)) return items;
		throw new OtlpDecodeError(`The JSON is not an ${this.#message}: ${name} must be an array of objects.`);
	}

	#array(object: JsonObject, name: string): readonly Json[] {
		const value = member(object, name) ?? [];
		if (Array.isArray(value)) return value;
		throw new OtlpDecodeError(`The JSON is not an ${this.#message}: ${name} must be an array.`);
	}

	#reject({ reason, text }: Problem, name: unknown): void {
		const known = typeof name === "string" ? name : "";
		this.rejections.add(reason, () => `${describeItem(this.#item, this.#position, known)} was left out: its ${text}.`);
	}
}

function owned(problem: Problem | undefined, owner: string): Problem | undefined {
	return problem && { reason: problem.reason, text: `${owner} is wrong: ${problem.text}` };
}

function readResource(reader: JsonReader, object: JsonObject): Resource {
	const entityRefs = reader.objects(object, "entityRefs").map((ref) => readEntityRef(reader, ref));
	return {
		attributes: reader.attributes(object),
		droppedAttributesCount: reader.uint32(object, "droppedAttributesCount"),
		...(entityRefs.length > 0 && { entityRefs }),
	};
}

function readEntityRef(reader: JsonReader, object: JsonObject): EntityRef {
	return {
		schemaUrl: reader.string(object, "schemaUrl"),
		type: reader.string(object, "type"),
		idKeys: reader.strings(object, "idKeys"),
		descriptionKeys: reader.strings(object, "descriptionKeys"),
	};
}

function readScope(reader: JsonReader, object: JsonObject): Scope {
	return {
		name: reader.string(object, "name"),
		version: reader.string(object, "version"),
		attributes: reader.attributes(object),
		droppedAttributesCount: reader.uint32(object, "droppedAttributesCount"),
	};
}

function readSpan(reader: JsonReader, object: JsonObject): Span {
	const status = reader.object(object, "status");
	return {
		traceId: id(reader, object, "traceId"),
		spanId: id(reader, object, "spanId"),
		parentSpanId: id(reader, object, "parentSpanId"),
		traceState: reader.string(object, "traceState"),
		flags: reader.uint32(object, "flags"),
		name: reader.string(object, "name"),
		kind: reader.enum(object, "kind", SPAN_KINDS),
		startTimeUnixNano: reader.uint64(object, "startTimeUnixNano"),
		endTimeUnixNano: reader.uint64(object, "endTimeUnixNano"),
		attributes: reader.attributes(object),
		droppedAttributesCount: reader.uint32(object, "droppedAttributesCount"),
		events: reader.objects(object, "events").map((event) => readEvent(reader, event)),
		droppedEventsCount: reader.uint32(object, "droppedEventsCount"),
		links: reader.objects(object, "links").map((link) => readLink(reader, link)),
		droppedLinksCount: reader.uint32(object, "droppedLinksCount"),
		status: { code: reader.enum(status, "code", STATUS_CODES), message: reader.string(status, "message") },
	};
}

/** An id as it was sent. `spanProblem` checks it, so that a wrong one has its own reason. */
function id(reader: JsonReader, object: JsonObject, name: string): string {
	return reader.string(object, name).toLowerCase();
}

function spanProblem({ traceId, spanId, parentSpanId }: Span): Problem | undefined {
	if (!isId(traceId, 32)) {
		return { reason: "invalid_trace_id", text: "traceId must be 32 hex digits that are not all zero" };
	}
	if (!isId(spanId, 16)) {
		return { reason: "invalid_span_id", text: "spanId must be 16 hex digits that are not all zero" };
	}
	if (parentSpanId !== "" && !/^[0-9a-f]{16}$/.test(parentSpanId)) {
		return { reason: "invalid_parent_span_id", text: "parentSpanId must be 16 hex digits, or absent for a root" };
	}
	return undefined;
}

function isId(hex: string, digits: number): boolean {
	return hex.length === digits && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex);
}

function readEvent(reader: JsonReader, object: JsonObject): SpanEvent {
	return {
		timeUnixNano: reader.uint64(object, "timeUnixNano"),
		name: reader.string(object, "name"),
		attributes: reader.attributes(object),
		droppedAttributesCount: reader.uint32(object, "droppedAttributesCount"),
	};
}

function readLink(reader: JsonReader, object: JsonObject): SpanLink {
	return {
		traceId: reader.hex(object, "traceId"),
		spanId: reader.hex(object, "spanId"),
		traceState: reader.string(object, "traceState"),
		attributes: reader.attributes(object),
		droppedAttributesCount: reader.uint32(object, "droppedAttributesCount"),
		flags: reader.uint32(object, "flags"),
	};
}

function readLogRecord(reader: JsonReader, object: JsonObject): LogRecord {
	return {
		timeUnixNano: reader.uint64(object, "timeUnixNano"),
		observedTimeUnixNano: reader.uint64(object, "observedTimeUnixNano"),
		severityNumber: reader.enum(object, "severityNumber", SEVERITIES),
		severityText: reader.string(object, "severityText"),
		body: reader.anyValue(object, "body"),
		attributes: reader.attributes(object),
		droppedAttributesCount: reader.uint32(object, "droppedAttributesCount"),
		flags: reader.uint32(object, "flags"),
		traceId: logId(reader, object, "traceId", 32),
		spanId: logId(reader, object, "spanId", 16),
		eventName: reader.string(object, "eventName"),
	};
}

/** By `logs.proto`, a record with an invalid id belongs to no span, but is not wrong. */
function logId(reader: JsonReader, object: JsonObject, name: string, digits: number): string {
	const hex = id(reader, object, name);
	return isId(hex, digits) ? hex : "";
}
