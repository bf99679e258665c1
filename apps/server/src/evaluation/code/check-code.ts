import type { EvaluatorVersion } from "../evaluator-version.ts";
import type { CodeRunner } from "./code-pool.ts";
import { faultMessage } from "./evaluate-code.ts";

/** What keeps code from being run at all, such as a syntax error; undefined for nothing, and where no code is run. */
export async function codeProblem(
	code: CodeRunner,
	version: Extract<EvaluatorVersion, { kind: "CODE" }>,
): Promise<string | undefined> {
	const { language, source, timeout_ms: timeoutMs, memory_mib: memoryMib } = version;
	const { fault } = await code.run({ language, source, timeoutMs, memoryMib });
	return fault === undefined || fault.code === "code_off" ? undefined : faultMessage(fault);
}
