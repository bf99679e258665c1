import { z } from "zod";
import type { MappingByTarget } from "../mapping.ts";
import { type BuiltIn, builtIn, passOrFail, UnfitInput } from "./built-in.ts";
import { quote } from "./input-values.ts";

/** Evaluators of what an answer cost: time, dollars, tokens; and of errors. */

function below<Key extends string>({
	input,
	parameter,
	path,
	unit,
	...rest
}: {
	readonly key: string;
	readonly title: string;
	readonly description: string;
	readonly input: string;
	readonly parameter: Key;
	readonly path: MappingByTarget;
	readonly unit: string;
}): BuiltIn {
	const parameters = z.strictObject({ [parameter]: z.number().min(0) } as Record<Key, z.ZodNumber>);
	return builtIn({
		...rest,
		parameters,
		inputs: [{ name: input, required: true, description: `In ${unit}.` }],
		mapping: path,
		output: passOrFail(rest.key),
		prepare: (given) => {
			const most = Number(Reflect.get(given, parameter));
			return (inputs) => {
				const value = inputs[input];
				if (typeof value !== "number") throw new UnfitInput("bad_output", `${input} is no number: ${quote(value)}`);
				const passed = value < most;
				return { passed, value, explanation: `${value} ${unit} ${passed ? "is" : "is not"} below ${most}.` };
			};
		},
	});
}

export const latencyBelow = below({
	key: "latency_below",
	title: "Latency below",
	description: "The answer took less than so many milliseconds.",
	input: "latency_ms",
	parameter: "milliseconds",
	unit: "ms",
	path: {
		run: { latency_ms: { path: "run.latency_ms" } },
		span: { latency_ms: { path: "latency_ms" } },
		trace: { latency_ms: { path: "latency_ms" } },
	},
});

export const costBelow = below({
	key: "cost_below",
	title: "Cost below",
	description: "The answer cost less than so many dollars.",
	input: "cost",
	parameter: "dollars",
	unit: "dollars",
	path: {
		run: { cost: { path: "run.cost" } },
		span: { cost: { path: "cost" } },
		trace: { cost: { path: "cost" } },
	},
});

export const tokensBelow = below({
	key: "tokens_below",
	title: "Tokens below",
	description: "The answer took fewer than so many tokens, input and output together.",
	input: "tokens",
	parameter: "tokens",
	unit: "tokens",
	path: {
		run: { tokens: { path: "run.tokens" } },
		span: { tokens: { path: "tokens.total" } },
		trace: { tokens: { path: "tokens.total" } },
	},
});

export const noError = builtIn({
	key: "no_error",
	title: "No error",
	description: "Nothing failed.",
	parameters: z.strictObject({}),
	inputs: [{ name: "error", required: false, description: "Null where nothing failed." }],
	mapping: {
		run: { error: { path: "run.error" } },
		span: { error: { path: "error" } },
		trace: { error: { path: "error" } },
	},
	output: passOrFail("no_error"),
	prepare: () => (inputs) => {
		const { error = null } = inputs;
		const passed = error === null;
		return { passed, explanation: passed ? "There is no error." : `There is an error: ${quote(error)}.` };
	},
});
