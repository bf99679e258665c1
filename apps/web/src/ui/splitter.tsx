import { type ReactNode, useRef } from "react";
import { SplitHandle } from "./split-handle.tsx";

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

/** The right side of a row and the bar that sets its width, by dragging or with the arrow keys. */
export function Splitter({ label, share, onShare, children }: SplitterProps): ReactNode {
	const side = useRef<HTMLDivElement>(null);
	const bounded = Math.max(LEAST, Math.min(MOST, share));
	return (
		<>
			<SplitHandle
				label={label}
				share={bounded}
				least={LEAST}
				most={MOST}
				onShare={onShare}
				shareAt={(clientX) => {
					const row = side.current?.parentElement?.getBoundingClientRect();
					return row && (row.right - clientX) / row.width;
				}}
				className="relative w-px shrink-0 bg-line"
			/>
			<div ref={side} className="flex min-h-0 min-w-0 shrink-0" style={{ width: `${bounded * 100}%` }}>
				{children}
			</div>
		</>
	);
}
