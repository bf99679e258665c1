/** What an operator is told about jobs that were paused; empty where there were none. */
export function describePaused(count: number): string {
	if (count === 0) return "";
	const jobs =
		count === 1 ? "1 experiment job that had not ended is" : `${count} experiment jobs that had not ended are`;
	return `${jobs} paused, so that nothing is spent unasked: resume them one by one, or use --keep-running next time.\n`;
}
