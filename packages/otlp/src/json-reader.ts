import { type Json, type JsonObject, parseDouble, parseInteger } from "./json-text.ts";
import type { AnyValue, KeyValue } from "./model.ts";

/** Why an item was left out. */
export interface Problem {
	readonly reason: string;
	/** The end of the sentence "Span 3 was left out: its …". */
	readonly text: string;
}

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const UINT64 = { min: 0n, max: 2n ** 64n - 1n };
const UINT32 = { min: 0n, max: 2n ** 32n - 1n };
const INT32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n };

/**
 * Reads members of JSON objects by the ProtoJSON mapping with OTLP's hex ids. A wrong member is read as the default and
 * noted in `problem` (the first one stays), so callers check once per item. `null` counts as absent.
 */
export class JsonReader {
	problem: Problem | undefined;
	readonly #depth: number;

	constructor(depth: number) {
		this.#depth = depth;
	}

	/** The problem met since the last call. */
	takeProblem(): Problem | undefined {
		const { problem } = this;
		this.problem = undefined;
		return problem;
	}

	fail(text: string, reason = "malformed"): void {
		this.problem ??= { reason, text };
	}

	string(object: JsonObject, name: string): string {
		const value = member(object, name);
		if (typeof value === "string") return value;
		if (value !== undefined) this.fail(`${name} must be a string`);
		return "";
	}

	uint32(object: JsonObject, name: string): number {
		return Number(this.#integer(member(object, name), name, UINT32, "an unsigned 32-bit integer"));
	}

	uint64(object: JsonObject, name: string): bigint {
		return this.#integer(member(object, name), name, UINT64, "an unsigned 64-bit integer");
	}

	/** A number, or one of `names`, whose index is the number; unknown names count as 0, as other unknown values do. */
	enum(object: JsonObject, name: string, names: readonly string[]): number {
		const value = member(object, name);
		if (typeof value === "string" && parseInteger(value) === undefined) return Math.max(0, names.indexOf(value));
		return Number(this.#integer(value, name, INT32, "a number or name of the enum"));
	}

	#integer(value: Json | undefined, name: string, range: { min: bigint; max: bigint }, kind: string): bigint {
		if (value === undefined) return 0n;
		const integer = toInteger(value);
		if (integer !== undefined && integer >= range.min && integer <= range.max) return integer;
		this.fail(`${name} must be ${kind}`);
		return 0n;
	}

	/** Hex digits in any case, as lower case; no particular length. */
	hex(object: JsonObject, name: string): string {
		const value = this.string(object, name);
		if (/^(?:[0-9a-f]{2})*$/i.test(value)) return value.toLowerCase();
		this.fail(`${name} must be pairs of hex digits`);
		return "";
	}

	object(object: JsonObject, name: string): JsonObject {
		const value = member(object, name);
		if (isObject(value)) return value;
		if (value !== undefined) this.fail(`${name} must be an object`);
		return {};
	}

	objects(object: JsonObject, name: string): JsonObject[] {
		const value = member(object, name);
		if (value === undefined) return [];
		if (Array.isArray(value) && value.every(isObject)) return value;
		this.fail(`${name} must be an array of objects`);
		return [];
	}

	strings(object: JsonObject, name: string): string[] {
		const value = member(object, name);
		if (value === undefined) return [];
		if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
		this.fail(`${name} must be an array of strings`);
		return [];
	}

	attributes(object: JsonObject, depth = this.#depth): KeyValue[] {
		return this.objects(object, "attributes").map((entry) => this.#keyValue(entry, depth));
	}

	anyValue(object: JsonObject, name: string): AnyValue {
		return this.#anyValue(this.object(object, name), this.#depth);
	}

	#keyValue(entry: JsonObject, depth: number): KeyValue {
		const key = this.string(entry, "key");
		return { key, value: this.#anyValue(this.object(entry, "value"), depth) };
	}

	#anyValue(object: JsonObject, depth: number): AnyValue {
		if (this.problem !== undefined) return { type: "empty" };
		let value: AnyValue = { type: "empty" };
		for (const [name, content] of Object.entries(object)) {
			if (content === null || content === undefined) continue;
			value = this.#member(name, content, object, depth) ?? value;
		}
		return value;
	}

	/** One member of the oneof; undefined for any other name. */
	#member(name: string, content: Json, object: JsonObject, depth: number): AnyValue | undefined {
		switch (name) {
			case "stringValue":
			case "string_value":
				return { type: "string", value: this.string(object, name) };
			case "boolValue":
			case "bool_value":
				if (typeof content !== "boolean") this.fail(`${name} must be true or false`);
				return { type: "bool", value: content === true };
			case "intValue":
			case "int_value":
				return { type: "int", value: this.#integer(content, name, INT64, "a 64-bit integer") };
			case "doubleValue":
			case "double_value":
				return { type: "double", value: this.#double(content, name) };
			case "bytesValue":
			case "bytes_value":
				return { type: "bytes", value: this.#base64(this.string(object, name), name) };
			case "arrayValue":
			case "array_value":
				return { type: "array", value: this.#list(name, object, depth, (item) => this.#anyValue(item, depth - 1)) };
			case "kvlistValue":
			case "kvlist_value":
				return { type: "kvlist", value: this.#list(name, object, depth, (item) => this.#keyValue(item, depth - 1)) };
			default:
				return undefined;
		}
	}

	#list<T>(name: string, object: JsonObject, depth: number, read: (item: JsonObject) => T): T[] {
		if (depth > 0) return this.#items(this.object(object, name)).map(read);
		this.fail(`attribute values are nested more than ${this.#depth} levels deep; send flatter values`, "too_deep");
		return [];
	}

	/** The member `values`; an item that is null stands for an empty value. */
	#items(list: JsonObject): JsonObject[] {
		const values = member(list, "values");
		if (values === undefined) return [];
		if (Array.isArray(values)) {
			const items = values.map((item) => item ?? {});
			if (items.every(isObject)) return items;
		}
		this.fail("values must be an array of objects");
		return [];
	}

	#double(value: Json, name: string): number {
		const number =
			typeof value === "string" ? parseDouble(value) : typeof value === "boolean" ? undefined : toNumber(value);
		if (number !== undefined) return number;
		this.fail(`${name} must be a number`);
		return 0;
	}

	/** In the standard or the URL alphabet, padded or not. */
	#base64(text: string, name: string): Uint8Array {
		if (/^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1) {
			return new Uint8Array(Buffer.from(text, "base64"));
		}
		this.fail(`${name} must be base64`);
		return new Uint8Array(0);
	}
}

/** A member by its JSON name, else by the name in the .proto file; null is absent. */
export function member(object: JsonObject, name: string): Json | undefined {
	return object[name] ?? object[snakeCase(name)] ?? undefined;
}

const snakeNames = new Map<string, string>();

function snakeCase(name: string): string {
	let snake = snakeNames.get(name);
	if (snake === undefined) {
		snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
		snakeNames.set(name, snake);
	}
	return snake;
}

export function isObject(value: Json | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toInteger(value: Json): bigint | undefined {
	if (typeof value === "bigint") return value;
	if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : undefined;
	return typeof value === "string" ? parseInteger(value) : undefined;
}

function toNumber(value: Json): number | undefined {
	return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
