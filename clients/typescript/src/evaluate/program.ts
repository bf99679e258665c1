import {
	ApiError,
	AuthenticationError,
	ConnectionError,
	PermissionError,
	ServerError,
	TooManyRequestsError,
} from "../api-error.ts";
import { JobNotDoneError } from "../experiments/server-evaluators.ts";
import { ResultsNotStoredError } from "../experiments/unstored.ts";
import type { Spanward } from "../spanward.ts";
import { readGateArguments, readRunArguments } from "./arguments.ts";
import { EXIT, ProgramFailure, usageFailure } from "./exit.ts";
import { gate } from "./gate.ts";
import { type Io, oneLine } from "./io.ts";
import { run } from "./run.ts";

export const HELP = `Usage: spanward-eval run --dataset <name> --task <file> [options]
       spanward-eval run --dataset <name> --prompt <name>[@<tag>] --connection <name> [options]
       spanward-eval run --experiment <id> [--task <file>] [options]    goes on with one
       spanward-eval gate --experiment <id> --require <requirement>… [options]

Runs an experiment on a dataset, and fails a build where it does not meet requirements.

  --task <file>           module that exports the function task, or file:name
  --prompt <name>[@tag]   the server runs this prompt, over --connection with --model
  --max-cost <dollars>    what the server may spend; at the limit it pauses
  --evaluator <file>      module that exports evaluators, or file:name; or the name of one of the server; repeatable
  --repetitions <n>       runs of each example; 1 unless told otherwise
  --concurrency <n>       tasks at a time; 5 unless told otherwise
  --split <name>          only these examples of the dataset; repeatable
  --version-id <id>       of the dataset; the newest unless told otherwise
  --name <name>           of the experiment
  --no-trace              no traces of the runs

  --require <text>        such as "mean('correctness') >= 0.8"; repeatable
  --baseline <id>         experiment to compare with, or tag:<name>
  --baseline-optional     the baseline need not be there
  --allow-incomplete      the experiment need not be finished
  --junit <file>          write a test report
  --markdown <file>       write a comment
  --tag-on-pass <name>    move this tag to the experiment if it passes
  --json                  print the result for programs

  --url <address>         of the server; else SERVICE_COLLECTOR_ENDPOINT. The key is in SERVICE_API_KEY

Exit codes: 0 passed, 1 not passed, 2 not finished, 64 wrong use, 69 server not reached, 77 refused.
`;

/** Runs the program spanward-eval. @returns the exit code */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
	try {
		const [command, ...args] = argv;
		if (command === "--help" || args.includes("--help")) {
			io.stdout.write(HELP);
			return EXIT.passed;
		}
		if (command === "run") {
			const given = readRunArguments(args);
			return await run(connect(given.url, io), io, given);
		}
		if (command === "gate") {
			const given = readGateArguments(args);
			return await gate(connect(given.url, io), given.experiment, io, given);
		}
		throw usageFailure(
			command === undefined ? "A command is missing: run or gate." : "There are the commands run and gate.",
		);
	} catch (error) {
		const { exitCode, message } = toFailure(error);
		const lines = message.split("\n").map(oneLine);
		io.stderr.write(`${lines.join("\n")}${exitCode === EXIT.usage ? " spanward-eval --help says more." : ""}\n`);
		return exitCode;
	}
}

function connect(url: string | undefined, io: Io): Spanward {
	if (url !== undefined && !URL.canParse(url)) throw usageFailure("--url is no address.");
	return io.connect(url);
}

function toFailure(error: unknown): ProgramFailure {
	if (error instanceof ProgramFailure) return error;
	if (error instanceof ResultsNotStoredError) {
		const [first] = error.results;
		const code = first === undefined ? EXIT.notFinished : toFailure(first.error).exitCode;
		return new ProgramFailure(code, error.message);
	}
	if (error instanceof JobNotDoneError) return new ProgramFailure(EXIT.notFinished, `${error.message}.`);
	if (error instanceof ConnectionError) return new ProgramFailure(EXIT.unreachable, error.message);
	if (error instanceof ApiError) {
		const issues = error.issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
		return new ProgramFailure(exitCodeOf(error), issues.length > 0 ? issues.join("; ") : error.message);
	}
	if (error instanceof Error && "syscall" in error) return usageFailure(error.message);
	return new ProgramFailure(EXIT.notFinished, error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function exitCodeOf(error: ApiError): number {
	if (error instanceof AuthenticationError || error instanceof PermissionError) return EXIT.refused;
	return error instanceof ServerError || error instanceof TooManyRequestsError ? EXIT.unreachable : EXIT.usage;
}
