import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import MessageSquareText from "lucide-react/icons/message-square-text";
import Unlink from "lucide-react/icons/unlink";
import { memo, type ReactNode } from "react";
import { formatCompact, formatCost, formatInteger } from "../../lib/format.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { RunDuration } from "../../ui/run-state.tsx";
import { SpanKindIcon, spanKindColors } from "../../ui/span-kind.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import type { CriticalPart } from "./critical-path.ts";
import { markWords } from "./find-in-trace.ts";
import { RowStart } from "./row-start.tsx";
import type { TraceSpan } from "./trace-span.ts";
import { BAR_CELL, GRID, indentOf, NUMBER_CELL, ROW_HEIGHT } from "./tree-columns.ts";
import { type Bar, barOf, shownTime, type TimeWindow } from "./waterfall.ts";

export interface TreeRowProps {
	readonly id: string;
	readonly position: number;
	readonly top: number;
	/** Undefined in the row of a missing parent. */
	readonly span: TraceSpan | undefined;
	readonly missingParent: string | undefined;
	readonly cycle: boolean;
	readonly depth: number;
	/** Number of spans below; 0 for a leaf. */
	readonly descendants: number;
	readonly collapsed: boolean;
	/** Number of siblings that repeat this span, itself included; undefined unless it is the first of them. */
	readonly repeated: number | undefined;
	/** Whether its siblings are shown, too. */
	readonly unfolded: boolean;
	/** When the trace waited for it; undefined when the critical path is not shown, or leads past it. */
	readonly critical: readonly CriticalPart[] | undefined;
	readonly selected: boolean;
	/** Whether the search found it. */
	readonly found: boolean;
	readonly annotated: boolean;
	readonly words: readonly string[];
	readonly window: TimeWindow;
	readonly onSelect: (position: number) => void;
	readonly onToggle: (position: number) => void;
	readonly onToggleRepeated: (position: number) => void;
	readonly onHover: (position: number) => void;
}

export const TreeRow = memo(function TreeRow(props: TreeRowProps): ReactNode {
	const { span, position, descendants, collapsed, selected } = props;
	const bar = span && barOf(shownTime(span, props.window), props.window);
	return (
		// biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row
		// biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
		<div
			id={props.id}
			role="treeitem"
			aria-level={props.depth + 1}
			data-span={span?.spanId}
			aria-selected={selected}
			{...(descendants > 0 ? { "aria-expanded": !collapsed } : {})}
			onClick={() => props.onSelect(position)}
			onMouseEnter={() => props.onHover(position)}
			style={{ height: ROW_HEIGHT, transform: `translateY(${props.top}px)` }}
			className={classNames(
				GRID,
				"absolute inset-x-0 top-0 cursor-default items-center gap-x-2 px-2",
				selected
					? "bg-accent-soft outline-accent group-focus-visible/focus:outline-1 group-focus-visible/focus:-outline-offset-1"
					: "hover:bg-hover",
			)}
		>
			<div className="flex min-w-0 items-center gap-1" style={{ paddingLeft: indentOf(props.depth) }}>
				<RowStart
					depth={props.depth}
					hasChildren={descendants > 0}
					isCollapsed={collapsed}
					onToggle={() => props.onToggle(position)}
				/>
				{span ? (
					<SpanName span={span} words={props.words} found={props.found} annotated={props.annotated} />
				) : (
					<span className="flex min-w-0 items-center gap-1.5 text-muted italic" title={texts.missingParentText}>
						<Unlink size={14} aria-hidden className="shrink-0" />
						<span className="truncate">{texts.missingParent(props.missingParent ?? "")}</span>
					</span>
				)}
				{props.cycle && <span className="shrink-0 text-sm text-warn">{texts.cycle}</span>}
				<Repeated {...props} />
				{collapsed && (
					<span title={texts.hiddenTitle(descendants)} className="shrink-0 rounded bg-sunken px-1 text-muted text-xs">
						{texts.hidden(descendants)}
					</span>
				)}
			</div>
			<div className={classNames(BAR_CELL, "relative h-full")}>
				{span && bar && (
					<div
						data-bar
						className={classNames(
							"absolute top-[11px] h-2.5 min-w-0.5 rounded-xs opacity-75",
							span.status === "ERROR" ? "bg-danger" : spanKindColors(span.kind).fill,
							span.state !== "ended" && OPEN_END,
						)}
						style={placeOf(bar)}
					/>
				)}
				{span && !bar && <OutsideMark isBefore={span.startMicros < props.window.startMicros} />}
				{props.critical?.map((part) => {
					const place = barOf(part, props.window);
					return (
						place && (
							<div
								key={part.startMicros}
								data-critical
								className="absolute top-[23px] h-0.5 min-w-0.5 bg-ink"
								style={placeOf(place)}
							/>
						)
					);
				})}
			</div>
			{span && <Numbers span={span} />}
			{span && bar && (
				<div className="absolute inset-x-2 bottom-0.5 h-0.5 @[30rem]:hidden">
					<div
						className={classNames(
							"absolute h-full min-w-0.5 rounded-full opacity-60",
							span.status === "ERROR" ? "bg-danger" : spanKindColors(span.kind).fill,
						)}
						style={placeOf(bar)}
					/>
				</div>
			)}
		</div>
	);
});

