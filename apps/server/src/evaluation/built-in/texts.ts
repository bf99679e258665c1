import { distance as editDistance } from "fastest-levenshtein";
import { z } from "zod";
import { builtIn, passOrFail, share, UnfitInput } from "./built-in.ts";
import {
	asText,
	asTexts,
	normalized,
	OUTPUT,
	OUTPUT_TEXT,
	optionWords,
	quote,
	TEXTS,
	textOptions,
} from "./input-values.ts";

const text = z.string().max(100_000);
const EXPECTED = { name: "expected", required: true, description: "What it should have been." } as const;

export const exactMatch = builtIn({
	key: "exact_match",
	title: "Exact match",
	description: "The output is the expected text.",
	parameters: z.strictObject(textOptions),
	inputs: [OUTPUT, EXPECTED],
	mapping: TEXTS,
	output: passOrFail("exact_match"),
	prepare: (options) => (inputs) => {
		const passed =
			normalized(asText(inputs["output"], "output"), options) ===
			normalized(asText(inputs["expected"], "expected"), options);
		const relation = passed ? "is" : "is not";
		return {
			passed,
			explanation: `${quote(inputs["output"])} ${relation} ${quote(inputs["expected"])}${optionWords(options)}.`,
		};
	},
});

export const contains = builtIn({
	key: "contains",
	title: "Contains",
	description: "The output has all, any or none of some texts in it.",
	parameters: z.strictObject({
		mode: z.enum(["all", "any", "none"]).default("all"),
		texts: z.array(text.min(1)).min(1).max(1_000).optional().describe("The input `expected` when absent."),
		...textOptions,
	}),
	inputs: [OUTPUT, { name: "expected", required: false, description: "A text or a list, where no texts are set." }],
	mapping: TEXTS,
	output: passOrFail("contains"),
	prepare: ({ mode, texts, ...options }) => {
		const set = texts?.map((each) => normalized(each, options));
		return (inputs) => {
			const wanted = set ?? wantedTexts(inputs["expected"]).map((each) => normalized(each, options));
			const output = normalized(asText(inputs["output"], "output"), options);
			const found = wanted.filter((each) => output.includes(each));
			const passed =
				mode === "all" ? found.length === wanted.length : mode === "any" ? found.length > 0 : found.length === 0;
			const missing = wanted.filter((each) => !found.includes(each));
			const seen = [
				...(found.length > 0 ? [`it has ${quoteSome(found)}`] : []),
				...(missing.length > 0 ? [`it does not have ${quoteSome(missing)}`] : []),
			];
			return { passed, explanation: `Of ${wanted.length} texts, ${mode} should be there: ${seen.join("; ")}.` };
		};
	},
});

function wantedTexts(expected: unknown): readonly string[] {
	if (expected === null || expected === undefined) {
		throw new UnfitInput("bad_output", "no texts are set, and the input expected has none");
	}
	const texts = asTexts(expected, "expected").filter((each) => each !== "");
	if (texts.length === 0) throw new UnfitInput("bad_output", "the input expected is empty");
	if (texts.length > 1_000) throw new UnfitInput("too_long", "the input expected has more than 1000 texts");
	return texts;
}

function quoteSome(texts: readonly string[]): string {
	const shown = texts.slice(0, 5).map(quote).join(", ");
	return texts.length > 5 ? `${shown} and ${texts.length - 5} more` : shown;
}

export const oneOf = builtIn({
	key: "one_of",
	title: "One of",
	description: "The output is one of some texts.",
	parameters: z.strictObject({ values: z.array(text).min(1).max(1_000), ...textOptions }),
	inputs: [OUTPUT],
	mapping: OUTPUT_TEXT,
	output: passOrFail("one_of"),
	prepare: ({ values, ...options }) => {
		const allowed = new Set(values.map((each) => normalized(each, options)));
		return (inputs) => {
			const passed = allowed.has(normalized(asText(inputs["output"], "output"), options));
			const relation = passed ? "is" : "is not";
			return { passed, explanation: `${quote(inputs["output"])} ${relation} one of ${quoteSome(values)}.` };
		};
	},
});

/** Comparing takes time that grows with the product of both lengths. */
const MAX_COMPARED = 20_000;

export const levenshtein = builtIn({
	key: "levenshtein",
	title: "Similarity of texts",
	description:
		"1 less the share of characters to be inserted, deleted or replaced (Levenshtein) to make the expected text of the output.",
	parameters: z.strictObject({
		at_least: z.number().min(0).max(1).default(1).describe("What counts as passed where the output has labels."),
		...textOptions,
	}),
	inputs: [OUTPUT, EXPECTED],
	mapping: TEXTS,
	output: share("similarity", "MAXIMIZE"),
	prepare:
		({ at_least, ...options }) =>
		(inputs) => {
			const output = normalized(asText(inputs["output"], "output"), options);
			const expected = normalized(asText(inputs["expected"], "expected"), options);
			for (const [name, each] of Object.entries({ output, expected })) {
				if (each.length > MAX_COMPARED) {
					throw new UnfitInput(
						"too_long",
						`${name} has more than ${MAX_COMPARED} characters, the most that are compared`,
					);
				}
			}
			const length = Math.max(output.length, expected.length);
			const edits = editDistance(output, expected);
			const value = length === 0 ? 1 : 1 - edits / length;
			return {
				passed: value >= at_least,
				value,
				explanation: `${edits} of ${length} characters differ between ${quote(inputs["output"])} and ${quote(inputs["expected"])}.`,
			};
		},
});

const UNITS = {
	characters: (output: string) => [...output].length,
	words: (output: string) => output.match(/\S+/g)?.length ?? 0,
	lines: (output: string) => (output === "" ? 0 : output.split("\n").length),
};

export const length = builtIn({
	key: "length",
	title: "Length",
	description: "How long the output is, and whether that is within bounds.",
	parameters: z
		.strictObject({
			unit: z.enum(["characters", "words", "lines"]).default("characters"),
			minimum: z.int().min(0).optional(),
			maximum: z.int().min(0).optional(),
		})
		.refine(({ minimum = 0, maximum = Infinity }) => minimum <= maximum, {
			path: ["maximum"],
			message: "maximum must not be less than minimum",
		}),
	inputs: [OUTPUT],
	mapping: OUTPUT_TEXT,
	output: passOrFail("length"),
	prepare:
		({ unit, minimum = 0, maximum = Infinity }) =>
		(inputs) => {
			const value = UNITS[unit](asText(inputs["output"], "output"));
			const bounds = `${minimum} to ${maximum === Infinity ? "any number" : maximum}`;
			return {
				passed: value >= minimum && value <= maximum,
				value,
				explanation: `The output has ${value} ${unit}; wanted are ${bounds}.`,
			};
		},
});
