import { createContext, useContext } from "react";

/** Names of colours in styles.css; `series-8` is for what is left over. */
const COLORS = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13].map((number) => `series-${number}`);
export const REST_COLOR = "series-8";

/** The colour of each group on a page: a group has the same in all charts, and few groups share one. */
export class GroupColors {
	readonly #given = new Map<string, string>();
	readonly #uses = COLORS.map(() => 0);

	/** @param key of `groupKey` */
	of(key: string): string {
		const known = this.#given.get(key);
		if (known !== undefined) return known;
		const least = Math.min(...this.#uses);
		let at = hash(key) % COLORS.length;
		while (this.#uses[at] !== least) at = (at + 1) % COLORS.length;
		this.#uses[at] = least + 1;
		const color = COLORS[at] ?? REST_COLOR;
		this.#given.set(key, color);
		return color;
	}
}

/** The colour of one of several measures in a chart. */
export function measureColor(index: number): string {
	return COLORS[index % COLORS.length] ?? REST_COLOR;
}

/** Without a provider all pages share theirs. */
const Colors = createContext(new GroupColors());
export const GroupColorsProvider = Colors.Provider;

export function useGroupColors(): GroupColors {
	return useContext(Colors);
}

/** FNV-1a, so that a group has the same colour on each visit. */
function hash(text: string): number {
	let value = 0x811c9dc5;
	for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
	return value;
}
