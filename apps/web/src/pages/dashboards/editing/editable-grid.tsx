import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import { GridLayout, type Layout, type LayoutItem, noCompactor, useContainerWidth } from "react-grid-layout";
import { dashboardTexts } from "../../../texts/dashboards-en.ts";
import { classNames } from "../../../ui/class-names.ts";
import { COLUMNS, GAP, inReadingOrder, moved, type Place, ROW_HEIGHT } from "../layouts.ts";
import { HANDLE } from "../widget-card.tsx";
import type { Widget } from "../widget-question.ts";
import "./grid.css";

const TEXTS = dashboardTexts.layout;
const GRID = { cols: COLUMNS, rowHeight: ROW_HEIGHT, margin: [GAP, GAP], containerPadding: [0, 0] } as const;
const DRAG = { enabled: true, handle: `.${HANDLE}`, cancel: "button,a", threshold: 3 };
const RESIZE = { enabled: true, handles: ["se"] } as const;

const STEPS: Readonly<Record<string, readonly [x: number, y: number]>> = {
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
	ArrowUp: [0, -1],
	ArrowDown: [0, 1],
};

/** Where a move with the keyboard began. */
interface Move {
	readonly key: string;
	readonly before: readonly Widget[];
}

/** Widgets that are dragged by their titles, resized at a corner, and moved with the keyboard. */
export function EditableGrid({
	widgets,
	onChange,
	render,
}: {
	widgets: readonly Widget[];
	onChange: (widgets: readonly Widget[]) => void;
	render: (widget: Widget) => ReactNode;
}): ReactNode {
	const { width, containerRef, mounted } = useContainerWidth();
	useOwnStyles();
	const [move, setMove] = useState<Move>();
	const [said, setSaid] = useState("");
	const layout = useMemo(() => widgets.map(({ key, layout: place }) => ({ i: key, ...place })), [widgets]);
	const settle = (next: Layout, _old: LayoutItem | null, item: LayoutItem | null) => {
		if (item === null) return;
		const places = new Map(next.map((each) => [each.i, placeOf(each)]));
		const placed = widgets.map((widget) => ({ ...widget, layout: places.get(widget.key) ?? widget.layout }));
		onChange(moved(placed, item.i, placeOf(item)));
	};
	const onKeyDown = (event: KeyboardEvent, widget: Widget) => {
		if (event.target !== event.currentTarget) return;
		const isMoving = move?.key === widget.key;
		const title = widget.title || dashboardTexts.widget.untitled;
		const step = STEPS[event.key];
		if (!isMoving && event.key === "m" && !event.ctrlKey && !event.metaKey && !event.altKey) {
			setMove({ key: widget.key, before: widgets });
			setSaid(TEXTS.begun(title));
		} else if (isMoving && step !== undefined) {
			const next = moved(widgets, widget.key, stepped(widget.layout, step, event.shiftKey));
			const place = next.find(({ key }) => key === widget.key)?.layout ?? widget.layout;
			onChange(next);
			setSaid(TEXTS.at(title, place.x + 1, place.y + 1, place.w, place.h));
		} else if (isMoving && event.key === "Enter") {
			setMove(undefined);
			setSaid(TEXTS.kept(title));
		} else if (isMoving && event.key === "Escape") {
			onChange(move.before);
			setMove(undefined);
			setSaid(TEXTS.takenBack(title));
		} else return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div ref={containerRef}>
			<p role="status" aria-live="assertive" className="sr-only">
				{said}
			</p>
			{mounted && (
				<GridLayout
					width={width}
					layout={layout}
					gridConfig={GRID}
					dragConfig={DRAG}
					resizeConfig={RESIZE}
					compactor={noCompactor}
					onDragStop={settle}
					onResizeStop={settle}
				>
					{inReadingOrder(widgets).map((widget) => (
						// biome-ignore lint/a11y/useSemanticElements: a widget is no group of fields
						<div
							key={widget.key}
							role="group"
							// biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved with the keyboard
							tabIndex={0}
							aria-roledescription={TEXTS.roleDescription}
							aria-label={widget.title || dashboardTexts.widget.untitled}
							data-widget={widget.key}
							onKeyDown={(event) => onKeyDown(event, widget)}
							onBlur={(event) => {
								// Focus within the widget leaves it where it is by now.
								if (event.target === event.currentTarget && move?.key === widget.key) setMove(undefined);
							}}
							className={classNames("rounded", move?.key === widget.key && "z-10 ring-2 ring-accent")}
						>
							{render(widget)}
						</div>
					))}
				</GridLayout>
			)}
		</div>
	);
}

/**
 * While something is dragged, the library adds rules as an inline style, which the content security policy refuses, unless
 * an element has its id. The rules are in grid.css.
 */
function useOwnStyles(): void {
	useEffect(() => {
		const mark = document.createElement("template");
		mark.id = "react-draggable-style-el";
		document.head.append(mark);
		return () => mark.remove();
	}, []);
}

function stepped({ x, y, w, h }: Place, [dx, dy]: readonly [number, number], isSize: boolean): Place {
	return isSize ? { x, y, w: Math.min(w + dx, COLUMNS - x), h: h + dy } : { x: x + dx, y: y + dy, w, h };
}

function placeOf({ x, y, w, h }: LayoutItem): Place {
	return { x, y, w, h };
}
