#!/usr/bin/env node
import { Spanward } from "../spanward.ts";
import { EXIT } from "./exit.ts";
import { runProgram } from "./program.ts";

const interrupt = new AbortController();
function onInterrupt(): void {
	if (interrupt.signal.aborted) process.exit(EXIT.notFinished);
	process.stderr.write("\nStopping: tasks that run are waited for and recorded. Once more ends at once.\n");
	interrupt.abort();
}
process.on("SIGINT", onInterrupt);
process.on("SIGTERM", onInterrupt);

const { stdout, stderr } = process;
process.exitCode = await runProgram(process.argv.slice(2), {
	...{ stdout, stderr, signal: interrupt.signal },
	connect: (url) => new Spanward(url === undefined ? {} : { baseUrl: url }),
});
// A task may have left something open.
stdout.write("", () => process.exit());
