import { expect, test } from "vitest";
import { UserError } from "#base/errors.ts";
import { cursorForm, decodeIdCursor, decodeKeyset, encodeKeyset } from "./cursors.ts";

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
	const position = { id: 7, value: 1_700_000_000_200_000 };
	const cursor = encodeKeyset(cursorForm("start_time"), position);
	expect(Buffer.from(cursor, "base64").toString()).toBe("7:DATETIME:2023-11-14T22:13:20.200000+00:00");
	for (const sort of ["start_time", "end_time", "latency_ms", `score.${"n".repeat(1_000)}`])
		expect(decodeKeyset(cursorForm(sort), encodeKeyset(cursorForm(sort), position))).toEqual(position);
});

test("no cursor is the first page", () => {
	expect(decodeKeyset({ kind: "DATETIME" }, undefined)).toBeUndefined();
	expect(decodeIdCursor("Span", undefined)).toBeUndefined();
});

test("a cursor of another sort, a forged and an oversized one are the caller's error", () => {
	const others = ["latency_ms", "end_time"].map((sort) => encodeKeyset(cursorForm(sort), { id: 7, value: 1 }));
	const forged = Buffer.from("99999999999999999999:DATETIME:now").toString("base64");
	for (const cursor of [...others, forged, "%%%", "U3BhbjoxMg==", "A".repeat(1_024)]) {
		expect(statusOf(() => decodeKeyset(cursorForm("start_time"), cursor))).toBe(422);
	}
	for (const cursor of ["VHJhY2U6NDI=", "nonsense", Buffer.from(`Span:${"9".repeat(30)}`).toString("base64")]) {
		expect(statusOf(() => decodeIdCursor("Span", cursor))).toBe(422);
	}
});
