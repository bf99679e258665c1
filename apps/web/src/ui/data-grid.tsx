import { useVirtualizer } from "@tanstack/react-virtual";
import {
	type CSSProperties,
	type KeyboardEvent,
	type MouseEvent,
	memo,
	type ReactNode,
	useCallback,
	useEffect,
	useRef,
	useState,
} from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { GridHeader } from "./data-grid-header.tsx";
import { errorText } from "./error-state.tsx";
import { type GridColumn, type GridSort, tracks } from "./grid-columns.ts";
import type { GridArranging } from "./grid-layout.ts";
import { asksForTab, offerLink, openInTab } from "./row-link.ts";

export const ROW_HEIGHT = 32;

export interface DataGridProps<Row> {
	/** Accessible name. */
	readonly label: string;
	readonly columns: readonly GridColumn<Row>[];
	readonly rows: readonly Row[];
	readonly rowKey: (row: Row) => string;
	/** The row the keys are at; the grid has one tab stop there. */
	readonly activeKey: string | undefined;
	readonly onActivate: (row: Row) => void;
	/** Enter or a click. */
	readonly onOpen: (row: Row) => void;
	readonly isSelected?: (row: Row) => boolean;
	/** Shift with a click or an arrow: selects the rows up to this one, from the last selected one or else from `from`. */
	readonly onSelectTo?: (row: Row, from: Row | undefined) => void;
	/** Stands open beside the grid. */
	readonly openKey?: string | undefined;
	readonly sort?: GridSort | undefined;
	readonly onSort?: ((column: string) => void) | undefined;
	/** Lets people arrange the columns that are in the layout. */
	readonly arranging?: GridArranging<Row> | undefined;
	/** The last rows came into view. */
	readonly onEndReached?: (() => void) | undefined;
	/** Under the last row. */
	readonly footer?: ReactNode;
	/** Gets the element that scrolls. */
	readonly scrollRef?: { current: HTMLDivElement | null };
}

/** Rows that are drawn beyond each end of the view. */
const OVERSCAN = 12;
/** The next page is asked for when only so many rows are not drawn yet, besides those beyond the view. */
const AHEAD = 2;

/** A table of virtual rows of one height; rows are reached with the arrow keys, what is in a row with left and right. */
export function DataGrid<Row>(props: DataGridProps<Row>): ReactNode {
	const { columns, rows, rowKey, activeKey, onEndReached, footer, scrollRef } = props;
	const scroller = useRef<HTMLDivElement | null>(null);
	const virtual = useVirtualizer({
		count: rows.length,
		getScrollElement: () => scroller.current,
		estimateSize: () => ROW_HEIGHT,
		getItemKey: (index) => {
			const row = rows[index];
			return row === undefined ? index : rowKey(row);
		},
		overscan: OVERSCAN,
		scrollPaddingStart: ROW_HEIGHT,
	});
	const items = virtual.getVirtualItems();
	const last = items.at(-1)?.index ?? -1;
	useEffect(() => {
		if (last >= 0 && last >= rows.length - AHEAD) onEndReached?.();
	}, [last, rows.length, onEndReached]);

	const activeIndex = activeKey === undefined ? -1 : rows.findIndex((row) => rowKey(row) === activeKey);
	useEffect(() => {
		if (activeIndex >= 0) virtual.scrollToIndex(activeIndex, { align: "auto" });
	}, [activeIndex, virtual]);
	const { onActivate } = props;
	const move = useCallback(
		(index: number) => {
			const target = rows[Math.max(0, Math.min(rows.length - 1, index))];
			if (target !== undefined) onActivate(target);
		},
		[rows, onActivate],
	);
	const [said, say] = useState("");
	const { tracks: columnTracks, least } = tracks(columns);
	const style: CSSProperties & Record<`--${string}`, string> = {
		"--tracks": columnTracks,
		"--least": least,
		width: "max(100%, var(--least))",
	};
	const tabStop = activeIndex >= 0 ? activeIndex : (items[0]?.index ?? 0);

	return (
		<div
			ref={(element) => {
				scroller.current = element;
				if (scrollRef) scrollRef.current = element;
			}}
			className="min-h-0 flex-1 overflow-auto overscroll-contain"
		>
			{/* biome-ignore lint/a11y/useSemanticElements: rows are virtual, so no table element */}
			<div
				role="grid"
				aria-label={props.label}
				aria-rowcount={rows.length + 1}
				aria-colcount={columns.length}
				className="relative min-w-full"
				style={style}
			>
				<GridHeader columns={columns} sort={props.sort} onSort={props.onSort} arranging={props.arranging} onSay={say} />
				{/* biome-ignore lint/a11y/useSemanticElements: as above */}
				<div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
					{items.map((item) => {
						const row = rows[item.index];
						if (row === undefined) return null;
						return (
							<MemoRow
								key={item.key}
								grid={props}
								row={row}
								index={item.index}
								top={item.start}
								isActive={item.index === activeIndex}
								tabIndex={item.index === tabStop ? 0 : -1}
								move={move}
							/>
						);
					})}
				</div>
			</div>
			{footer}
			{said && (
				<span role="status" className="sr-only">
					{said}
				</span>
			)}
		</div>
	);
}

const PAGE = 20;

interface GridRowProps<Row> {
	/** The same object while only the scroll position changes. */
	readonly grid: DataGridProps<Row>;
	readonly row: Row;
	readonly index: number;
	readonly top: number;
	readonly isActive: boolean;
	readonly tabIndex: number;
	readonly move: (index: number) => void;
}

/** While scrolling, rows that stay in view are not drawn again. */
const MemoRow = memo(GridRow) as typeof GridRow;

