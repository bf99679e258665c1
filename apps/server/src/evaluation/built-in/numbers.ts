import { z } from "zod";
import { builtIn, passOrFail } from "./built-in.ts";
import { asText, quote, TEXTS } from "./input-values.ts";

const NUMBER = /[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?/g;
/** A number is looked for in so many characters at the beginning or the end. */
const SEARCHED = 10_000;

export const numberWithin = builtIn({
	key: "number_within",
	title: "Number within a tolerance",
	description: "The number in the output is the expected one, give or take a tolerance.",
	parameters: z.strictObject({
		absolute: z.number().min(0).optional().describe("Difference that is still right; 0 when neither is set."),
		relative: z.number().min(0).optional().describe("The same as a share of the expected number, such as 0.01."),
		number: z
			.enum(["whole", "first", "last"])
			.default("whole")
			.describe("Whether the output is a number, or the first or last one in a text is meant."),
	}),
	inputs: [
		{ name: "output", required: true, description: "A number, or a text with one." },
		{ name: "expected", required: true, description: "The number that it should have been." },
	],
	mapping: TEXTS,
	output: passOrFail("number_within"),
	prepare:
		({ absolute, relative, number }) =>
		(inputs) => {
			const output = readNumber(inputs["output"], number);
			const expected = readNumber(inputs["expected"], number === "whole" ? "whole" : "first");
			if (expected === undefined) {
				return { passed: false, explanation: `What is expected has no number: ${quote(inputs["expected"])}.` };
			}
			if (output === undefined) {
				return { passed: false, explanation: `The output has no number: ${quote(inputs["output"])}.` };
			}
			const tolerance = Math.max(absolute ?? 0, (relative ?? 0) * Math.abs(expected));
			const difference = Math.abs(output - expected);
			// Decimal fractions are not exact: 0.3 - 0.2 is more than 0.1.
			const slack = Number.EPSILON * Math.max(Math.abs(output), Math.abs(expected)) * 2;
			return {
				passed: difference <= tolerance + slack,
				explanation: `${output} differs from ${expected} by ${difference}; at most ${tolerance} is right.`,
			};
		},
});

function readNumber(value: unknown, which: "whole" | "first" | "last"): number | undefined {
	if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
	const text = asText(value, "output").trim();
	if (which === "whole") return toNumber(text);
	const part = which === "first" ? text.slice(0, SEARCHED) : text.slice(-SEARCHED);
	const found = part.match(NUMBER) ?? [];
	const chosen = which === "first" ? found[0] : found.at(-1);
	return chosen === undefined ? undefined : toNumber(chosen);
}

/** Commas between digits group them: 1,234.5 */
function toNumber(text: string): number | undefined {
	const plain = text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, "").replace(/[.,]$/, "");
	const number = plain === "" ? Number.NaN : Number(plain);
	return Number.isFinite(number) ? number : undefined;
}
