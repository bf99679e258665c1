import { cutResource, cutScope } from "./cut.ts";
import { decodeResource, decodeScope } from "./decode.ts";
import { dropSurplus } from "./drop-surplus.ts";
import { encodeResource, encodeScope } from "./encode.ts";
import { OtlpDecodeError } from "./errors.ts";
import {
	GROUP_RESOURCE,
	GROUP_SCHEMA_URL,
	GROUP_SCOPES,
	REQUEST_GROUPS,
	RESOURCE_ATTRIBUTES,
	SCOPE_ATTRIBUTES,
	SCOPE_NAME,
	SCOPED_ITEMS,
	SCOPED_SCHEMA_URL,
	SCOPED_SCOPE,
} from "./fields.ts";
import { createKeyTable, type KeyTable } from "./key-table.ts";
import { MOST_ITEMS, MOST_VALUES, type SpanLimits } from "./limits.ts";
import { MessagePieces } from "./message-pieces.ts";
import type { PlainValue } from "./model.ts";
import { Rejections } from "./rejections.ts";
import { AttributeScan } from "./scan-attributes.ts";
import type { ScannedResource, ScannedScope } from "./scan-model.ts";
import { WireCursor } from "./wire-cursor.ts";

/** The attribute that names the project; key tables of resources have to have it. */
export const PROJECT_NAME = "openinference.project.name";
const PROJECT_KEYS = createKeyTable([PROJECT_NAME]);
const EMPTY = new Uint8Array(0);
const NOTHING_PROMOTED: ReadonlyMap<string, PlainValue> = new Map();

/** State and results of scanning a request. */
export interface Frame {
	readonly cursor: WireCursor;
	readonly attributes: AttributeScan;
	readonly limits: SpanLimits;
	readonly resourceKeys: KeyTable;
	readonly resources: ScannedResource[];
	readonly scopes: ScannedScope[];
	readonly rejections: Rejections;
	/** Number of items so far, which is the position of the next one. */
	position: number;
	resource: ScannedResource;
	scope: ScannedScope;
}

/** Reads one Span or LogRecord up to `end`. If it leaves the cursor elsewhere, the item alone was malformed. */
type ReadItem = (frame: Frame, end: number) => void;

/**
 * Scans an export request in one pass: groups by resource, within them groups by scope, within them items.
 * @throws OtlpDecodeError when the structure around the items is malformed; `readItem` handles malformed items
 */
export function scanFrame(
	bytes: Uint8Array,
	limits: SpanLimits,
	message: string,
	readItem: ReadItem,
	resourceKeys = PROJECT_KEYS,
): Frame {
	const cursor = new WireCursor(bytes);
	const frame: Frame = {
		cursor,
		attributes: new AttributeScan(cursor, limits),
		limits,
		resourceKeys,
		resources: [],
		scopes: [],
		rejections: new Rejections(),
		position: 0,
		resource: emptyResource(),
		scope: emptyScope(),
	};
	const end = bytes.byteLength;
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === REQUEST_GROUPS) scanGroup(frame, cursor.length(end), readItem);
		else cursor.skip(tag, end, limits.depth);
	}
	if (cursor.pos !== end) {
		throw new OtlpDecodeError(
			{
				malformed: `The request is not a well-formed ${message}; send that message in the protobuf encoding, complete.`,
				too_deep: `The ${message} is nested more than ${limits.depth} levels deep in a resource or scope; send flatter attribute values.`,
				too_many_values: `A resource or scope holds more than ${MOST_VALUES} values; send fewer.`,
			}[cursor.fault],
		);
	}
	return frame;
}

/** The index of the current scope, which is added to the result with its first accepted item. */
export function claimScope(frame: Frame): number {
	const { scopes, scope } = frame;
	if (scopes.at(-1) !== scope) {
		scope.resource = claimResource(frame);
		scopes.push(scope);
	}
	return scopes.length - 1;
}

/** As `claimScope`, for the resource. */
export function claimResource({ resources, resource }: Frame): number {
	if (resources.at(-1) !== resource) resources.push(resource);
	return resources.length - 1;
}

