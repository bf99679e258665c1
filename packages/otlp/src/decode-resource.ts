import { readKeyValue } from "./decode-value.ts";
import {
	ENTITY_DESCRIPTION_KEYS,
	ENTITY_ID_KEYS,
	ENTITY_SCHEMA_URL,
	ENTITY_TYPE,
	RESOURCE_ATTRIBUTES,
	RESOURCE_DROPPED_ATTRIBUTES,
	RESOURCE_ENTITY_REFS,
	SCOPE_ATTRIBUTES,
	SCOPE_DROPPED_ATTRIBUTES,
	SCOPE_NAME,
	SCOPE_VERSION,
} from "./fields.ts";
import type { EntityRef, KeyValue, Resource, Scope } from "./model.ts";
import type { WireCursor } from "./wire-cursor.ts";

/** A message that is being read; it is merged with a repetition of its field. */
export interface ResourceDraft {
	attributes: KeyValue[];
	droppedAttributesCount: number;
	entityRefs?: EntityRef[];
}

export interface ScopeDraft {
	name: string;
	version: string;
	attributes: KeyValue[];
	droppedAttributesCount: number;
}

export function emptyResource(): ResourceDraft {
	return { attributes: [], droppedAttributesCount: 0 };
}

export function emptyScope(): ScopeDraft {
	return { name: "", version: "", attributes: [], droppedAttributesCount: 0 };
}

export function mergeResource(cursor: WireCursor, end: number, depth: number, into: ResourceDraft): Resource {
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case RESOURCE_ATTRIBUTES:
				into.attributes.push(readKeyValue(cursor, cursor.length(end), depth));
				break;
			case RESOURCE_DROPPED_ATTRIBUTES:
				into.droppedAttributesCount = cursor.uint32();
				break;
			case RESOURCE_ENTITY_REFS:
				into.entityRefs ??= [];
				into.entityRefs.push(readEntityRef(cursor, cursor.length(end), depth));
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return into;
}

function readEntityRef(cursor: WireCursor, end: number, depth: number): EntityRef {
	let schemaUrl = "";
	let type = "";
	const idKeys: string[] = [];
	const descriptionKeys: string[] = [];
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === ENTITY_SCHEMA_URL) schemaUrl = cursor.string(end);
		else if (tag === ENTITY_TYPE) type = cursor.string(end);
		else if (tag === ENTITY_ID_KEYS) idKeys.push(cursor.string(end));
		else if (tag === ENTITY_DESCRIPTION_KEYS) descriptionKeys.push(cursor.string(end));
		else cursor.skip(tag, end, depth);
	}
	cursor.finish(end);
	return { schemaUrl, type, idKeys, descriptionKeys };
}

export function mergeScope(cursor: WireCursor, end: number, depth: number, into: ScopeDraft): Scope {
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case SCOPE_NAME:
				into.name = cursor.string(end);
				break;
			case SCOPE_VERSION:
				into.version = cursor.string(end);
				break;
			case SCOPE_ATTRIBUTES:
				into.attributes.push(readKeyValue(cursor, cursor.length(end), depth));
				break;
			case SCOPE_DROPPED_ATTRIBUTES:
				into.droppedAttributesCount = cursor.uint32();
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return into;
}
