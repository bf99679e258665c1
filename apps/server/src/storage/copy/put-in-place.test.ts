import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { putInPlace } from "./put-in-place.ts";

test("databases that are replaced within a second are all kept", () => {
	const folder = mkdtempSync(join(tmpdir(), "spanward-place-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const path = join(folder, "spanward.db");
	const now = new Date("2026-01-02T03:04:05.678Z");
	const put = (content: string) => {
		writeFileSync(`${path}.new`, content);
		return putInPlace(`${path}.new`, path, now);
	};
	expect(put("first")).toBeUndefined();
	const kept = [put("second"), put("third"), put("fourth")];
	expect(kept).toEqual(["", "-2", "-3"].map((ending) => `${path}.replaced-20260102T030405Z${ending}`));
	expect(kept.map((file) => readFileSync(file ?? "", "utf8"))).toEqual(["first", "second", "third"]);
	expect(readFileSync(path, "utf8")).toBe("fourth");
	expect(readdirSync(folder)).toHaveLength(4);
});
