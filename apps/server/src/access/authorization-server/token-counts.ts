/** How often programs asked this process for tokens, by the type of the grant and what came of it. */
export class TokenCounts {
	readonly #counts = new Map<string, { readonly grantType: string; readonly outcome: string; count: number }>();

	/** @param outcome `success` or the code of the error */
	count(grantType: string, outcome: string): void {
		const key = `${grantType} ${outcome}`;
		const counted = this.#counts.get(key) ?? { grantType, outcome, count: 0 };
		counted.count += 1;
		this.#counts.set(key, counted);
	}

	get all(): readonly { readonly grantType: string; readonly outcome: string; readonly count: number }[] {
		return [...this.#counts.values()];
	}
}
