export interface Progress {
	readonly phase: "tasks" | "evaluations";
	readonly done: number;
	/** How many of `done` ended with an error. */
	readonly failed: number;
	readonly total: number;
}

const WIDTH = 30;

/** Draws a progress bar on the terminal; nothing where the output is not a terminal, and in browsers. */
export function drawProgress({ phase, done, failed, total }: Progress): void {
	const terminal = "process" in globalThis ? globalThis.process.stderr : undefined;
	if (terminal?.isTTY !== true || total === 0) return;
	const filled = Math.round((WIDTH * done) / total);
	const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
	const failures = failed === 0 ? "" : `, ${failed} failed`;
	terminal.write(`\r${phase.padEnd(11)} ${bar} ${done}/${total}${failures}${done >= total ? "\n" : ""}`);
}