/** The bar of a span without an end fades out. */
const OPEN_END = "[mask-image:linear-gradient(to_right,black_60%,transparent)]";

function placeOf({ left, width }: Bar): { left: string; width: string } {
	return { left: `${left * 100}%`, width: `${width * 100}%` };
}

/** Shown in place of the bar of a span that ran before or after the time that is shown. */
function OutsideMark({ isBefore }: { isBefore: boolean }): ReactNode {
	const Arrow = isBefore ? ChevronLeft : ChevronRight;
	return (
		<span
			title={isBefore ? texts.before : texts.after}
			className={classNames("absolute top-2.5 text-muted", isBefore ? "left-0" : "right-0")}
		>
			<Arrow size={12} aria-hidden />
		</span>
	);
}

function Repeated({ position, repeated, unfolded, onToggleRepeated }: TreeRowProps): ReactNode {
	if (repeated === undefined) return null;
	return (
		<button
			type="button"
			tabIndex={-1}
			aria-expanded={unfolded}
			title={unfolded ? texts.foldRepeated(repeated) : texts.unfoldRepeated(repeated)}
			className="shrink-0 rounded bg-sunken px-1 text-muted text-xs hover:bg-line hover:text-ink"
			onClick={(event) => {
				event.stopPropagation();
				onToggleRepeated(position);
			}}
		>
			{texts.repeated(repeated)}
		</button>
	);
}

function SpanName({
	span,
	words,
	found,
	annotated,
}: {
	span: TraceSpan;
	words: readonly string[];
	found: boolean;
	annotated: boolean;
}): ReactNode {
	const parts = found ? markWords(span.name, words) : undefined;
	const elsewhere = parts?.every((part) => !part.match);
	return (
		<span className="flex min-w-0 items-center gap-1.5" title={span.name}>
			<SpanKindIcon kind={span.kind} />
			<span className={classNames("truncate", elsewhere && "bg-warn-soft")}>
				{parts
					? parts.map((part, index) =>
							part.match ? (
								<mark key={index} className="rounded-xs bg-warn-soft text-warn">
									{part.text}
								</mark>
							) : (
								part.text
							),
						)
					: span.name || texts.unnamed}
			</span>
			{(span.status === "ERROR" || span.state !== "ended") && (
				<StatusMark error={span.status === "ERROR"} state={span.state} />
			)}
			{annotated && (
				<span role="img" aria-label={texts.annotated} title={texts.annotated} className="shrink-0 text-accent">
					<MessageSquareText size={12} aria-hidden />
				</span>
			)}
			{span.model && (
				<span className="hidden min-w-0 shrink-[4] truncate text-muted text-sm @[48rem]:inline">{span.model}</span>
			)}
		</span>
	);
}

function Numbers({ span }: { span: TraceSpan }): ReactNode {
	const muted = span.tokensAreAggregate ? "text-muted" : "";
	const { tokens } = span;
	const exact = tokens
		? texts.tokensExact(formatInteger(tokens.prompt), formatInteger(tokens.completion), formatInteger(tokens.total))
		: undefined;
	return (
		<>
			<span
				className={classNames(NUMBER_CELL, "text-right", muted)}
				title={span.tokensAreAggregate && exact ? `${exact}. ${texts.aggregate}` : exact}
			>
				{tokens && (span.tokensAreAggregate ? `(${formatCompact(tokens.total)})` : formatCompact(tokens.total))}
			</span>
			<span className={classNames(NUMBER_CELL, "text-right")} title={span.cost === null ? undefined : `$${span.cost}`}>
				{span.cost !== null && formatCost(span.cost)}
			</span>
			<span className="whitespace-nowrap text-right text-muted">
				<RunDuration
					state={span.state}
					since={span.startMicros / 1000}
					ms={(span.endMicros - span.startMicros) / 1000}
					isMarked={span.status === "ERROR"}
				/>
			</span>
		</>
	);
}
