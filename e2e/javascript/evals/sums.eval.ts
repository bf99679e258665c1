import * as phoenix from "@arizeai/phoenix-client/vitest";
import { expect } from "vitest";

const CASES = [
	{ id: "one", input: { a: 1, b: 1 }, expected: { sum: 2 } },
	{ id: "two", input: { a: 2, b: 2 }, expected: { sum: 4 } },
];

phoenix.describe("js-evals", () => {
	phoenix.test.each(CASES)("sum %i", async ({ input, expected }) => {
		const sum = Number(input["a"]) + Number(input["b"]);
		phoenix.logOutput({ sum });
		phoenix.logAnnotation({ name: "checked", score: 1 });
		const right = phoenix.traceEvaluator(({ output }) => ({
			name: "right",
			score: output === expected?.["sum"] ? 1 : 0,
		}));
		await right({ input, output: sum });
		await phoenix.evaluate({ name: "judged", evaluate: () => ({ score: 0.5 }) });
		expect({ sum }).toEqual(expected);
	});
	phoenix.it("one more", { id: "three", input: { a: 3 }, expected: { sum: 3 } }, ({ input }) => {
		phoenix.logOutput({ sum: input["a"] });
	});
});
