/** The exit code that shells report for a program that SIGPIPE has ended: 128 + 13. */
const EXIT_CLOSED_OUTPUT = 141;

/**
 * Lets a command complete silently when nobody reads its output any more, as with `| head`: with exit code 141, or its
 * own if it failed. Other write errors, such as a full disk, are reported with exit code 1.
 */
export function tolerateClosedOutput(): void {
	for (const stream of [process.stdout, process.stderr])
		stream.on("error", (error: NodeJS.ErrnoException) => {
			if (error.code === "EPIPE") {
				process.exitCode ??= EXIT_CLOSED_OUTPUT;
				return;
			}
			process.exitCode = 1;
			if (stream !== process.stderr) process.stderr.write(`The output cannot be written: ${error.message}\n`);
		});
}
