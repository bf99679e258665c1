import { type PointerEvent, type ReactNode, useRef } from "react";
import { type GridColumn, tracks } from "./grid-columns.ts";
import { bounded, type GridArranging } from "./grid-layout.ts";

/** The right edge of a column's head: dragging it sets the width, a double click sets the usual one. */
export function ResizeHandle<Row>({
	column,
	columns,
	arranging: { layout, onArrange },
}: {
	column: GridColumn<Row>;
	columns: readonly GridColumn<Row>[];
	arranging: GridArranging<Row>;
}): ReactNode {
	const drag = useRef<{ readonly x: number; readonly from: number; width?: number }>(undefined);
	const show = (element: Element, width: number) => {
		const { grow: _grow, ...fixed } = column;
		// Straight to the style: while dragging, no row is drawn again.
		const next = tracks(columns.map((each) => (each === column ? { ...fixed, width } : each)));
		const style = element.closest<HTMLElement>('[role="grid"]')?.style;
		style?.setProperty("--tracks", next.tracks);
		style?.setProperty("--least", next.least);
	};
	const end = ({ currentTarget, pointerId }: PointerEvent<HTMLElement>) => {
		const width = drag.current?.width;
		drag.current = undefined;
		if (currentTarget.hasPointerCapture(pointerId)) currentTarget.releasePointerCapture(pointerId);
		if (width !== undefined) onArrange(layout.resized(column.key, width));
	};
	return (
		<span
			aria-hidden
			data-resize={column.key}
			onPointerDown={(event) => {
				event.stopPropagation();
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				drag.current = { x: event.clientX, from: event.currentTarget.parentElement?.offsetWidth ?? column.width };
			}}
			onPointerMove={({ currentTarget, clientX }) => {
				if (!drag.current) return;
				drag.current.width = bounded(drag.current.from + clientX - drag.current.x);
				show(currentTarget, drag.current.width);
			}}
			onPointerUp={end}
			onPointerCancel={end}
			onDoubleClick={() => onArrange(layout.resized(column.key, undefined))}
			className="absolute inset-y-1.5 -right-3 w-3 cursor-col-resize touch-none before:absolute before:inset-y-0 before:left-1.5 before:w-px group-hover/head:before:bg-line-strong hover:before:w-0.5 hover:before:bg-accent"
		/>
	);
}
