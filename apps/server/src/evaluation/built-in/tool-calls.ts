import { z } from "zod";
import { builtIn, passOrFail } from "./built-in.ts";
import { canonicalJson, compareJson } from "./compare-json.ts";
import { asJson, quote } from "./input-values.ts";

interface Call {
	readonly name: string;
	readonly arguments: unknown;
	/** Of the arguments: the same for the same ones. */
	readonly canonical: string;
}

const MAX_CALLS = 200;

export const toolCallsMatch = builtIn({
	key: "tool_calls_match",
	title: "Tool calls match",
	description: "The tools that were called, with their arguments, are the expected ones.",
	parameters: z.strictObject({
		order: z.enum(["same", "any"]).default("same").describe("Whether they have to be called in the expected order."),
		arguments: z
			.enum(["equal", "include", "ignore"])
			.default("equal")
			.describe("`include`: the expected arguments have to be there, others may be."),
		allow_more: z.boolean().default(false).describe("Other calls, before, between or after, are right."),
	}),
	inputs: [
		{ name: "tool_calls", required: true, description: "A list of {name, arguments}." },
		{ name: "expected", required: true, description: "The same, as it should have been; names alone will do." },
	],
	mapping: {
		run: { tool_calls: { path: "output.tool_calls" }, expected: { path: "expected.tool_calls || expected" } },
		span: { tool_calls: { path: "tool_calls" } },
		trace: { tool_calls: { path: "tool_calls" } },
	},
	output: passOrFail("tool_calls_match"),
	prepare: (options) => (inputs) => {
		const made = readCalls(inputs["tool_calls"], "tool_calls");
		if (typeof made === "string") return { passed: false, explanation: made };
		const expected = readCalls(inputs["expected"], "expected");
		if (typeof expected === "string") return { passed: false, explanation: expected };
		const compare = options.arguments === "equal" ? sameCall : options.arguments === "include" ? includes : sameName;
		const missing =
			options.order === "same"
				? inOrder(made, expected, compare, options.allow_more)
				: inAnyOrder(made, expected, compare);
		const many = `${made.length} called: ${names(made)}; ${expected.length} expected: ${names(expected)}`;
		if (missing !== undefined) {
			return { passed: false, explanation: `${describe(missing)} was not called as expected. ${many}.` };
		}
		const passed = options.allow_more || made.length === expected.length;
		return { passed, explanation: passed ? `All match. ${many}.` : `More were called than expected. ${many}.` };
	},
});

type Compare = (made: Call, expected: Call) => boolean;

const sameName: Compare = (made, expected) => made.name === expected.name;
const sameCall: Compare = (made, expected) => sameName(made, expected) && made.canonical === expected.canonical;
/** Members that only the made call has are no difference. */
const includes: Compare = (made, expected) => sameName(made, expected) && isPart(expected.arguments, made.arguments);

function isPart(part: unknown, whole: unknown): boolean {
	if (!isMembers(part) || !isMembers(whole)) {
		return compareJson(whole, part, { ignore_order: false, ignore_members: [] }).differences === 0;
	}
	return Object.entries(part).every(([key, value]) => Object.hasOwn(whole, key) && isPart(value, whole[key]));
}

/** The first expected call that is not there; undefined when all are. */
function inOrder(
	made: readonly Call[],
	expected: readonly Call[],
	compare: Compare,
	mayHaveMore: boolean,
): Call | undefined {
	let at = 0;
	for (const call of expected) {
		if (mayHaveMore) while (at < made.length && !isMatch(made[at], call, compare)) at += 1;
		if (!isMatch(made[at], call, compare)) return call;
		at += 1;
	}
	return undefined;
}

function isMatch(made: Call | undefined, expected: Call, compare: Compare): boolean {
	return made !== undefined && compare(made, expected);
}

/**
 * Takes for each expected call the first one that fits; those with the most arguments choose first, so that one with few
 * does not take what only the other fits.
 */
function inAnyOrder(made: readonly Call[], expected: readonly Call[], compare: Compare): Call | undefined {
	const left = [...made];
	for (const call of expected.toSorted((a, b) => b.canonical.length - a.canonical.length)) {
		const at = left.findIndex((each) => compare(each, call));
		if (at < 0) return call;
		left.splice(at, 1);
	}
	return undefined;
}

function readCalls(value: unknown, name: string): readonly Call[] | string {
	const read = asJson(value, name);
	const list = "problem" in read ? [value] : Array.isArray(read.json) ? read.json : [read.json];
	if (list.length > MAX_CALLS) return `${name} has more than ${MAX_CALLS} calls.`;
	const calls = list.map(readCall);
	return calls.every((call) => call !== undefined) ? calls : `${name} has what is no call of a tool: ${quote(value)}.`;
}

/** `{name, arguments}`, `{function: {name, arguments}}`, or a name alone. */
function readCall(value: unknown): Call | undefined {
	if (typeof value === "string") return { name: value, arguments: {}, canonical: "{}" };
	if (!isMembers(value)) return undefined;
	const call = isMembers(value["function"]) ? value["function"] : value;
	const { name } = call;
	if (typeof name !== "string") return undefined;
	const given = call["arguments"] ?? {};
	const read = asJson(given, "arguments");
	const parsed = "problem" in read ? given : read.json;
	return { name, arguments: parsed, canonical: canonicalJson(parsed) };
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function names(calls: readonly Call[]): string {
	const shown = calls.slice(0, 20).map(({ name }) => name);
	return `${shown.length === 0 ? "nothing" : shown.join(", ")}${calls.length > 20 ? ", …" : ""}`.slice(0, 500);
}

function describe({ name, arguments: given }: Call): string {
	return `${name}(${quote(given)})`;
}
