import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { classNames } from "../../ui/class-names.ts";
import { pan, zoomTo } from "./time-zoom.ts";
import { spanInRow, type TraceTree } from "./trace-tree.ts";
import { useElementWidth } from "./use-element-width.ts";
import { barOf, shownTime, type TimeWindow } from "./waterfall.ts";

export interface MinimapProps {
	readonly tree: TraceTree;
	readonly whole: TimeWindow;
	/** Undefined while the whole trace is shown. */
	readonly zoom: TimeWindow | undefined;
	readonly onZoom: (zoom: TimeWindow | undefined) => void;
}

const HEIGHT = 30;
/** Shorter drags (pixels) are clicks. */
const LEAST_DRAG = 4;

interface Drag {
	/** Fractions of the width. */
	readonly from: number;
	readonly to: number;
	/** The window that is moved; undefined while a new one is drawn. */
	readonly moved: TimeWindow | undefined;
}

/**
 * All spans of the trace in little, and what of its time the tree shows. Dragging shows another part, dragging the part
 * moves it, a double click shows everything. Keys do the same in the tree.
 */
export function Minimap({ tree, whole, zoom, onZoom }: MinimapProps): ReactNode {
	const box = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const width = useElementWidth(box);
	const [drag, setDrag] = useState<Drag>();
	useEffect(() => {
		if (canvas.current && width > 0) draw(canvas.current, width, tree, whole);
	}, [tree, whole, width]);

	const at = ({ clientX }: PointerEvent) => {
		const area = box.current?.getBoundingClientRect();
		return area ? Math.max(0, Math.min(1, (clientX - area.left) / area.width)) : 0;
	};
	const onPointerDown = (event: PointerEvent) => {
		if (event.button !== 0) return;
		event.currentTarget.setPointerCapture(event.pointerId);
		const from = at(event);
		const inside = zoom && placeOf(zoom, whole);
		setDrag({ from, to: from, moved: inside && from >= inside.from && from <= inside.to ? zoom : undefined });
	};
	const onPointerMove = (event: PointerEvent) => {
		if (!drag) return;
		const to = at(event);
		if (drag.moved) onZoom(pan(whole, drag.moved, to - drag.from));
		setDrag({ ...drag, to });
	};
	const onPointerUp = () => {
		if (drag && !drag.moved && Math.abs(drag.to - drag.from) * width >= LEAST_DRAG)
			onZoom(zoomTo(whole, drag.from, drag.to));
		setDrag(undefined);
	};
	const shown = drag && !drag.moved ? drag : zoom && placeOf(zoom, whole);
	const [left, right] = shown ? [Math.min(shown.from, shown.to), Math.max(shown.from, shown.to)] : [0, 1];
	return (
		<div className="hidden shrink-0 px-2 pb-1 @[30rem]:block">
			<div
				ref={box}
				aria-hidden
				data-testid="minimap"
				data-times="whole"
				onPointerDown={onPointerDown}
				onPointerMove={onPointerMove}
				onPointerUp={onPointerUp}
				onPointerCancel={() => setDrag(undefined)}
				onDoubleClick={() => onZoom(undefined)}
				style={{ height: HEIGHT }}
				className={classNames(
					"relative touch-none overflow-hidden rounded border border-line",
					drag?.moved ? "cursor-grabbing" : "cursor-crosshair",
				)}
			>
				<canvas ref={canvas} className="absolute inset-0 size-full text-muted [--failed:var(--danger)]" />
				{shown && (
					<>
						<span className="absolute inset-y-0 left-0 bg-canvas/75" style={{ width: `${left * 100}%` }} />
						<span className="absolute inset-y-0 right-0 bg-canvas/75" style={{ width: `${(1 - right) * 100}%` }} />
						<span
							className="absolute inset-y-0 min-w-0.5 cursor-grab border-accent border-x"
							style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
						/>
					</>
				)}
			</div>
		</div>
	);
}

function placeOf(part: TimeWindow, whole: TimeWindow): { from: number; to: number } {
	const length = whole.endMicros - whole.startMicros;
	return { from: (part.startMicros - whole.startMicros) / length, to: (part.endMicros - whole.startMicros) / length };
}

/** Every span as a line from top to bottom in the order of the tree, those that failed above the others. */
function draw(canvas: HTMLCanvasElement, width: number, tree: TraceTree, whole: TimeWindow): void {
	const scale = window.devicePixelRatio;
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(HEIGHT * scale);
	const context = canvas.getContext("2d");
	if (!context) return;
	const style = getComputedStyle(canvas);
	const line = Math.max(scale, Math.min(3 * scale, canvas.height / Math.max(tree.length, 1)));
	const drawWhere = (failed: boolean) => {
		for (let position = 0; position < tree.length; position++) {
			const span = spanInRow(tree, position);
			const bar = span && (span.status === "ERROR") === failed ? barOf(shownTime(span, whole), whole) : undefined;
			if (!bar) continue;
			const top = (position / tree.length) * (canvas.height - line);
			context.fillRect(bar.left * canvas.width, top, Math.max(bar.width * canvas.width, scale), line);
		}
	};
	context.globalAlpha = 0.6;
	context.fillStyle = style.color;
	drawWhere(false);
	context.globalAlpha = 1;
	context.fillStyle = style.getPropertyValue("--failed");
	drawWhere(true);
}
