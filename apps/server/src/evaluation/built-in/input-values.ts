import { z } from "zod";
import { parseExactJson } from "#http/exact-json.ts";
import { toJsonText } from "#http/json-values.ts";
import { UnfitInput } from "./built-in.ts";

/** How inputs are read as texts, numbers and JSON, and how explanations quote them. */

/** Characters of an input. Built-in evaluators work between requests, so each must be short. */
const MAX_TEXT = 1_000_000;
const QUOTED = 200;

export const textOptions = {
	ignore_case: z.boolean().default(false).describe("Upper and lower case are the same."),
	whitespace: z
		.enum(["keep", "trim", "collapse"])
		.default("trim")
		.describe("`trim` leaves out what is at both ends, `collapse` also makes one space of each white space within."),
	normalize_unicode: z
		.boolean()
		.default(true)
		.describe("Texts are compared in Unicode's form NFC, so that é is é however it is encoded."),
};

export type TextOptions = z.output<z.ZodObject<typeof textOptions>>;

/** A text as it is, everything else as JSON. @throws UnfitInput */
export function asText(value: unknown, name: string): string {
	const text = typeof value === "string" ? value : toJsonText(value);
	if (text.length > MAX_TEXT) {
		throw new UnfitInput("too_long", `${name} has more than ${MAX_TEXT} characters`);
	}
	return text;
}

/** A text as it is compared. */
export function normalized(text: string, options: TextOptions): string {
	let result = options.normalize_unicode ? text.normalize("NFC") : text;
	if (options.whitespace !== "keep") result = result.trim();
	if (options.whitespace === "collapse") result = result.replaceAll(/\s+/g, " ");
	return options.ignore_case ? result.toLowerCase() : result;
}

/** How texts were compared, to end a sentence; empty when as they are. */
export function optionWords({ ignore_case, whitespace }: TextOptions): string {
	const words = [
		...(ignore_case ? ["case does not count"] : []),
		...(whitespace === "collapse" ? ["white space counts as one space"] : []),
	];
	return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

/** Texts of a parameter or an input: one text, or a list. @throws UnfitInput */
export function asTexts(value: unknown, name: string): readonly string[] {
	return Array.isArray(value) ? value.map((item) => asText(item, name)) : [asText(value, name)];
}

/** A text is read as JSON, everything else is JSON. Undefined for a text that is none. */
export function asJson(value: unknown, name: string): { readonly json: unknown } | { readonly problem: string } {
	if (typeof value !== "string") return { json: value };
	const text = asText(value, name);
	try {
		return { json: parseExactJson(text, /\d{16}/.test(text)) };
	} catch (error) {
		if (error instanceof SyntaxError) return { problem: error.message.slice(0, QUOTED) };
		throw error;
	}
}

/** A value in an explanation: its JSON, cut in its middle. */
export function quote(value: unknown): string {
	const text = toJsonText(value) ?? "nothing";
	if (text.length <= QUOTED) return text.toWellFormed();
	const half = QUOTED / 2;
	return `${text.slice(0, half)} … ${text.slice(-half)}`.toWellFormed();
}

export const OUTPUT = { name: "output", required: true, description: "What the application answered." } as const;

/** Where the texts of an output and an expectation are in each kind of target. */
export const TEXTS = {
	run: { output: { path: "output_text" }, expected: { path: "expected_text" } },
	span: { output: { path: "output_text" } },
	trace: { output: { path: "output_text" } },
	session: { output: { path: "last_output" } },
};

/** The same for evaluators that expect nothing of their own. */
export const OUTPUT_TEXT = {
	run: { output: { path: "output_text" } },
	span: { output: { path: "output_text" } },
	trace: { output: { path: "output_text" } },
	session: { output: { path: "last_output" } },
};

/** Where outputs and expectations are as data. */
export const DATA = {
	run: { output: { path: "output" }, expected: { path: "expected" } },
	span: { output: { path: "output" } },
	trace: { output: { path: "output" } },
};
