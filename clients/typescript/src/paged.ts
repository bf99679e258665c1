interface PageOf<T> {
	readonly data: readonly T[];
	readonly next_cursor: string | null;
	readonly is_partial?: boolean;
}

/**
 * A list that the server gives in pages: iterate over it with `for await`, or take it whole with `toArray`. Pages are
 * asked for as they are needed.
 */
export class Paged<T> implements AsyncIterable<T> {
	readonly #fetchPage: (cursor: string | undefined) => Promise<PageOf<T>>;
	#isPartial = false;

	constructor(fetchPage: (cursor: string | undefined) => Promise<PageOf<T>>) {
		this.#fetchPage = fetchPage;
	}

	/** Several lists, read one after the other. */
	static ofParts<Part, T>(
		parts: readonly Part[],
		fetchPage: (part: Part, cursor: string | undefined) => Promise<PageOf<T>>,
	): Paged<T> {
		return new Paged(async (position = "0:") => {
			const [index = "0", cursor = ""] = position.split(/:(.*)/s);
			const part = parts[Number(index)];
			if (part === undefined) return { data: [], next_cursor: null };
			const { next_cursor: next, ...page } = await fetchPage(part, cursor === "" ? undefined : cursor);
			return { ...page, next_cursor: next === null ? `${Number(index) + 1}:` : `${index}:${next}` };
		});
	}

	/** Whether time was up before the server had read all for one of the pages that were read so far. */
	get isPartial(): boolean {
		return this.#isPartial;
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<T> {
		for await (const page of this.pages()) yield* page;
	}

	async *pages(): AsyncGenerator<readonly T[]> {
		let cursor: string | undefined;
		this.#isPartial = false;
		do {
			const page = await this.#fetchPage(cursor);
			this.#isPartial ||= page.is_partial === true;
			yield page.data;
			cursor = page.next_cursor ?? undefined;
		} while (cursor !== undefined);
	}

	/** The whole list, or its first `limit` items. */
	async toArray(limit = Number.POSITIVE_INFINITY): Promise<T[]> {
		const items: T[] = [];
		if (limit <= 0) return items;
		for await (const item of this) {
			items.push(item);
			if (items.length >= limit) break;
		}
		return items;
	}
}
