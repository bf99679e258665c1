import { expect, test } from "vitest";
import { storageTexts } from "../../../texts/storage-en.ts";
import { adviceFor } from "./node-advice.ts";

const ADVICE = storageTexts.advice;
const WELL = { state: "ok", free_bytes: 100, total_bytes: 1_000, active_parts_max: 1_000 } as const;

test("nothing is said of a node that is well, nor of one that tells nothing", () => {
	expect(adviceFor(WELL)).toBeUndefined();
	expect(adviceFor({ ...WELL, free_bytes: null, total_bytes: null, active_parts_max: null })).toBeUndefined();
});

test("parts that merges do not keep up with, and a disk that is nearly full, are said before they stop anything", () => {
	expect(adviceFor({ ...WELL, active_parts_max: 1_001 })).toBe(ADVICE.manyParts);
	expect(adviceFor({ ...WELL, free_bytes: 99 })).toBe(ADVICE.littleRoom);
});

test.each(["behind", "read_only", "full", "unreachable"] as const)("what to do about %s comes first", (state) => {
	expect(adviceFor({ ...WELL, state, active_parts_max: 5_000, free_bytes: 0 })).toBe(ADVICE[state]);
});
