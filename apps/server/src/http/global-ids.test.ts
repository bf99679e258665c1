import { expect, test } from "vitest";
import { decodeGlobalId, encodeGlobalId } from "./global-ids.ts";

test("ids are base64 of type and number, with padding", () => {
	expect(encodeGlobalId("Project", 1)).toBe("UHJvamVjdDox");
	expect(encodeGlobalId("Trace", 42)).toBe("VHJhY2U6NDI=");
});

test("a type may have a digit in its name", () => {
	expect(decodeGlobalId(encodeGlobalId("OAuth2Client", 7), "OAuth2Client")).toBe(7);
});

test("padding may be missing", () => {
	expect(decodeGlobalId("VHJhY2U6NDI=", "Trace")).toBe(42);
	expect(decodeGlobalId("VHJhY2U6NDI", "Trace")).toBe(42);
});

test("an id of another type, a forged one and plain names are none", () => {
	expect(decodeGlobalId("UHJvamVjdDox", "Trace")).toBeUndefined();
	for (const text of [
		"",
		"default",
		"VHJhY2U6",
		Buffer.from("Trace:-1").toString("base64"),
		Buffer.from("Trace:99999999999999999999").toString("base64"),
		"a".repeat(5_000),
	]) {
		expect(decodeGlobalId(text, "Trace")).toBeUndefined();
	}
});
