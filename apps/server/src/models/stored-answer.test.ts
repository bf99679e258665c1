import { expect, it } from "vitest";
import { storedAnswer } from "./stored-answer.ts";

const MIB = 1_024 * 1_024;
const EMPTY = { text: "", reasoning: "", tool_calls: [] };

it("keeps an answer of 4 MiB as it is", () => {
	const answer = { ...EMPTY, text: "é".repeat(MIB), reasoning: "r".repeat(2 * MIB) };
	expect(storedAnswer(answer)).toEqual({ answer, isCut: false });
});

it("keeps whole characters of a longer one, and text before calls of tools and reasoning", () => {
	const long = storedAnswer({ ...EMPTY, text: `x${"é".repeat(2 * MIB)}`, reasoning: "r" });
	expect(long.isCut).toBe(true);
	expect(long.answer).toEqual({ ...EMPTY, text: `x${"é".repeat(2 * MIB - 1)}`, reasoning: "r" });
	const call = { id: "1", name: "f", arguments: "a".repeat(2 * MIB) };
	const { answer } = storedAnswer({ text: "t".repeat(3 * MIB), reasoning: "r", tool_calls: [call] });
	expect(answer).toEqual({
		...{ text: "t".repeat(3 * MIB), reasoning: "" },
		tool_calls: [{ ...call, arguments: "a".repeat(MIB) }],
	});
});
