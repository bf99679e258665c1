/** Spans that came in another order than they happened are followed by others. */
const FORGOTTEN_AFTER_MS = 60_000;

/**
 * Of which projects windows of row numbers read many more rows than they have, as was seen lately: these lie scattered among
 * others, like those of old traces that came one after the other.
 */
export class ScatteredRows {
	readonly #seen = new Map<number, { readonly width: number; readonly at: number }>();

	/** Whether rows of such a window are. */
	has(projectId: number, width: number): boolean {
		const seen = this.#seen.get(projectId);
		if (seen === undefined) return false;
		if (performance.now() - seen.at <= FORGOTTEN_AFTER_MS) return width >= seen.width;
		this.#seen.delete(projectId);
		return false;
	}

	note(projectId: number, width: number): void {
		this.#seen.set(projectId, { width, at: performance.now() });
	}
}