function GridRow<Row>({ grid, row, index, top, isActive, tabIndex, move }: GridRowProps<Row>): ReactNode {
	const element = useRef<HTMLDivElement>(null);
	const isOpen = grid.openKey !== undefined && grid.openKey === grid.rowKey(row);
	// The focus follows the active row while it is in the grid; keys that work page-wide leave it where it is.
	useEffect(() => {
		const own = element.current;
		if (!isActive || !own || own.contains(document.activeElement)) return;
		if (document.activeElement?.closest('[role="grid"]') === own.closest('[role="grid"]'))
			own.focus({ preventScroll: true });
	}, [isActive]);
	// Menus and dialogs of a cell are elsewhere in the document, but their events come here too.
	const isOwn = ({ target }: { readonly target: EventTarget }) =>
		target instanceof Element && element.current?.contains(target) === true;
	const isOnPressable = (event: MouseEvent) => event.target instanceof Element && event.target.closest("button, a");
	const onClick = (event: MouseEvent<HTMLElement>) => {
		if (!isOwn(event) || event.defaultPrevented) return;
		const isOnButton = event.target instanceof Element && event.target.closest("button") !== null;
		if (event.shiftKey && grid.onSelectTo && !isOnButton) {
			event.preventDefault();
			const active = grid.rows.find((each) => grid.rowKey(each) === grid.activeKey);
			return grid.onSelectTo(row, active);
		}
		const isLink = event.target instanceof Element && event.target.closest("a[data-row-link]") !== null;
		if (isLink ? asksForTab(event) || event.shiftKey : isOnPressable(event)) return;
		if (!isLink && window.getSelection()?.isCollapsed === false) return;
		event.preventDefault();
		if (asksForTab(event)) return openInTab(event.currentTarget);
		grid.onActivate(row);
		grid.onOpen(row);
	};
	const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target === element.current) {
			event.preventDefault();
			return openInTab(event.currentTarget);
		}
		if (event.altKey || event.ctrlKey || event.metaKey || !isOwn(event)) return;
		const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };
		const step = steps[event.key];
		if (step !== undefined) {
			const target = grid.rows[Math.max(0, Math.min(grid.rows.length - 1, index + step))];
			if (event.shiftKey && target !== undefined) grid.onSelectTo?.(target, row);
			move(index + step);
		} else if (event.key === "Home") move(0);
		else if (event.key === "End") move(grid.rows.length - 1);
		else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
			moveInside(element.current, event.key === "ArrowRight");
		else if ((event.key === "Enter" || event.key === " ") && event.target === element.current) grid.onOpen(row);
		else return;
		event.preventDefault();
	};
	return (
		// biome-ignore lint/a11y/useSemanticElements: rows are virtual, so no table element
		<div
			ref={element}
			role="row"
			aria-rowindex={index + 2}
			aria-selected={isOpen || isActive}
			tabIndex={tabIndex}
			onKeyDown={onKeyDown}
			onClick={onClick}
			onPointerDown={offerLink}
			// The middle button would scroll, and Shift would select text.
			onMouseDown={(event) => {
				if (event.button === 1 || (event.shiftKey && grid.onSelectTo)) event.preventDefault();
			}}
			onAuxClick={(event) => {
				if (event.button === 1 && isOwn(event) && !isOnPressable(event)) openInTab(event.currentTarget);
			}}
			className={classNames(
				"group/row absolute inset-x-0 grid cursor-default items-center gap-x-3 border-line border-b px-2 hover:bg-hover",
				isOpen || grid.isSelected?.(row) ? "bg-accent-soft" : isActive ? "bg-hover" : "",
			)}
			style={{
				height: ROW_HEIGHT,
				transform: `translateY(${top}px)`,
				gridTemplateColumns: "var(--tracks)",
			}}
		>
			{grid.columns.map((column) => (
				// biome-ignore lint/a11y/useSemanticElements: as above
				// biome-ignore lint/a11y/useFocusableInteractive: the row takes the focus
				<div
					key={column.key}
					role="gridcell"
					className={classNames("min-w-0 truncate", column.align === "right" && "text-right", column.className)}
				>
					{column.cell(row)}
				</div>
			))}
		</div>
	);
}

/** Moves the focus to the next or previous thing to press inside the row, and before the first back to the row. */
function moveInside(row: HTMLElement | null, forward: boolean): void {
	if (!row) return;
	const stops: Element[] = [row, ...row.querySelectorAll("button, a")];
	const at = document.activeElement ? stops.indexOf(document.activeElement) : -1;
	const target = stops[Math.max(0, Math.min(stops.length - 1, at + (forward ? 1 : -1)))];
	if (target instanceof HTMLElement) target.focus();
}

export interface GridEndProps {
	readonly isLoading: boolean;
	readonly hasMore: boolean;
	/** Rows so far. */
	readonly count: number;
	/** Why the next rows did not come. */
	readonly error: Error | null;
	readonly onRetry: () => void;
}

/** What stands under the rows: more are on their way, did not come, or these are all. */
export function GridEnd({ isLoading, count, hasMore, error, onRetry }: GridEndProps): ReactNode {
	if (error && !isLoading) {
		return (
			<p role="alert" className="sticky left-0 flex items-center gap-3 px-3 py-2 text-danger text-sm">
				{texts.traces.moreFailed(errorText(error).message)}
				<Button onClick={onRetry}>{texts.action.retry}</Button>
			</p>
		);
	}
	return (
		<p role="status" className="sticky left-0 px-3 py-2 text-muted text-sm">
			{isLoading || hasMore ? texts.traces.loadingMore : texts.traces.end(count)}
		</p>
	);
}
