import { parentPort } from "node:worker_threads";
import type { CodeFault, CodeOutcome, CodeTask, FromThread, ToThread } from "./code-messages.ts";
import { markLines } from "./mark-lines.ts";
import { loadInterpreter, Sandbox, type SandboxRun } from "./sandbox.ts";
import { stripTypes } from "./strip-types.ts";

/** The thread that runs the code of evaluators, one after the other. Whoever started it ends it when it takes too long. */

/** Instances that wait for the next run of the same code. Each has 16 MiB. */
const MOST_WAITING = 6;
/** Characters of inputs for which an instance may be used again. */
const SMALL = 65_536;

const waiting = new Map<string, Sandbox>();

function tell(message: FromThread): void {
	parentPort?.postMessage(message);
}

async function carryOut(task: CodeTask): Promise<CodeOutcome> {
	const stripped = task.language === "typescript" ? stripTypes(task.source) : task;
	if ("fault" in stripped) {
		const { fault, isBroken } = stripped;
		return { fault, log: "", ...(isBroken ? { endsThread: true } : {}) };
	}
	const inputBytes = task.inputs?.length ?? 0;
	const key = `${task.memoryMib} ${task.source}`;
	// Runs with large inputs have an instance with more memory, for them alone.
	const isSmall = inputBytes <= SMALL;
	const known = isSmall ? waiting.get(key) : undefined;
	waiting.delete(key);
	const sandbox = known ?? (await Sandbox.open(task.memoryMib, Math.max(inputBytes, SMALL)));
	tell("running");
	const start = performance.now();
	const run = { ...task, source: stripped.source, inputs: task.inputs };
	const outcome = sandbox.run(run);
	if (isSmall && !sandbox.isSpent) keep(key, sandbox);
	if (outcome.fault?.code !== "code_error" || task.inputs === undefined) return outcome;
	// The line of these is right.
	if (outcome.fault.message.startsWith("SyntaxError")) return outcome;
	return { fault: await findLine(run, outcome.fault, start + task.timeoutMs), log: outcome.log };
}

/** The fault with the line that it has in marked code, if that fails in the same way and in the time that is left. */
async function findLine(run: SandboxRun, fault: CodeFault, deadline: number): Promise<CodeFault> {
	for (const marks of ["all", "returns"] as const) {
		const marked = markLines(run.source, marks);
		const sandbox = await Sandbox.open(run.memoryMib, Math.max(run.inputs?.length ?? 0, SMALL));
		const timeoutMs = deadline - performance.now();
		if (timeoutMs <= 0) return fault;
		const again = sandbox.run({ ...run, source: marked, timeoutMs }).fault;
		if (again?.line !== undefined && again.message === fault.message) return { ...fault, line: again.line };
	}
	return fault;
}

function keep(key: string, sandbox: Sandbox): void {
	waiting.set(key, sandbox);
	const [oldest] = waiting.keys();
	if (waiting.size > MOST_WAITING && oldest !== undefined) waiting.delete(oldest);
}

parentPort?.on("message", (task: ToThread) => {
	carryOut(task).then(tell, (error: unknown) => {
		throw error;
	});
});

await loadInterpreter();
tell("ready");