function emptyResource(): ScannedResource {
	return { bytes: EMPTY, schemaUrl: "", projectName: undefined, promoted: NOTHING_PROMOTED };
}

function emptyScope(): ScannedScope {
	return { bytes: EMPTY, name: "", schemaUrl: "", resource: 0 };
}

function scanGroup(frame: Frame, end: number, readItem: ReadItem): void {
	const { cursor, limits } = frame;
	const resource = emptyResource();
	const pieces = new MessagePieces();
	frame.resource = resource;
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case GROUP_RESOURCE:
				scanResource(frame, cursor.length(end), resource, pieces);
				break;
			case GROUP_SCOPES:
				scanScoped(frame, cursor.length(end), readItem);
				break;
			case GROUP_SCHEMA_URL:
				resource.schemaUrl = cursor.string(end);
				break;
			default:
				cursor.skip(tag, end, limits.depth);
		}
	}
	cursor.finish(end);
	if (cursor.pos !== end) return;
	resource.bytes = pieces.join();
	if (pieces.surplus) resource.bytes = dropSurplus.resource(resource.bytes, limits);
	if (pieces.oversized) {
		resource.bytes = encodeResource(cutResource(decodeResource(resource.bytes, limits.depth), limits));
	}
}

function scanResource(frame: Frame, end: number, into: ScannedResource, pieces: MessagePieces): void {
	const { cursor, attributes, limits, resourceKeys } = frame;
	const start = cursor.pos;
	let count = 0;
	const promoted = new Map<string, PlainValue>();
	attributes.reset();
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === RESOURCE_ATTRIBUTES) {
			attributes.promote(cursor.length(end), resourceKeys, promoted);
			count++;
		} else cursor.skip(tag, end, limits.depth);
	}
	cursor.finish(end);
	pieces.add(cursor, attributes, start, end, count);
	// Its message may come in several pieces.
	if (into.promoted.size > 0)
		for (const [key, value] of into.promoted) if (!promoted.has(key)) promoted.set(key, value);
	const projectName = promoted.get(PROJECT_NAME);
	if (promoted.size > 0) into.projectName = typeof projectName === "string" ? projectName || undefined : undefined;
	into.promoted = promoted;
}

function scanScoped(frame: Frame, end: number, readItem: ReadItem): void {
	const { cursor, limits } = frame;
	const scope = emptyScope();
	const pieces = new MessagePieces();
	frame.scope = scope;
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case SCOPED_SCOPE:
				scanScope(frame, cursor.length(end), scope, pieces);
				break;
			case SCOPED_ITEMS: {
				const stop = cursor.length(end);
				if (stop > end) break;
				if (frame.position === MOST_ITEMS) {
					throw new OtlpDecodeError(`The request holds more than ${MOST_ITEMS} items; send it in parts.`);
				}
				frame.attributes.reset();
				readItem(frame, stop);
				frame.position++;
				cursor.fault = "malformed";
				cursor.pos = stop;
				break;
			}
			case SCOPED_SCHEMA_URL:
				scope.schemaUrl = cursor.string(end);
				break;
			default:
				cursor.skip(tag, end, limits.depth);
		}
	}
	cursor.finish(end);
	if (cursor.pos !== end) return;
	scope.bytes = pieces.join();
	if (pieces.surplus) scope.bytes = dropSurplus.scope(scope.bytes, limits);
	if (pieces.oversized) {
		scope.bytes = encodeScope(cutScope(decodeScope(scope.bytes, limits.depth), limits));
	}
}

function scanScope(frame: Frame, end: number, into: ScannedScope, pieces: MessagePieces): void {
	const { cursor, attributes, limits } = frame;
	const start = cursor.pos;
	let count = 0;
	attributes.reset();
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case SCOPE_NAME:
				into.name = cursor.string(end);
				break;
			case SCOPE_ATTRIBUTES:
				attributes.skip(cursor.length(end));
				count++;
				break;
			default:
				cursor.skip(tag, end, limits.depth);
		}
	}
	cursor.finish(end);
	pieces.add(cursor, attributes, start, end, count);
}
