/**
 * The columns of the tree, of which a narrow one has fewer: the bar has a column from 30 rem on, tokens and cost have
 * theirs from 36 rem on where a span has any. The header, the rows and the grid behind them share these class names.
 */
export const GRID =
	"grid grid-cols-[minmax(0,1fr)_4.25rem] @[30rem]:grid-cols-[minmax(0,1fr)_minmax(7rem,34%)_4.25rem] @[36rem]:group-data-numbers/tree:grid-cols-[minmax(0,1fr)_minmax(8rem,30%)_3rem_4.75rem_4.25rem]";
export const BAR_CELL = "hidden @[30rem]:block";
export const NUMBER_CELL = "hidden @[36rem]:group-data-numbers/tree:block";

export const ROW_HEIGHT = 32;
export const HEAD_HEIGHT = 28;

/** Deeper spans are not indented further; screen readers get their depth. */
const DEEPEST = 24;
const STEP = 14;

export function indentOf(depth: number): number {
	return Math.min(depth, DEEPEST) * STEP;
}
