import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface SplitHandleProps {
	readonly label: string;
	/** Share of the whole width that is to the right of the handle, 0–1. */
	readonly share: number;
	readonly least: number;
	readonly most: number;
	readonly onShare: (share: number) => void;
	/** The share if the handle was at this place of the window; undefined while nothing is laid out. */
	readonly shareAt: (clientX: number) => number | undefined;
	readonly className: string;
}

const STEP = 0.03;

/** A line between two parts that is moved by dragging or with the arrow keys. */
export function SplitHandle({ label, share, least, most, onShare, shareAt, className }: SplitHandleProps): ReactNode {
	const move = (next: number) => onShare(Math.round(Math.max(least, Math.min(most, next)) * 1000) / 1000);
	const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
		if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
		const next = shareAt(event.clientX);
		if (next !== undefined) move(next);
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const step = event.key === "ArrowLeft" ? STEP : event.key === "ArrowRight" ? -STEP : 0;
		if (step === 0) return;
		event.preventDefault();
		event.stopPropagation();
		move(share + step);
	};
	return (
		// biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be focused and moved
		<div
			role="separator"
			aria-orientation="vertical"
			aria-label={label}
			aria-valuenow={Math.round(share * 100)}
			aria-valuemin={least * 100}
			aria-valuemax={most * 100}
			tabIndex={0}
			onKeyDown={onKeyDown}
			onPointerDown={(event) => {
				event.currentTarget.setPointerCapture(event.pointerId);
				event.preventDefault();
			}}
			onPointerMove={onPointerMove}
			className={classNames(
				className,
				"z-10 cursor-col-resize touch-none before:absolute before:inset-y-0 before:-left-1 before:w-2.5 hover:bg-accent focus-visible:bg-accent",
			)}
		/>
	);
}
