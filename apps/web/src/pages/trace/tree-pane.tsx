import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useId, useMemo, useRef, useState } from "react";
import { localSetting } from "../../lib/local-setting.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import type { CriticalPart } from "./critical-path.ts";
import { Minimap } from "./minimap.tsx";
import type { Repetitions } from "./repeated-siblings.ts";
import { TimeAxis, TimeGrid } from "./time-axis.tsx";
import { rowKey, spanInRow, type TraceTree } from "./trace-tree.ts";
import { HEAD_HEIGHT, ROW_HEIGHT } from "./tree-columns.ts";
import { TreeRow } from "./tree-row.tsx";
import { visibleIndex } from "./tree-rows.ts";
import { useWheelZoom } from "./use-wheel-zoom.ts";
import { type TimeWindow, ticks as ticksOf } from "./waterfall.ts";

export interface TreePaneProps {
	readonly tree: TraceTree;
	readonly visible: Int32Array;
	readonly collapsed: ReadonlySet<string>;
	readonly repetitions: Repetitions;
	/** Repeated siblings that are shown, by the row key of the first. */
	readonly unfolded: ReadonlySet<string>;
	/** By position; undefined while the critical path is not shown. */
	readonly criticalPath: ReadonlyMap<number, readonly CriticalPart[]> | undefined;
	/** Position of the selected row, -1 for none. */
	readonly selected: number;
	readonly found: ReadonlySet<number>;
	/** Ids of the spans that have annotations. */
	readonly annotated: ReadonlySet<string>;
	readonly words: readonly string[];
	/** The time of the whole trace. */
	readonly time: TimeWindow;
	/** The part of it that bars show; undefined for all of it. */
	readonly zoom: TimeWindow | undefined;
	readonly onZoom: (zoom: TimeWindow | undefined) => void;
	/** Whether any span has tokens or a cost. */
	readonly numbers: boolean;
	readonly treeRef: RefObject<HTMLDivElement | null>;
	readonly onSelect: (position: number) => void;
	readonly onToggle: (position: number) => void;
	readonly onToggleRepeated: (position: number) => void;
	readonly onHover: (position: number) => void;
}

const TICKS = 4;
/** Smaller traces are seen whole without a minimap. */
const LEAST_MAPPED = 20;
const barSetting = localSetting("trace-bar-share");
const DEFAULT_BAR_SHARE = 0.32;

/** The tree with its waterfall; only visible rows are rendered. */
export function TreePane(props: TreePaneProps): ReactNode {
	const { tree, visible, selected, time, zoom, repetitions } = props;
	const shownTime = zoom ?? time;
	const [chosenShare, setBarShare] = useLocalSetting(barSetting);
	const barShare = Number(chosenShare) || DEFAULT_BAR_SHARE;
	const barWidth: CSSProperties & Record<"--bar-width", string> = { "--bar-width": `${barShare * 100}%` };
	const frame = useRef<HTMLDivElement>(null);
	useWheelZoom(frame, time, zoom, props.onZoom);
	const scroller = useRef<HTMLDivElement>(null);
	const name = useId();
	const rows = useVirtualizer({
		count: visible.length,
		getScrollElement: () => scroller.current,
		estimateSize: () => ROW_HEIGHT,
		overscan: 12,
		// The header is above the rows and sticky.
		scrollMargin: HEAD_HEIGHT,
		scrollPaddingStart: HEAD_HEIGHT,
	});
	const ticks = useMemo(() => ticksOf(shownTime, time.startMicros, TICKS), [shownTime, time.startMicros]);

	const selectedIndex = selected < 0 ? -1 : visibleIndex(visible, selected);
	// Scrolls only when the selection changes, not when rows above it are collapsed.
	useEffect(() => {
		if (selectedIndex < 0) return;
		const isNear = rows.getVirtualItems().some((item) => item.index === selectedIndex);
		rows.scrollToIndex(selectedIndex, { align: isNear ? "auto" : "center" });
	}, [selected]);

	// Stable callbacks, so that rows rerender only when they change.
	const latest = useRef(props);
	useEffect(() => {
		latest.current = props;
	});
	const [handlers] = useState(() => ({
		onSelect: (position: number) => latest.current.onSelect(position),
		onToggle: (position: number) => latest.current.onToggle(position),
		onToggleRepeated: (position: number) => latest.current.onToggleRepeated(position),
		onHover: (position: number) => latest.current.onHover(position),
	}));

	const items = rows.getVirtualItems();
	const active = items.some((item) => item.index === selectedIndex) ? `${name}-${visible[selectedIndex]}` : undefined;
	return (
		<div ref={frame} className="@container flex min-h-0 flex-1 flex-col">
			{(zoom || tree.spans.length >= LEAST_MAPPED) && (
				<Minimap tree={tree} whole={time} zoom={zoom} onZoom={props.onZoom} />
			)}
			<div
				ref={scroller}
				data-numbers={props.numbers || undefined}
				className="group/tree @container min-h-0 flex-1 overflow-y-auto overflow-x-hidden"
				style={barWidth}
				data-testid="tree-scroller"
			>
				<TimeAxis ticks={ticks} barShare={barShare} onBarShare={(share) => setBarShare(String(share))} />
				<div
					ref={props.treeRef}
					role="tree"
					tabIndex={0}
					aria-label={texts.tree}
					aria-activedescendant={active}
					className="group/focus relative outline-none"
					style={{ height: rows.getTotalSize() }}
				>
					<TimeGrid ticks={ticks} />
					{items.map((item) => {
						const position = visible[item.index] ?? 0;
						const key = rowKey(tree, position);
						return (
							<TreeRow
								key={key}
								id={`${name}-${position}`}
								position={position}
								top={item.start - HEAD_HEIGHT}
								span={spanInRow(tree, position)}
								missingParent={tree.missingParents.get(position)}
								cycle={tree.cycles.has(position)}
								depth={tree.depth[position] ?? 0}
								descendants={(tree.subtreeEnd[position] ?? 0) - position - 1}
								collapsed={props.collapsed.has(key)}
								repeated={repetitions.byFirst.get(position)?.count}
								unfolded={props.unfolded.has(key)}
								critical={props.criticalPath?.get(position)}
								selected={position === selected}
								found={props.found.has(position)}
								annotated={props.annotated.has(spanInRow(tree, position)?.spanId ?? "")}
								words={props.words}
								window={shownTime}
								{...handlers}
							/>
						);
					})}
				</div>
			</div>
		</div>
	);
}
