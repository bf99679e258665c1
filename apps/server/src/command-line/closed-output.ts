/** What shells say of a program that SIGPIPE has ended: 128 + 13. */
const EXIT_CLOSED_OUTPUT = 141;

/**
 * Lets a command go on to its end when nobody reads its output any more, as `| head` does: without a word and with exit
 * code 141, or its own where it failed. Other errors of writing, such as a full disk, are a sentence and exit code 1.
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
