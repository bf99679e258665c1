import { z } from "zod";
import { refuseWith } from "#base/refuse-with.ts";
import { builtIn, passOrFail } from "./built-in.ts";
import { asText, OUTPUT, OUTPUT_TEXT, quote } from "./input-values.ts";
import { linearRegex, linearRegexProblem } from "./linear-regex.ts";

/** A pattern in parameters. */
export const linearPattern = z.string().min(1).max(10_000).superRefine(refuseWith(linearRegexProblem));

export const regex = builtIn({
	key: "regex",
	title: "Regular expression",
	description:
		"The output matches a regular expression, or does not. The syntax is RE2's, which has no look-around and no back references, so that no text takes long.",
	parameters: z.strictObject({
		pattern: linearPattern,
		mode: z
			.enum(["anywhere", "whole", "nowhere"])
			.default("anywhere")
			.describe("Where it has to match: anywhere in the output, the output as a whole, or nowhere."),
		ignore_case: z.boolean().default(false),
		multiline: z.boolean().default(false).describe("^ and $ match at lines, too."),
		dot_all: z.boolean().default(false).describe("A dot matches the end of a line, too."),
	}),
	inputs: [OUTPUT],
	mapping: OUTPUT_TEXT,
	output: passOrFail("regex"),
	prepare: ({ pattern, mode, ignore_case, multiline, dot_all }) => {
		const compiled = linearRegex(pattern, { ignoreCase: ignore_case, multiline, dotAll: dot_all });
		return (inputs) => {
			const output = asText(inputs["output"], "output");
			if (mode === "whole") {
				const passed = compiled.matches(output);
				const relation = passed ? "is" : "is not";
				return { passed, explanation: `${quote(output)} as a whole ${relation} a match of /${pattern}/.` };
			}
			const found = compiled.find(output);
			return {
				passed: (found !== undefined) === (mode === "anywhere"),
				explanation:
					found === undefined
						? `Nothing in ${quote(output)} matches /${pattern}/.`
						: `${quote(found)} in the output matches /${pattern}/.`,
			};
		};
	},
});
