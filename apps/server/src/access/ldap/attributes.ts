import type { Attribute, Entry } from "./responses.ts";

/** The values of an attribute; its name is compared without case, and subtypes such as `mail;lang-de` are others. */
export function valuesOf(entry: Entry, name: string): readonly Buffer[] {
	const wanted = name.toLowerCase();
	return entry.attributes.find(({ type }) => type.toLowerCase() === wanted)?.values ?? [];
}

/** As {@link valuesOf}, without those that are not text. */
export function textsOf(entry: Entry, name: string): string[] {
	return valuesOf(entry, name).flatMap((value) => toText(value) ?? []);
}

function toText(bytes: Buffer): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

export interface Range {
	readonly values: readonly Buffer[];
	/** Where the next part begins; undefined after the last one. */
	readonly next: number | undefined;
}

/** A part of an attribute that Active Directory gives in parts (`memberOf;range=0-1499`, the last one `…-*`). */
export function rangeOf(entry: Entry, name: string): Range | undefined {
	const prefix = `${name.toLowerCase()};range=`;
	const attribute = entry.attributes.find(({ type }) => type.toLowerCase().startsWith(prefix));
	return attribute && readRange(attribute, prefix.length);
}

function readRange({ type, values }: Attribute, start: number): Range {
	const last = /^\d+-(\d+)$/.exec(type.slice(start))?.[1];
	return { values, next: last === undefined ? undefined : Number(last) + 1 };
}

/** A GUID as Active Directory and Exchange store it: 16 bytes, the first three fields little-endian (MS-DTYP, 2.3.4). */
const GUID_ATTRIBUTE = /guid$/i;
const GUID_BYTES = 16;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** An identifier as it is stored and compared; undefined for an empty one. */
export function uniqueIdOf(name: string, bytes: Buffer): string | undefined {
	const text = toText(bytes);
	const isGuid = GUID_ATTRIBUTE.test(name) || text === undefined || !PRINTABLE_ASCII.test(text);
	if (bytes.length === GUID_BYTES && isGuid) return guidOf(bytes);
	if (text === undefined || /\p{Cc}/u.test(text)) return bytes.toString("hex");
	return text.trim().toLowerCase() || undefined;
}

/** A value for people: one that is not text is shown as an identifier would be. */
export function shownValue(name: string, bytes: Buffer): string {
	const text = toText(bytes);
	const isText = text !== undefined && !GUID_ATTRIBUTE.test(name) && !/[^\P{Cc}\t\r\n]/u.test(text);
	return (isText ? text : uniqueIdOf(name, bytes)) ?? "";
}

function guidOf(bytes: Buffer): string {
	const ordered = Buffer.from(bytes);
	ordered.subarray(0, 4).swap32();
	ordered.subarray(4, 8).swap16();
	return ordered.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
