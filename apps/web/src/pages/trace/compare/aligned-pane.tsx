import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { classNames } from "../../../ui/class-names.ts";
import { HEAD_HEIGHT, ROW_HEIGHT } from "../tree-columns.ts";
import { visibleIndex } from "../tree-rows.ts";
import type { Alignment } from "./align-traces.ts";
import { ALIGNED_GRID, AlignedRow, WIDE_CELL } from "./aligned-row.tsx";
import { type ComparedRows, comparedKey } from "./compare-rows.ts";

export interface AlignedPaneProps {
	readonly alignment: Alignment;
	readonly compared: ComparedRows;
	readonly shown: Int32Array;
	readonly collapsed: ReadonlySet<string>;
	/** -1 for none. */
	readonly selected: number;
	readonly treeRef: RefObject<HTMLDivElement | null>;
	readonly onSelect: (at: number) => void;
	readonly onToggle: (at: number) => void;
}

/** The two traces as one tree; only visible rows are rendered. */
export function AlignedPane(props: AlignedPaneProps): ReactNode {
	const { alignment, compared, shown, selected } = props;
	const scroller = useRef<HTMLDivElement>(null);
	const name = useId();
	const virtual = useVirtualizer({
		count: shown.length,
		getScrollElement: () => scroller.current,
		estimateSize: () => ROW_HEIGHT,
		overscan: 12,
		scrollMargin: HEAD_HEIGHT,
		scrollPaddingStart: HEAD_HEIGHT,
	});
	const index = selected < 0 ? -1 : visibleIndex(shown, selected);
	useEffect(() => {
		if (index < 0) return;
		const isNear = virtual.getVirtualItems().some((item) => item.index === index);
		virtual.scrollToIndex(index, { align: isNear ? "auto" : "center" });
	}, [selected]);

	// Stable callbacks, so that rows rerender only when they change.
	const latest = useRef(props);
	useEffect(() => {
		latest.current = props;
	});
	const [handlers] = useState(() => ({
		onSelect: (at: number) => latest.current.onSelect(at),
		onToggle: (at: number) => latest.current.onToggle(at),
	}));
	const items = virtual.getVirtualItems();
	const active = items.some((item) => item.index === index) ? `${name}-${shown[index]}` : undefined;
	return (
		<div ref={scroller} className="@container min-h-0 flex-1 overflow-y-auto overflow-x-hidden">
			<div
				aria-hidden
				style={{ height: HEAD_HEIGHT }}
				className={classNames(
					ALIGNED_GRID,
					"sticky top-0 z-10 items-center gap-x-2 border-line border-b bg-canvas px-2 text-muted text-sm",
				)}
			>
				<span />
				<span>{TEXTS.column.name}</span>
				<span className={classNames(WIDE_CELL, "text-right")}>{TEXTS.column.tokens}</span>
				<span className={classNames(WIDE_CELL, "text-right")}>{TEXTS.column.cost}</span>
				<span className="text-right">{TEXTS.column.duration}</span>
			</div>
			<div
				ref={props.treeRef}
				role="tree"
				tabIndex={0}
				aria-label={TEXTS.rows}
				aria-activedescendant={active}
				className="group/focus relative outline-none"
				style={{ height: virtual.getTotalSize() }}
			>
				{items.map((item) => {
					const at = shown[item.index] ?? 0;
					const row = compared.rows[at];
					if (!row) return null;
					const key = comparedKey(row, at);
					return (
						<AlignedRow
							key={key}
							id={`${name}-${at}`}
							at={at}
							top={item.start - HEAD_HEIGHT}
							row={row}
							depth={alignment.depth[at] ?? 0}
							hasChildren={(alignment.subtreeEnd[at] ?? 0) > at + 1}
							isCollapsed={props.collapsed.has(key)}
							below={compared.below[at] ?? 0}
							isSelected={at === selected}
							{...handlers}
						/>
					);
				})}
			</div>
		</div>
	);
}
