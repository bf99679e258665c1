import { type KeyboardEvent, type ReactNode, type RefObject, useId } from "react";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";

export interface PlotFrameProps {
	readonly box: RefObject<HTMLDivElement | null>;
	/** Its name for screen readers. */
	readonly label: string;
	/** What the keys have come to, read out. */
	readonly said: string;
	readonly height: number;
	readonly canOpen: boolean;
	readonly onMove: (sideways: -1 | 0 | 1, up: -1 | 0 | 1) => void;
	readonly onOpen: () => void;
	readonly onLeave: () => void;
	/** What lies over the chart. */
	readonly children: ReactNode;
}

const MOVES: Readonly<Record<string, readonly [-1 | 0 | 1, -1 | 0 | 1]>> = {
	ArrowRight: [1, 0],
	ArrowLeft: [-1, 0],
	ArrowUp: [0, 1],
	ArrowDown: [0, -1],
};

/** The place of a chart: with the focus, arrow keys go from point to point, Enter opens one and Escape leaves. */
export function PlotFrame(props: PlotFrameProps): ReactNode {
	const { box, label, said, height, canOpen, onMove, onOpen, onLeave, children } = props;
	const keys = useId();
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.altKey || event.ctrlKey || event.metaKey) return;
		const move = MOVES[event.key];
		if (move) onMove(...move);
		else if (event.key === "Enter" && canOpen) onOpen();
		else if (event.key === "Escape" && canOpen) onLeave();
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div className="relative min-w-0">
			<div
				ref={box}
				role="application"
				aria-label={label}
				aria-roledescription={TEXTS.chart.role}
				aria-describedby={keys}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: points are reached with arrow keys
				tabIndex={0}
				onKeyDown={onKeyDown}
				onBlur={onLeave}
				className="analytics-plot min-w-0 rounded"
				style={{ minHeight: height, cursor: canOpen ? "pointer" : undefined }}
			/>
			<span id={keys} className="sr-only">
				{TEXTS.chartKeys}
			</span>
			<span role="status" className="sr-only">
				{said}
			</span>
			{children}
		</div>
	);
}
