import { type AnyValue, type KeyValue, type PlainValue, toPlain } from "@spanward/otlp";
import { exactInteger, parseExactJson } from "#http/exact-json.ts";
import { toWirePlain } from "#http/wire-plain.ts";
import { isTooMuchToExpand, JSON_KEY } from "#storage/traces/openinference-keys.ts";

/** Attributes by dotted key; without a prototype, so that `__proto__` is a key like any other. */
export type FlatAttributes = Record<string, unknown>;

/** The most keys that the values of one span are flattened into. */
const MAX_KEYS = 100_000;
/**
 * Characters of these keys: a fixed number, plus some for each character of the values. Pages are bounded by the size
 * of their spans, which thus also bounds their keys.
 */
const FREE_CHARACTERS = 65_536;
const CHARACTERS_PER_CHARACTER = 8;

/** Remaining keys and characters. */
interface Room {
	keys: number;
	characters: number;
}

function newRoom(): Room {
	return { keys: MAX_KEYS, characters: FREE_CHARACTERS };
}

/**
 * Attributes as REST shows them: objects and arrays of objects become dotted keys, arrays of scalars stay, JSON texts
 * such as `metadata` are parsed and flattened, empty values are dropped. The last of repeated keys wins. A value that
 * would become too many or too long keys (each repeats the names of its parents) is shown as it was sent.
 */
export function flattenAttributes(attributes: readonly KeyValue[]): FlatAttributes {
	const flat: FlatAttributes = Object.create(null);
	const room = newRoom();
	for (const { key, value } of attributes) flattenWhole(flat, key, plain(value), room);
	return flat;
}

/** Adds derived attributes whose key is absent. */
export function addDerived(flat: FlatAttributes, derived: ReadonlyMap<string, PlainValue>): void {
	const room = newRoom();
	for (const [key, value] of derived) if (!(key in flat)) flattenWhole(flat, key, toWirePlain(value), room);
}

/** Attributes of events, links, scopes and resources: values are not flattened, empty ones are dropped. */
export function plainAttributes(attributes: readonly KeyValue[]): FlatAttributes {
	const result: FlatAttributes = Object.create(null);
	for (const { key, value } of attributes) if (value.type !== "empty") result[key] = plain(value);
	return result;
}

/** A value as `JSON.stringify` can write it: big integers with all digits, bytes as base64. */
export function plain(value: AnyValue): unknown {
	return toWirePlain(toPlain(value));
}

/** Flattens a value, after adding the room for keys that its size grants. */
function flattenWhole(flat: FlatAttributes, key: string, value: unknown, room: Room): void {
	room.characters += CHARACTERS_PER_CHARACTER * lengthOf(value);
	flatten(flat, key, value, room);
}

/** Characters of a value's texts and names, plus 4 for each other scalar. */
function lengthOf(value: unknown): number {
	if (typeof value === "string") return value.length;
	if (typeof value !== "object" || value === null) return 4;
	let length = 0;
	if (Array.isArray(value)) for (const item of value) length += lengthOf(item);
	else for (const [name, item] of Object.entries(value)) length += name.length + lengthOf(item);
	return length;
}

function flatten(flat: FlatAttributes, key: string, value: unknown, room: Room): void {
	if (value === null || value === undefined) return;
	if (typeof value === "string" && JSON_KEY.test(key)) {
		flattenJsonText(flat, key, value, room);
		return;
	}
	const isTaken = Array.isArray(value) ? value.some(isObject) : isObject(value);
	if (!isTaken) {
		flat[key] = value;
		return;
	}
	const entries = Object.entries(value);
	if (hasRoom(room, key, entries)) for (const [name, item] of entries) flatten(flat, `${key}.${name}`, item, room);
	else flat[key] = value;
}

/** Whether there is room for the entries' keys; takes it if so. */
function hasRoom(room: Room, key: string, entries: readonly (readonly [name: string, item: unknown])[]): boolean {
	const characters = entries.reduce((sum, [name]) => sum + key.length + 1 + name.length, 0);
	if (entries.length > room.keys || characters > room.characters) return false;
	room.keys -= entries.length;
	room.characters -= characters;
	return true;
}

function flattenJsonText(flat: FlatAttributes, key: string, text: string, room: Room): void {
	const parsed = parseJsonText(text);
	if (parsed === null) return;
	if (typeof parsed === "string" || parsed === undefined) flat[key] = text;
	else flatten(flat, key, exact(parsed), room);
}

/** Undefined when it does not parse. */
function parseJsonText(text: string): unknown {
	if (isTooMuchToExpand(text)) return undefined;
	try {
		return parseExactJson(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function exact(value: unknown): unknown {
	if (typeof value === "bigint") return exactInteger(value);
	if (Array.isArray(value)) return value.map(exact);
	if (!isObject(value)) return value;
	const object: FlatAttributes = Object.create(null);
	for (const [key, item] of Object.entries(value)) object[key] = exact(item);
	return object;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Integers beyond 2^53 are objects of `JSON.rawJSON`. */
function isRawNumber(value: object): boolean {
	return JSON.isRawJSON(value);
}
