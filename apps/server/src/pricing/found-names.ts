/** Names longer than this are no model names; matching them would cost time. */
const MAX_NAME = 200;
const MAX_KEPT = 5_000;

/** A cache of what was found for providers and models, by their names as sent; a full one drops the oldest entry. */
export class FoundNames<T> {
	readonly #found = new Map<string, T>();
	readonly #nothing: T;

	/** @param nothing what is found for names that are too long */
	constructor(nothing: T) {
		this.#nothing = nothing;
	}

	get(provider: string | undefined, model: string, search: () => T): T {
		if (model.length > MAX_NAME || (provider?.length ?? 0) > MAX_NAME) return this.#nothing;
		const key = `${provider ?? ""}\n${model}`;
		const known = this.#found.get(key);
		if (known !== undefined) return known;
		const found = search();
		if (this.#found.size >= MAX_KEPT) {
			const [oldest] = this.#found.keys();
			if (oldest !== undefined) this.#found.delete(oldest);
		}
		this.#found.set(key, found);
		return found;
	}
}
