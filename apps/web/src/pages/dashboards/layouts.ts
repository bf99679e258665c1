/** Places on the grid, in columns and rows. */

export const COLUMNS = 12;
/** Pixels. */
export const ROW_HEIGHT = 40;
export const GAP = 12;

export interface Place {
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
}

interface Placed {
	readonly key: string;
	readonly layout: Place;
}

/** Pixels between the upper and the lower edge. */
export function heightOf({ h }: Place): number {
	return h * ROW_HEIGHT + (h - 1) * GAP;
}

/** From left to right and from top to bottom, as they are read and as a phone shows them. */
export function inReadingOrder<T extends Placed>(widgets: readonly T[]): T[] {
	return widgets.toSorted(({ layout: a }, { layout: b }) => a.y - b.y || a.x - b.x);
}

export function overlaps(a: Place, b: Place): boolean {
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Puts a widget to a place, as far as the grid reaches; those in its way make room downwards. */
export function moved<T extends Placed>(widgets: readonly T[], key: string, to: Place): T[] {
	const w = Math.max(1, Math.min(COLUMNS, to.w));
	const place = {
		w,
		h: Math.max(1, Math.min(100, to.h)),
		x: Math.max(0, Math.min(COLUMNS - w, to.x)),
		y: Math.max(0, Math.min(10_000, to.y)),
	};
	const settled: Place[] = [place];
	const places = new Map<string, Place>([[key, place]]);
	for (const { key: other, layout } of inReadingOrder(widgets)) {
		if (other === key) continue;
		let free = layout;
		for (
			let hit = settled.find((each) => overlaps(each, free));
			hit;
			hit = settled.find((each) => overlaps(each, free))
		)
			free = { ...free, y: hit.y + hit.h };
		settled.push(free);
		places.set(other, free);
	}
	return widgets.map((widget) => ({ ...widget, layout: places.get(widget.key) ?? widget.layout }));
}

/** The first free place below all others. */
export function below(widgets: readonly Placed[], { w, h }: Pick<Place, "w" | "h">): Place {
	return { x: 0, y: Math.max(0, ...widgets.map(({ layout }) => layout.y + layout.h)), w, h };
}
