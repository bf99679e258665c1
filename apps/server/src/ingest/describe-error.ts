/** An error with its stack and its causes as text, to pass it from a worker thread to the log. */
export function describeError(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const cause = error.cause === undefined ? "" : `\ncaused by ${describeError(error.cause)}`;
	return `${error.stack ?? error.message}${cause}`;
}
