import { readAnyValue, readKeyValue } from "./decode-value.ts";
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
import type { KeyTable } from "./key-table.ts";
import { MOST_VALUES, type SpanLimits } from "./limits.ts";
import type { AnyValue, PlainValue } from "./model.ts";
import { toPlain } from "./plain.ts";
import type { WireCursor } from "./wire-cursor.ts";

/** Skips attributes, checking every byte, and decodes only the requested ones. */
export class AttributeScan {
	/** Something had more attributes, events or links than the limit, so the rest has to be dropped. */
	surplus = false;
	/** A value was longer than the limit, so it has to be truncated. */
	oversized = false;
	/** Values in arrays and maps since the last `reset`. */
	values = 0;
	readonly #cursor: WireCursor;
	readonly #limits: SpanLimits;

	constructor(cursor: WireCursor, limits: SpanLimits) {
		this.#cursor = cursor;
		this.#limits = limits;
	}

	/** To be called before each span, resource, scope or log record. */
	reset(): void {
		this.surplus = false;
		this.oversized = false;
		this.values = 0;
	}

	/** Records the number of attributes, events or links of an owner. */
	count(items: number): void {
		if (items > this.#limits.attributesPerSpan) this.surplus = true;
	}

	/** Reads the `KeyValue` up to `end`; adds its value to `promoted` if the table has its key and it is not empty. */
	promote(end: number, keys: KeyTable, promoted: Map<string, PlainValue>): void {
		const cursor = this.#cursor;
		const { depth } = this.#limits;
		const start = cursor.pos;
		let keyStart = 0;
		let keyEnd = 0;
		let valueStart = 0;
		let valueEnd = 0;
		let values = 0;
		while (cursor.pos < end) {
			const tag = cursor.tag();
			if (tag === KEY_VALUE_KEY) {
				keyEnd = cursor.length(end);
				keyStart = cursor.pos;
				cursor.pos = keyEnd;
			} else if (tag === KEY_VALUE_VALUE) {
				valueEnd = cursor.length(end);
				valueStart = cursor.pos;
				values++;
				this.#skipValue(valueEnd, depth);
			} else cursor.skip(tag, end, depth);
		}
		cursor.finish(end);
		if (values === 0 || cursor.pos !== end) return;
		const name = keys.find(cursor.bytes, keyStart, keyEnd);
		if (name === undefined) return;
		const value = values === 1 ? this.#readPlain(valueStart, valueEnd) : this.#readMerged(start, end);
		if (value !== undefined) promoted.set(name, value);
		cursor.pos = end;
	}

	/** Skips a `KeyValue`. */
	skip(end: number, depth = this.#limits.depth): void {
		const cursor = this.#cursor;
		while (cursor.pos < end) {
			const tag = cursor.tag();
			if (tag === KEY_VALUE_KEY) cursor.pos = cursor.length(end);
			else if (tag === KEY_VALUE_VALUE) this.#skipValue(cursor.length(end), depth);
			else cursor.skip(tag, end, depth);
		}
		cursor.finish(end);
	}

	/** Skips an `AnyValue`. */
	skipValue(end: number): void {
		this.#skipValue(end, this.#limits.depth);
	}

	#skipValue(end: number, depth: number): void {
		const cursor = this.#cursor;
		while (cursor.pos < end) {
			const tag = cursor.tag();
			switch (tag) {
				case VALUE_STRING:
				case VALUE_BYTES: {
					const stop = cursor.length(end);
					if (stop - cursor.pos > this.#limits.attributeBytes) this.oversized = true;
					cursor.pos = stop;
					break;
				}
				case VALUE_ARRAY:
					this.#skipList(cursor.length(end), depth, false);
					break;
				case VALUE_KVLIST:
					this.#skipList(cursor.length(end), depth, true);
					break;
				default:
					cursor.skip(tag, end, depth);
			}
		}
		cursor.finish(end);
	}

	#skipList(end: number, depth: number, entries: boolean): void {
		const cursor = this.#cursor;
		if (depth <= 0) {
			cursor.fail("too_deep");
			return;
		}
		while (cursor.pos < end) {
			const tag = cursor.tag();
			if (tag === LIST_VALUES && ++this.values > MOST_VALUES) cursor.fail("too_many_values");
			if (tag !== LIST_VALUES) cursor.skip(tag, end, depth - 1);
			else if (entries) this.skip(cursor.length(end), depth - 1);
			else this.#skipValue(cursor.length(end), depth - 1);
		}
		cursor.finish(end);
	}

	/** The text that a checked `AnyValue` is; empty when it is another value, or of more bytes. The cursor stays. */
	shortText(start: number, end: number, mostBytes: number): string {
		if (end - start > mostBytes) return "";
		const { pos } = this.#cursor;
		const value = this.#readPlain(start, end);
		this.#cursor.pos = pos;
		return typeof value === "string" ? value : "";
	}

	/** Decodes a checked value; usually one scalar, anything else is decoded completely. Undefined when empty. */
	#readPlain(start: number, end: number): PlainValue | undefined {
		const cursor = this.#cursor;
		if (start === end) return undefined;
		cursor.pos = start;
		switch (cursor.tag()) {
			case VALUE_STRING: {
				const stop = cursor.length(end);
				if (stop === end) return cursor.text(cursor.pos, stop);
				break;
			}
			case VALUE_INT: {
				const value = cursor.int64();
				if (cursor.pos === end) return value;
				break;
			}
			case VALUE_DOUBLE: {
				const value = cursor.double();
				if (cursor.pos === end) return value;
				break;
			}
			case VALUE_BOOL: {
				const value = cursor.bool();
				if (cursor.pos === end) return value;
				break;
			}
		}
		cursor.pos = start;
		return plainUnlessEmpty(readAnyValue(cursor, end, this.#limits.depth));
	}

	/** Decodes a `KeyValue` whose value comes in several pieces, which are merged. */
	#readMerged(start: number, end: number): PlainValue | undefined {
		this.#cursor.pos = start;
		return plainUnlessEmpty(readKeyValue(this.#cursor, end, this.#limits.depth).value);
	}
}

function plainUnlessEmpty(value: AnyValue): PlainValue | undefined {
	return value.type === "empty" ? undefined : toPlain(value);
}
