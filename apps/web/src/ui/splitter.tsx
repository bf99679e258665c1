import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";

export interface SplitterProps {
	readonly label: string;
	/** Share of the parent's width that the right side gets, 0.3–0.85. */
	readonly share: number;
	readonly onShare: (share: number) => void;
	/** The right side; the left side stands before the splitter in the same row. */
	readonly children: ReactNode;
}

const LEAST = 0.3;
const MOST = 0.85;

function bounded(share: number): number {
	return Math.round(Math.max(LEAST, Math.min(MOST, share)) * 1000) / 1000;
}

/** The right side of a row and the bar that sets its width, by dragging or with the arrow keys. */
export function Splitter({ label, share, onShare, children }: SplitterProps): ReactNode {
	const side = useRef<HTMLDivElement>(null);
	const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
		const row = side.current?.parentElement?.getBoundingClientRect();
		if (!row || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
		onShare(bounded((row.right - event.clientX) / row.width));
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const step = event.key === "ArrowLeft" ? 0.03 : event.key === "ArrowRight" ? -0.03 : 0;
		if (step === 0) return;
		event.preventDefault();
		event.stopPropagation();
		onShare(bounded(share + step));
	};
	return (
		<>
			{/* biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be focused and moved */}
			<div
				role="separator"
				aria-orientation="vertical"
				aria-label={label}
				aria-valuenow={Math.round(share * 100)}
				aria-valuemin={LEAST * 100}
				aria-valuemax={MOST * 100}
				tabIndex={0}
				onKeyDown={onKeyDown}
				onPointerDown={(event) => {
					event.currentTarget.setPointerCapture(event.pointerId);
					event.preventDefault();
				}}
				onPointerMove={onPointerMove}
				className="relative z-10 w-px shrink-0 cursor-col-resize bg-line before:absolute before:inset-y-0 before:-left-1 before:w-2.5 hover:bg-accent focus-visible:bg-accent"
			/>
			<div ref={side} className="flex min-h-0 min-w-0 shrink-0" style={{ width: `${bounded(share) * 100}%` }}>
				{children}
			</div>
		</>
	);
}
