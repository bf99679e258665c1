import { BerError, expectElement, expectInteger, readElements, TAG } from "./ber.ts";

/** A server's answer to a request, as far as it is used here (RFC 4511, 4.1.1). */
export type Response =
	| { readonly kind: "entry"; readonly id: number; readonly entry: Entry }
	/** A continuation reference: nobody follows it. */
	| { readonly kind: "reference"; readonly id: number }
	| { readonly kind: "result"; readonly id: number; readonly operation: Operation; readonly result: Result };

export interface Entry {
	readonly dn: string;
	readonly attributes: readonly Attribute[];
}

export interface Attribute {
	/** With its options, such as `memberOf;range=0-1499`. */
	readonly type: string;
	readonly values: readonly Buffer[];
}

export interface Result {
	readonly code: number;
	/** The server's own words; may hold anything. */
	readonly diagnostic: string;
	/** Of paged results: where the next page begins; undefined after the last one. */
	readonly cookie: Buffer | undefined;
}

export type Operation = "bind" | "search" | "extended";

const OPERATIONS: ReadonlyMap<number, Operation> = new Map([
	[0x61, "bind"],
	[0x65, "search"],
	[0x78, "extended"],
]);

const ENTRY = 0x64;
const REFERENCE = 0x73;
const CONTROLS = 0xa0;
/** RFC 2696 */
const PAGED_RESULTS = "1.2.840.113556.1.4.319";

/**
 * Reads one whole message, strictly: an incomplete message must never count as success.
 * @throws BerError
 */
export function readResponse(message: Buffer): Response {
	const [envelope, ...more] = readElements(message, TAG.sequence);
	if (more.length > 0) throw new BerError("more than one message");
	const [idElement, body, controls] = readElements(expectElement(envelope, TAG.sequence));
	const id = expectInteger(idElement);
	if (body === undefined) throw new BerError("a message without an operation");
	if (body.tag === ENTRY) return { kind: "entry", id, entry: readEntry(body.content) };
	if (body.tag === REFERENCE) return { kind: "reference", id };
	const operation = OPERATIONS.get(body.tag);
	if (operation === undefined) throw new BerError("an operation that was not asked for");
	const [code, matched, diagnostic] = readElements(body.content);
	expectElement(matched, TAG.octets);
	return {
		kind: "result",
		id,
		operation,
		result: {
			code: expectInteger(code, TAG.enumerated),
			diagnostic: expectElement(diagnostic, TAG.octets).toString("utf8"),
			cookie: controls?.tag === CONTROLS ? readCookie(controls.content) : undefined,
		},
	};
}

function readEntry(content: Buffer): Entry {
	const [dn, attributes] = readElements(content);
	return {
		dn: expectElement(dn, TAG.octets).toString("utf8"),
		attributes: readElements(expectElement(attributes, TAG.sequence), TAG.sequence).map((attribute) => {
			const [type, values] = readElements(attribute.content);
			return {
				type: expectElement(type, TAG.octets).toString("utf8"),
				values: readElements(expectElement(values, TAG.set), TAG.octets).map((value) => value.content),
			};
		}),
	};
}

function readCookie(controls: Buffer): Buffer | undefined {
	for (const control of readElements(controls, TAG.sequence)) {
		const [type, ...rest] = readElements(control.content);
		if (expectElement(type, TAG.octets).toString("latin1") !== PAGED_RESULTS) continue;
		const [value] = readElements(expectElement(rest.at(-1), TAG.octets), TAG.sequence);
		const [, cookie] = readElements(expectElement(value, TAG.sequence));
		const bytes = expectElement(cookie, TAG.octets);
		return bytes.length === 0 ? undefined : Buffer.from(bytes);
	}
	return undefined;
}
