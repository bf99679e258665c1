import type { ReactNode } from "react";

export interface GridColumn<Row> {
	readonly key: string;
	readonly title: string;
	/** The head shows nothing (a column of icons); the title is read out. */
	readonly hideTitle?: boolean;
	/** Stands in the head instead of the title. */
	readonly head?: ReactNode;
	/** Pixels; with `grow` the least. */
	readonly width: number;
	/** Share of the space that is left. */
	readonly grow?: number;
	readonly align?: "right";
	readonly sortable?: boolean;
	/** What sorting does besides. */
	readonly sortNote?: string;
	readonly className?: string;
	readonly cell: (row: Row) => ReactNode;
}

export interface GridSort {
	readonly column: string;
	readonly order: "asc" | "desc";
}

const GAP = 12;
const PADDING = 16;

/** The tracks of the rows and of the header alike, and the least width that they need, as CSS. */
export function tracks<Row>(columns: readonly GridColumn<Row>[]): { tracks: string; least: string } {
	const all = columns.map(({ width, grow }) => (grow ? `minmax(${width}px, ${grow}fr)` : `${width}px`));
	const least = columns.reduce((sum, { width }) => sum + width + GAP, PADDING - GAP);
	return { tracks: all.join(" "), least: `${least}px` };
}
