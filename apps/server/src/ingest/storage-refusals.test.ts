import { expect, test } from "vitest";
import { StorageRefusals } from "./storage-refusals.ts";

function refusalsWithLog() {
	const lines: unknown[] = [];
	let seconds = 0;
	const write = (details: object, message: string) => void lines.push({ ...details, message });
	const refusals = new StorageRefusals({ warn: write, error: write }, () => seconds * 1_000_000);
	const wait = (more: number) => {
		seconds += more;
	};
	return { lines, refusals, wait };
}

const FULL = { reason: "full", detail: "database or disk is full", requests: 1 } as const;

test("logs the first refusal at once, and what comes after it once a minute, counted", () => {
	const { lines, refusals, wait } = refusalsWithLog();
	refusals.refused(FULL);
	for (let request = 0; request < 119; request += 1) {
		wait(0.5);
		refusals.refused(FULL);
	}
	expect(lines).toEqual([expect.objectContaining({ reason: "full", detail: FULL.detail, refused: 1 })]);
	wait(1);
	refusals.refused({ ...FULL, requests: 3 });
	expect(lines).toHaveLength(2);
	expect(lines[1]).toMatchObject({ refused: 122, since: "the line before" });
});

test("logs another reason at once, and says when exports are stored again and how many were refused", () => {
	const { lines, refusals } = refusalsWithLog();
	refusals.stored();
	refusals.refused(FULL);
	refusals.refused(FULL);
	refusals.refused({ ...FULL, reason: "read_only", detail: "attempt to write a readonly database" });
	expect(lines.map((line) => line)).toMatchObject([
		{ reason: "full", refused: 1 },
		{ reason: "read_only", refused: 2 },
	]);
	refusals.stored();
	refusals.stored();
	expect(lines.slice(2)).toEqual([{ message: "exports are stored again", refused: 3 }]);
	refusals.refused(FULL);
	expect(lines.at(-1)).toMatchObject({ reason: "full", refused: 1 });
});

test("a refusal is current until an export is stored, or nobody was refused for a minute", () => {
	const { refusals, wait } = refusalsWithLog();
	expect(refusals.current).toBeUndefined();
	refusals.refused(FULL);
	wait(59);
	expect(refusals.current).toBe("full");
	refusals.refused({ ...FULL, reason: "read_only" });
	wait(59);
	expect(refusals.current).toBe("read_only");
	refusals.stored();
	expect(refusals.current).toBeUndefined();
	refusals.refused(FULL);
	wait(60);
	expect(refusals.current).toBeUndefined();
});
