import type { WidgetBody } from "../schemas.ts";

/** A widget without its place. */
export type Tile = Omit<WidgetBody, "layout"> & { readonly w: number; readonly h: number };

type Query = Readonly<Record<string, unknown>>;
type Display = WidgetBody["display"];

const NUMBER = { w: 3, h: 3 };
export const HALF = { w: 6, h: 5 };

/** Compared with the time before. */
export function number(key: string, title: string, query: Query, display: Display = {}): Tile {
	return { key, title, kind: "number", query: { ...query, compare: "previous_period" }, display, ...NUMBER };
}

export function series(
	key: string,
	title: string,
	query: Query,
	display: Display = {},
	size: Partial<typeof HALF> = {},
): Tile {
	return { key, title, kind: "time_series", query, display, ...HALF, ...size };
}

/** Groups on top of each other, bucket by bucket. */
export function bars(key: string, title: string, query: Query, size: Partial<typeof HALF> = {}): Tile {
	return series(key, title, query, { style: "bars", stacked: true }, size);
}

export function bar(key: string, title: string, query: Query, size: Partial<typeof HALF> = {}): Tile {
	return { key, title, kind: "bar", query, display: {}, ...HALF, ...size };
}

export function table(key: string, title: string, query: Query, size: Partial<typeof HALF> = {}): Tile {
	return { key, title, kind: "table", query, display: {}, ...HALF, ...size };
}

/** Lays rows of tiles below each other, each from the left. */
export function arrange(rows: readonly (readonly Tile[])[]): WidgetBody[] {
	let y = 0;
	return rows.flatMap((row) => {
		let x = 0;
		const placed = row.map(({ w, h, ...tile }) => {
			const widget = { ...tile, layout: { x, y, w, h } };
			x += w;
			return widget;
		});
		y += Math.max(...row.map(({ h }) => h));
		return placed;
	});
}
