import { Link } from "@tanstack/react-router";
import ArrowRightLeft from "lucide-react/icons/arrow-right-left";
import type { ReactNode } from "react";
import { formatCompact, formatCost, formatDuration, formatInteger } from "../../../lib/format.ts";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { ClockTime } from "../../../ui/relative-time.tsx";
import { RunDuration } from "../../../ui/run-state.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { StatusMark } from "../../../ui/status-mark.tsx";
import type { TraceHead } from "../queries.ts";
import { deltaText, type Numbers } from "./deltas.ts";
import type { LoadedSide } from "./use-comparison.ts";

export interface CompareHeaderProps {
	readonly left: LoadedSide;
	readonly right: LoadedSide;
	readonly onSwap: () => void;
	readonly onChange: () => void;
}

/** The two traces with their totals. */
export function CompareHeader({ left, right, onSwap, onChange }: CompareHeaderProps): ReactNode {
	return (
		<header className="flex shrink-0 flex-col gap-1 border-line border-b px-3 pt-2 pb-1.5">
			<div className="flex items-center gap-2">
				<h1 className="truncate font-semibold text-lg">{TEXTS.title}</h1>
				<span className="ml-auto flex items-center gap-1">
					<IconButton label={TEXTS.swap} shortcut="S" onClick={onSwap}>
						<ArrowRightLeft size={16} aria-hidden />
					</IconButton>
					<Button onClick={onChange}>{TEXTS.change}</Button>
				</span>
			</div>
			<div className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-2">
				<Side side={left} label={TEXTS.side.left} isOtherProject={false} />
				<Side
					side={right}
					label={TEXTS.side.right}
					isOtherProject={right.project !== left.project}
					base={left.loaded.trace}
				/>
			</div>
		</header>
	);
}

function Side({
	side: { project, traceId, loaded },
	label,
	isOtherProject,
	base,
}: {
	side: LoadedSide;
	label: string;
	isOtherProject: boolean;
	/** The trace with whose numbers the ones of this are compared. */
	base?: TraceHead | undefined;
}): ReactNode {
	const { trace } = loaded;
	const name = trace?.root_name || traceTexts.unnamed;
	return (
		<section aria-label={label} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-muted">
			<span className="font-semibold text-sm">{label}</span>
			{trace ? (
				<>
					<StatusMark error={trace.error_count > 0} state={trace.state} />
					<Link
						to="/p/$project/traces/$trace"
						params={{ project, trace: traceId }}
						title={TEXTS.openTrace(name)}
						className="min-w-0 max-w-full truncate font-medium text-ink hover:underline"
					>
						{name}
					</Link>
					{isOtherProject && <span className="truncate">{project}</span>}
					<ClockTime time={trace.start_time} />
					<Totals trace={trace} base={base} />
					{!loaded.complete && (
						<span role="status" className="text-sm">
							{TEXTS.loading(formatInteger(loaded.loaded), formatInteger(trace.span_count))}
						</span>
					)}
				</>
			) : (
				<Skeleton className="w-64" />
			)}
		</section>
	);
}

function Totals({ trace, base }: { trace: TraceHead; base: TraceHead | undefined }): ReactNode {
	const ended = (each: TraceHead | undefined) => (each?.state === "ended" ? each.latency_ms : null);
	const number = (read: (each: TraceHead) => number | null, format: Numbers["format"]): Numbers => ({
		left: base ? read(base) : null,
		right: read(trace),
		format,
	});
	return (
		<>
			<span>
				<RunDuration state={trace.state} since={trace.start_time} ms={trace.latency_ms} />
				<Change numbers={number(ended, formatDuration)} />
			</span>
			<span>
				{traceTexts.spans(trace.span_count)}
				<Change numbers={number((each) => each.span_count, formatInteger)} />
			</span>
			{(trace.error_count > 0 || (base?.error_count ?? 0) > 0) && (
				<span className={trace.error_count > 0 ? "text-danger" : ""}>
					{traceTexts.errors(trace.error_count)}
					<Change numbers={number((each) => each.error_count, formatInteger)} />
				</span>
			)}
			{(trace.token_count_total > 0 || (base?.token_count_total ?? 0) > 0) && (
				<span>
					{traceTexts.tokens(formatCompact(trace.token_count_total))}
					<Change numbers={number((each) => each.token_count_total, formatCompact)} />
				</span>
			)}
			{trace.total_cost !== null && (
				<span>
					{formatCost(trace.total_cost)}
					<Change numbers={number((each) => each.total_cost, formatCost)} />
				</span>
			)}
		</>
	);
}

/** The difference to the left side, where there is one. */
function Change({ numbers }: { numbers: Numbers }): ReactNode {
	const { left, right } = numbers;
	if (left === null || right === null || left === right) return null;
	return <span className={classNames("ml-1 text-ink text-sm")}>{`(${deltaText(numbers)})`}</span>;
}
