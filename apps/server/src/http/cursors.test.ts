import { expect, test } from "vitest";
import { UserError } from "#base/errors.ts";
import { decodeIdCursor, decodeKeyset, encodeKeyset } from "./cursors.ts";

test("a bad cursor of spans is reported without its text, others with it", () => {
	expect(() => decodeIdCursor("Span", "nonsense")).toThrow(/^Invalid cursor$/);
	expect(() => decodeIdCursor("Project", "nonsense")).toThrow(/^Invalid cursor format: nonsense$/);
});

function statusOf(work: () => unknown): number | undefined {
	try {
		work();
	} catch (error) {
		return error instanceof UserError ? error.status : 500;
	}
	return undefined;
}

test("a keyset cursor says row, kind and value", () => {
	const cursor = encodeKeyset("DATETIME", { id: 7, value: 1_700_000_000_200_000 });
	expect(Buffer.from(cursor, "base64").toString()).toBe("7:DATETIME:2023-11-14T22:13:20.200000+00:00");
	expect(decodeKeyset("DATETIME", cursor)).toEqual({ id: 7, value: 1_700_000_000_200_000 });
	expect(decodeKeyset("FLOAT", encodeKeyset("FLOAT", { id: 7, value: 0.125 }))).toEqual({ id: 7, value: 0.125 });
});

test("no cursor is the first page", () => {
	expect(decodeKeyset("DATETIME", undefined)).toBeUndefined();
	expect(decodeIdCursor("Span", undefined)).toBeUndefined();
});

test("a cursor of another sort, a forged and an oversized one are the caller's error", () => {
	const float = encodeKeyset("FLOAT", { id: 7, value: 1 });
	const forged = Buffer.from("99999999999999999999:DATETIME:now").toString("base64");
	for (const cursor of [float, forged, "%%%", "U3BhbjoxMg==", "A".repeat(1_024)]) {
		expect(statusOf(() => decodeKeyset("DATETIME", cursor))).toBe(422);
	}
	for (const cursor of ["VHJhY2U6NDI=", "nonsense", Buffer.from(`Span:${"9".repeat(30)}`).toString("base64")]) {
		expect(statusOf(() => decodeIdCursor("Span", cursor))).toBe(422);
	}
});
