/**
 * Waits until all have ended, also those that are under way when one fails.
 * @throws what the first of them in the list that failed has thrown
 */
export async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
	for (const end of await Promise.allSettled(works)) if (end.status === "rejected") throw end.reason;
}
