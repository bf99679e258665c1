import ArrowUpDown from "lucide-react/icons/arrow-up-down";
import Equal from "lucide-react/icons/equal";
import EqualNot from "lucide-react/icons/equal-not";
import Minus from "lucide-react/icons/minus";
import Plus from "lucide-react/icons/plus";
import { memo, type ReactNode } from "react";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import { classNames } from "../../../ui/class-names.ts";
import { SpanKindIcon } from "../../../ui/span-kind.tsx";
import { StatusMark } from "../../../ui/status-mark.tsx";
import { RowStart } from "../row-start.tsx";
import { indentOf, ROW_HEIGHT } from "../tree-columns.ts";
import type { ComparedRow, RowState } from "./compare-rows.ts";
import { costs, deltaText, durations, fromTo, type Numbers, tokens } from "./deltas.ts";

/** A narrow pane has fewer columns. */
export const ALIGNED_GRID =
	"grid grid-cols-[1rem_minmax(0,1fr)_4.75rem] @[34rem]:grid-cols-[1rem_minmax(0,1fr)_4rem_5.25rem_4.75rem]";
export const WIDE_CELL = "hidden @[34rem]:block";

const MARKS = {
	same: { icon: Equal, look: "text-muted" },
	changed: { icon: EqualNot, look: "text-accent" },
	left: { icon: Minus, look: "text-danger" },
	right: { icon: Plus, look: "text-ok" },
} as const satisfies Record<RowState, { icon: unknown; look: string }>;

export interface AlignedRowProps {
	readonly id: string;
	readonly at: number;
	readonly top: number;
	readonly row: ComparedRow;
	readonly depth: number;
	readonly hasChildren: boolean;
	readonly isCollapsed: boolean;
	/** Number of rows that differ below. */
	readonly below: number;
	readonly isSelected: boolean;
	readonly onSelect: (at: number) => void;
	readonly onToggle: (at: number) => void;
}

export const AlignedRow = memo(function AlignedRow(props: AlignedRowProps): ReactNode {
	const { row, at, hasChildren, isCollapsed, isSelected } = props;
	const { left, right, state } = row;
	return (
		// biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row
		// biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
		<div
			id={props.id}
			role="treeitem"
			aria-level={props.depth + 1}
			aria-selected={isSelected}
			data-state={state}
			{...(hasChildren ? { "aria-expanded": !isCollapsed } : {})}
			onClick={() => props.onSelect(at)}
			style={{ height: ROW_HEIGHT, transform: `translateY(${props.top}px)` }}
			className={classNames(
				ALIGNED_GRID,
				"absolute inset-x-0 top-0 cursor-default items-center gap-x-2 px-2",
				isSelected
					? "bg-accent-soft outline-accent group-focus-visible/focus:outline-1 group-focus-visible/focus:-outline-offset-1"
					: "hover:bg-hover",
			)}
		>
			<StateMark state={state} />
			<div className="flex min-w-0 items-center gap-1" style={{ paddingLeft: indentOf(props.depth) }}>
				<RowStart
					depth={props.depth}
					hasChildren={hasChildren}
					isCollapsed={isCollapsed}
					onToggle={() => props.onToggle(at)}
				/>
				<Name row={row} />
				{isCollapsed && props.below > 0 && (
					<span
						title={TEXTS.differencesBelow(props.below)}
						className="shrink-0 rounded bg-sunken px-1 text-accent text-xs"
					>
						{`≠ ${props.below}`}
					</span>
				)}
			</div>
			<Delta numbers={tokens(left, right)} className={WIDE_CELL} />
			<Delta numbers={costs(left, right)} className={WIDE_CELL} />
			<Delta numbers={durations(left, right)} />
		</div>
	);
});

function StateMark({ state }: { state: RowState }): ReactNode {
	const { icon: Icon, look } = MARKS[state];
	return (
		<span title={TEXTS.state[state]} className={classNames("inline-flex", look)}>
			<Icon size={14} aria-hidden />
			<span className="sr-only">{TEXTS.state[state]}</span>
		</span>
	);
}

function Name({ row: { left, right, differs } }: { row: ComparedRow }): ReactNode {
	const span = right ?? left;
	if (!span) return <span className="truncate text-muted italic">{TEXTS.missingParent}</span>;
	const other = differs.includes("name") ? left : undefined;
	const marked =
		[left, right].find((each) => each?.status === "ERROR") ??
		[left, right].find((each) => each && each.state !== "ended");
	return (
		<span className="flex min-w-0 items-center gap-1.5">
			<SpanKindIcon kind={span.kind} />
			<span className="truncate" title={other ? TEXTS.fromTo(other.name, span.name) : span.name}>
				{other
					? TEXTS.fromTo(other.name || traceTexts.unnamed, span.name || traceTexts.unnamed)
					: span.name || traceTexts.unnamed}
			</span>
			{marked && <StatusMark error={marked.status === "ERROR"} state={marked.state} />}
			{differs.length > 0 && (
				<span
					title={differs.map((aspect) => TEXTS.aspect[aspect]).join(", ")}
					className="flex min-w-0 shrink-[20] items-center gap-1 truncate text-accent text-sm"
				>
					{differs.includes("place") && <ArrowUpDown size={12} aria-hidden className="shrink-0" />}
					<span className="truncate">{differs.map((aspect) => TEXTS.aspect[aspect]).join(", ")}</span>
				</span>
			)}
		</span>
	);
}

/** What the right side has more or less; the value itself where only one side has it. */
export function Delta({ numbers, className }: { numbers: Numbers; className?: string }): ReactNode {
	const { left, right } = numbers;
	const isDelta = left !== null && right !== null;
	return (
		<span
			title={isDelta ? fromTo(numbers) : undefined}
			className={classNames(
				"whitespace-nowrap text-right tabular-nums",
				(!isDelta || left === right) && "text-muted",
				className,
			)}
		>
			{deltaText(numbers)}
		</span>
	);
}
