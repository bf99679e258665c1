import { ValidationError } from "#base/errors.ts";
import type { CodeRunner } from "#evaluation/code/code-pool.ts";
import type { EvaluatorVersion } from "#evaluation/evaluator-version.ts";

/**
 * Code that cannot be run at all is refused where somebody can still change it. `version` is in the body of a request.
 * @throws ValidationError at its source
 */
export async function assertRunnable(code: CodeRunner, version: EvaluatorVersion): Promise<void> {
	if (version.kind !== "CODE") return;
	const { codeProblem } = await import("#evaluation/code/check-code.ts");
	const problem = await codeProblem(code, version);
	if (problem === undefined) return;
	throw new ValidationError([
		{ type: "value_error", loc: ["body", "version", "source"], msg: `Value error, ${problem}` },
	]);
}
