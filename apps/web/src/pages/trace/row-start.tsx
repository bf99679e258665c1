import ChevronRight from "lucide-react/icons/chevron-right";
import type { ReactNode } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { tellsLevel } from "./tree-columns.ts";

export interface RowStartProps {
	readonly depth: number;
	readonly hasChildren: boolean;
	readonly isCollapsed: boolean;
	readonly onToggle: () => void;
}

/** What a row of a tree begins with: the button that folds what is below it, and its level where that cannot be seen. */
export function RowStart({ depth, hasChildren, isCollapsed, onToggle }: RowStartProps): ReactNode {
	return (
		<>
			{hasChildren ? (
				<button
					type="button"
					tabIndex={-1}
					aria-label={isCollapsed ? texts.expand : texts.collapse}
					className="flex size-4 shrink-0 items-center justify-center rounded text-muted hover:bg-line hover:text-ink"
					onClick={(event) => {
						event.stopPropagation();
						onToggle();
					}}
				>
					<ChevronRight size={13} aria-hidden className={isCollapsed ? "" : "rotate-90"} />
				</button>
			) : (
				<span className="w-4 shrink-0" />
			)}
			{tellsLevel(depth) && (
				<span title={texts.level(depth + 1)} className="shrink-0 text-muted text-xs">
					{depth + 1}
				</span>
			)}
		</>
	);
}
