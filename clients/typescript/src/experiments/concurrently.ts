/**
 * Does `work` for every item, at most `limit` at a time; items are pulled when there is room. Rejects with the first
 * failure when all running work has ended.
 */
export async function concurrently<T>(
	items: AsyncIterable<T>,
	limit: number,
	work: (item: T) => Promise<void>,
): Promise<void> {
	const running = new Set<Promise<void>>();
	let failure: { readonly error: unknown } | undefined;
	for await (const item of items) {
		const one = work(item)
			.catch((error: unknown) => {
				failure ??= { error };
			})
			.finally(() => running.delete(one));
		running.add(one);
		if (running.size >= limit) await Promise.race(running);
		if (failure !== undefined) break;
	}
	await Promise.all(running);
	if (failure !== undefined) throw failure.error;
}
