import { type TextReader, take } from "./text-reader.ts";

/** Types that are also written in other ways (RFC 4519, RFC 4524, RFC 2985). */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
	c: ["2.5.4.6", "countryname"],
	cn: ["2.5.4.3", "commonname"],
	dc: ["0.9.2342.19200300.100.1.25", "domaincomponent"],
	email: ["1.2.840.113549.1.9.1", "emailaddress", "e"],
	gn: ["2.5.4.42", "givenname"],
	l: ["2.5.4.7", "localityname"],
	mail: ["0.9.2342.19200300.100.1.3", "rfc822mailbox"],
	o: ["2.5.4.10", "organizationname"],
	ou: ["2.5.4.11", "organizationalunitname"],
	serialnumber: ["2.5.4.5"],
	sn: ["2.5.4.4", "surname"],
	st: ["2.5.4.8", "stateorprovincename"],
	street: ["2.5.4.9", "streetaddress"],
	title: ["2.5.4.12"],
	uid: ["0.9.2342.19200300.100.1.1", "userid"],
};
const NAMES: ReadonlyMap<string, string> = new Map(
	Object.entries(OTHER_NAMES).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
);

const TYPE = /[ ]*(?:oid\.)?([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)[ ]*=[ ]*/iy;
const HEX_VALUE = /#((?:[0-9A-Fa-f]{2})+)[ ]*(?=[,+]|$)/y;
/** One escape, or as many unescaped characters as there are. */
const PIECE = /\\(?:([0-9A-Fa-f]{2})|([ "#+,;<=>\\]))|([^\\",;+<>\0]+)/y;
const QUOTED_PIECE = /\\(?:([0-9A-Fa-f]{2})|([ "#+,;<=>\\]))|([^\\"\0]+)/y;

/**
 * The canonical form of a DN (RFC 4514, and the quotes of RFC 1779), the same for all ways to write it; undefined for a
 * text that is not a DN. Types are lower-case names, values are folded as directories compare them, parts of an RDN are
 * sorted.
 */
export function canonicalDn(text: string): string | undefined {
	if (text.trim() === "") return "";
	const reader = { text, at: 0 };
	const rdns: string[] = [];
	let rdn = new Set<string>();
	while (true) {
		const part = readPart(reader);
		if (part === undefined) return undefined;
		rdn.add(part);
		const separator = text[reader.at];
		if (separator !== "+") {
			rdns.push([...rdn].sort().join("+"));
			rdn = new Set();
		}
		if (separator === undefined) return rdns.join(",");
		if (separator !== "," && separator !== "+") return undefined;
		reader.at += 1;
	}
}

/** `type=value` up to the separator behind it. */
function readPart(reader: TextReader): string | undefined {
	const [, type = ""] = take(reader, TYPE) ?? [];
	if (type === "") return undefined;
	const bytes = reader.text[reader.at] === "#" ? readHex(reader) : readText(reader);
	if (bytes === undefined || bytes.length === 0) return undefined;
	const lower = type.toLowerCase();
	return `${NAMES.get(lower) ?? lower}=${canonicalValue(bytes)}`;
}

function readText(reader: TextReader): Buffer | undefined {
	const isQuoted = reader.text[reader.at] === '"';
	if (isQuoted) reader.at += 1;
	const pieces: Buffer[] = [];
	let piece = take(reader, isQuoted ? QUOTED_PIECE : PIECE);
	while (piece !== undefined) {
		const [, hex, escaped, plain = ""] = piece;
		pieces.push(hex === undefined ? Buffer.from(escaped ?? plain) : Buffer.from(hex, "hex"));
		piece = take(reader, isQuoted ? QUOTED_PIECE : PIECE);
	}
	if (isQuoted && take(reader, /"[ ]*/y) === undefined) return undefined;
	return Buffer.concat(pieces);
}

/** `#` and the hexadecimal digits of a value in BER: the text in it, or the BER itself when it holds no text. */
function readHex(reader: TextReader): Buffer | undefined {
	const [, hex] = take(reader, HEX_VALUE) ?? [];
	if (hex === undefined) return undefined;
	const ber = Buffer.from(hex, "hex");
	const [tag = 0, length = 0] = ber;
	const sizeBytes = length > 0x80 && length <= 0x84 ? length - 0x80 : 0;
	if (length >= 0x80 && sizeBytes === 0) return undefined;
	const start = 2 + sizeBytes;
	if (ber.length < start) return undefined;
	const size = sizeBytes === 0 ? length : ber.readUIntBE(2, sizeBytes);
	if (ber.length !== start + size) return undefined;
	return decodeString(tag, ber.subarray(start)) ?? ber;
}

const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const ASCII_STRINGS = [0x12, 0x13, 0x16, 0x1a];
const TELETEX_STRING = 0x14;
const BMP_STRING = 0x1e;

function decodeString(tag: number, content: Buffer): Buffer | undefined {
	if (tag === OCTET_STRING || tag === UTF8_STRING || ASCII_STRINGS.includes(tag)) return content;
	if (tag === TELETEX_STRING) return Buffer.from(content.toString("latin1"));
	if (tag === BMP_STRING && content.length % 2 === 0) {
		return Buffer.from(Buffer.from(content).swap16().toString("utf16le"));
	}
	return undefined;
}

/** Folds compatibility forms, case and the number of spaces, much as RFC 4518 prepares values that ignore case. */
function canonicalValue(bytes: Buffer): string {
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return `#${bytes.toString("hex")}`;
	}
	const folded = text.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
	const spaced = folded.replace(/\s+/g, " ").replace(/(?<=.) $|^ (?=.)/g, "");
	return spaced.replace(/[\\",;+<>=\0]|^#|^ | $/g, (character) => (character === "\0" ? "\\00" : `\\${character}`));
}
