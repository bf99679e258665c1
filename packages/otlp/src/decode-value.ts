import {
	KEY_VALUE_KEY,
	KEY_VALUE_VALUE,
	LIST_VALUES,
	VALUE_ARRAY,
	VALUE_BOOL,
	VALUE_BYTES,
	VALUE_DOUBLE,
	VALUE_INT,
	VALUE_KVLIST,
	VALUE_STRING,
} from "./fields.ts";
import type { AnyValue, KeyValue } from "./model.ts";
import type { WireCursor } from "./wire-cursor.ts";

const EMPTY: AnyValue = { type: "empty" };

/**
 * A value that is being read. Protobuf merges repeated messages: a list grows while the same member of the oneof comes
 * again, anything else replaces the former value.
 */
interface ValueDraft {
	value: AnyValue;
	items: AnyValue[] | undefined;
	entries: KeyValue[] | undefined;
}

export function readAnyValue(cursor: WireCursor, end: number, depth: number): AnyValue {
	const draft: ValueDraft = { value: EMPTY, items: undefined, entries: undefined };
	mergeAnyValue(cursor, end, depth, draft);
	return draft.value;
}

export function readKeyValue(cursor: WireCursor, end: number, depth: number): KeyValue {
	let key = "";
	const draft: ValueDraft = { value: EMPTY, items: undefined, entries: undefined };
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === KEY_VALUE_KEY) key = cursor.string(end);
		else if (tag === KEY_VALUE_VALUE) mergeAnyValue(cursor, cursor.length(end), depth, draft);
		else cursor.skip(tag, end, depth);
	}
	cursor.finish(end);
	return { key, value: draft.value };
}

/** Reads a message field of type AnyValue that may be repeated; keep the result for all repetitions. */
export function createValueMerger(): (cursor: WireCursor, end: number, depth: number) => AnyValue {
	const draft: ValueDraft = { value: EMPTY, items: undefined, entries: undefined };
	return (cursor, end, depth) => {
		mergeAnyValue(cursor, end, depth, draft);
		return draft.value;
	};
}

function mergeAnyValue(cursor: WireCursor, end: number, depth: number, draft: ValueDraft): void {
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case VALUE_STRING:
				setScalar(draft, { type: "string", value: cursor.string(end) });
				break;
			case VALUE_BOOL:
				setScalar(draft, { type: "bool", value: cursor.bool() });
				break;
			case VALUE_INT:
				setScalar(draft, { type: "int", value: BigInt(cursor.int64()) });
				break;
			case VALUE_DOUBLE:
				setScalar(draft, { type: "double", value: cursor.double() });
				break;
			case VALUE_BYTES: {
				const stop = cursor.length(end);
				setScalar(draft, { type: "bytes", value: cursor.view(cursor.pos, stop) });
				cursor.pos = stop;
				break;
			}
			case VALUE_ARRAY:
				if (draft.items === undefined) {
					draft.items = [];
					draft.entries = undefined;
					draft.value = { type: "array", value: draft.items };
				}
				readList(cursor, cursor.length(end), depth, draft.items, readAnyValue);
				break;
			case VALUE_KVLIST:
				if (draft.entries === undefined) {
					draft.entries = [];
					draft.items = undefined;
					draft.value = { type: "kvlist", value: draft.entries };
				}
				readList(cursor, cursor.length(end), depth, draft.entries, readKeyValue);
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
}

function setScalar(draft: ValueDraft, value: AnyValue): void {
	draft.value = value;
	draft.items = undefined;
	draft.entries = undefined;
}

/** `ArrayValue` and `KeyValueList` differ only in the type of their items. */
function readList<T>(
	cursor: WireCursor,
	end: number,
	depth: number,
	into: T[],
	read: (cursor: WireCursor, end: number, depth: number) => T,
): void {
	if (depth <= 0) {
		cursor.fail("too_deep");
		return;
	}
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === LIST_VALUES) into.push(read(cursor, cursor.length(end), depth - 1));
		else cursor.skip(tag, end, depth - 1);
	}
	cursor.finish(end);
}
