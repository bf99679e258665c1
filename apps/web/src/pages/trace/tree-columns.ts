/**
 * The columns of the tree, of which a narrow one has fewer: the bar has a column from 30 rem on, tokens and cost have
 * theirs from 36 rem on where a span has any. The header, the rows and the grid behind them share these class names.
 * `--bar-width` is the width of the bars, which readers can set.
 */
export const GRID =
	"grid grid-cols-[minmax(0,1fr)_4.25rem] @[30rem]:grid-cols-[minmax(0,1fr)_minmax(7rem,var(--bar-width))_4.25rem] @[36rem]:group-data-numbers/tree:grid-cols-[minmax(0,1fr)_minmax(8rem,var(--bar-width))_3rem_4.75rem_4.25rem]";
export const BAR_CELL = "hidden @[30rem]:block";
export const NUMBER_CELL = "hidden @[36rem]:group-data-numbers/tree:block";

export const ROW_HEIGHT = 32;
export const HEAD_HEIGHT = 28;

/** Deeper spans are not indented further. */
const DEEPEST = 24;
/** From this depth on a narrow column may not indent further, so that rows tell their level. */
const LEAST_TOLD = 10;
const STEP = 14;

/** Padding of a name: at most two fifths of the column, so that every name has room. */
export function indentOf(depth: number): string {
	return `min(${Math.min(depth, DEEPEST) * STEP}px, 40%)`;
}

/** Whether the indent alone may not tell how deep a span is. */
export function tellsLevel(depth: number): boolean {
	return depth >= LEAST_TOLD;
}
