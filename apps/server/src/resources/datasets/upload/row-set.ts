const PAGE = 4_096;

/** A set of row numbers that takes one bit per number where they are dense. */
export class RowSet {
	readonly #pages = new Map<number, Uint8Array>();

	has(id: number): boolean {
		const page = this.#pages.get(Math.floor(id / PAGE));
		const bit = id % PAGE;
		return page !== undefined && ((page[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
	}

	add(id: number): void {
		const number = Math.floor(id / PAGE);
		let page = this.#pages.get(number);
		if (page === undefined) {
			page = new Uint8Array(PAGE / 8);
			this.#pages.set(number, page);
		}
		const bit = id % PAGE;
		page[bit >> 3] = (page[bit >> 3] ?? 0) | (1 << (bit & 7));
	}
}
