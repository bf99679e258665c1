import { describe, expect, test } from "vitest";
import { BerError } from "./ber.ts";
import { readResponse } from "./responses.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const BIND_OK = hex("30 0c 02 01 01 61 07 0a 01 00 04 00 04 00");

describe("a message is read", () => {
	test("with lengths of one byte, or of four as Active Directory writes them", () => {
		const result = { code: 0, diagnostic: "", cookie: undefined };
		expect(readResponse(BIND_OK)).toEqual({ kind: "result", id: 1, operation: "bind", result });
		const long = hex("30 84 00 00 00 10 02 01 01 61 84 00 00 00 07 0a 01 00 04 00 04 00");
		expect(readResponse(long)).toEqual({ kind: "result", id: 1, operation: "bind", result });
	});

	test("with the values of an entry as bytes, whatever they are", () => {
		const entry = hex("30 17 02 01 02 64 12 04 02 63 3d 30 0c 30 0a 04 01 61 31 05 04 00 04 01 ff");
		expect(readResponse(entry)).toEqual({
			kind: "entry",
			id: 2,
			entry: { dn: "c=", attributes: [{ type: "a", values: [Buffer.alloc(0), Buffer.from([0xff])] }] },
		});
	});

	test("with the cookie of paged results", () => {
		const control = hex("a0 23 30 21 04 16 312e322e3834302e3131333535362e312e342e333139 04 07 30 05 02 01 00 04 00");
		const done = hex("65 07 0a 01 00 04 00 04 00");
		const body = Buffer.concat([hex("02 01 03"), done, control]);
		expect(readResponse(Buffer.concat([Buffer.from([0x30, body.length]), body]))).toMatchObject({
			result: { cookie: undefined },
		});
	});
});

describe("a message is refused", () => {
	test.each([
		["that is cut anywhere", Array.from(BIND_OK.keys(), (length) => BIND_OK.subarray(0, length)).slice(1)],
		["with something behind it", [Buffer.concat([BIND_OK, BIND_OK])]],
		["with a result that has no code", [hex("30 05 02 01 01 61 00"), hex("30 09 02 01 01 61 04 04 00 04 00")]],
		["with an empty code", [hex("30 0b 02 01 01 61 06 0a 00 04 00 04 00")]],
		["with an operation that was not asked for", [hex("30 0c 02 01 01 69 07 0a 01 00 04 00 04 00")]],
		["with a value that is longer than its entry", [hex("30 10 02 01 02 64 0b 04 00 30 07 30 05 04 01 61 31 7f")]],
		["with attributes that are longer than it", [hex("30 0c 02 01 02 64 07 04 01 61 30 64 30 00")]],
		[
			"with credentials of the server that are longer than it",
			[hex("30 0e 02 01 01 61 09 0a 01 00 04 00 04 00 87 05")],
		],
		["with controls that are longer than it", [hex("30 0e 02 01 01 61 07 0a 01 00 04 00 04 00 a0 05")]],
		["with a control that is longer than they are", [hex("30 10 02 01 01 61 07 0a 01 00 04 00 04 00 a0 02 30 05")]],
		["with values that are no set", [hex("30 10 02 01 02 64 0b 04 00 30 07 30 05 04 01 61 04 00")]],
		["of an indefinite length", [hex("30 80 02 01 01 61 07 0a 01 00 04 00 04 00 00 00")]],
		["with a tag of several bytes", [hex("3f 81 0c 02 01 01")]],
		["that is text", [Buffer.from("HTTP/1.1 200 OK")]],
	])("%s", (_, messages) => {
		for (const message of messages) expect(() => readResponse(message)).toThrow(BerError);
	});

	test("or read as something, whatever byte of it is changed", () => {
		for (let position = 0; position < BIND_OK.length; position++) {
			for (let value = 0; value < 256; value++) {
				const changed = Buffer.from(BIND_OK);
				changed[position] = value;
				try {
					readResponse(changed);
				} catch (error) {
					expect(error).toBeInstanceOf(BerError);
				}
			}
		}
	});
});
