import type { Trace } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import ListTree from "lucide-react/icons/list-tree";
import { type ReactNode, useState } from "react";
import { formatBytes, formatCompact, formatCost } from "../../lib/format.ts";
import { sessionsTexts } from "../../texts/sessions-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { ClockTime } from "../../ui/relative-time.tsx";
import { RunDuration } from "../../ui/run-state.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import type { TurnActivity } from "./turn-activity.ts";
import { Failure, Tools } from "./turn-parts.tsx";

export interface TurnProps {
	readonly project: string;
	readonly trace: Trace;
	readonly number: number;
	readonly activity: TurnActivity;
	readonly ref: (element: HTMLLIElement | null) => void;
}

/** One trace of a session: input, tools, output and errors. */
export function Turn({ project, trace, number, activity, ref }: TurnProps): ReactNode {
	return (
		<li
			ref={ref}
			tabIndex={-1}
			className="flex scroll-mt-20 flex-col max-sm:scroll-mt-44 gap-2 rounded outline-none focus-visible:bg-hover"
		>
			<div className="flex flex-wrap items-center gap-x-3 text-muted text-sm">
				<h2 className="flex items-center gap-1.5 font-semibold text-ink">
					{(trace.error_count > 0 || trace.state !== "ended") && (
						<StatusMark error={trace.error_count > 0} state={trace.state} />
					)}
					{sessionsTexts.turn(number)}
				</h2>
				<span className="truncate">{trace.root_name}</span>
				<ClockTime time={trace.start_time} />
				<span>
					<RunDuration
						state={trace.state}
						since={trace.start_time}
						ms={trace.latency_ms}
						isMarked={trace.error_count > 0}
					/>
				</span>
				{trace.token_count_total > 0 && <span>{sessionsTexts.tokens(formatCompact(trace.token_count_total))}</span>}
				{trace.total_cost !== null && <span>{formatCost(trace.total_cost)}</span>}
				<Link
					to="/p/$project/traces"
					params={{ project }}
					search={{ from: "all", session: trace.session_id ? [trace.session_id] : [], trace: trace.trace_id }}
					className="ml-auto inline-flex h-6 items-center gap-1.5 rounded px-2 text-accent hover:bg-hover"
				>
					<ListTree size={13} aria-hidden />
					{sessionsTexts.openTrace}
				</Link>
			</div>
			<Said who={sessionsTexts.input} text={trace.first_input} missing={sessionsTexts.noInput} side="input" />
			<Tools project={project} tools={activity.tools} />
			{(trace.last_output || (trace.error_count === 0 && trace.state === "ended")) && (
				<Said who={sessionsTexts.output} text={trace.last_output} missing={sessionsTexts.noOutput} side="output" />
			)}
			{trace.error_count > 0 && <Failure project={project} trace={trace} errors={activity.errors} />}
		</li>
	);
}

const LONG = 700;
/** Lists cut texts to this number of characters. */
const CUT = 2000;

function Said({
	who,
	text,
	missing,
	side,
}: {
	who: string;
	text: string | null;
	missing: string;
	side: "input" | "output";
}): ReactNode {
	const [all, setAll] = useState(false);
	const isLong = (text?.length ?? 0) > LONG;
	return (
		<div
			className={classNames(
				"max-w-[46rem] rounded-lg px-3 py-2",
				side === "input" ? "self-end bg-accent-soft" : "self-start bg-sunken",
			)}
		>
			<h3 className="mb-0.5 text-muted text-sm">{who}</h3>
			{text ? (
				<p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
					{isLong && !all ? `${text.slice(0, LONG)}…` : text}
				</p>
			) : (
				<p className="text-muted">{missing}</p>
			)}
			{text && text.length >= CUT && (all || !isLong) && <p className="text-muted text-sm">{sessionsTexts.cut}</p>}
			{isLong && (
				<button type="button" className="mt-1 text-accent text-sm hover:underline" onClick={() => setAll(!all)}>
					{all ? sessionsTexts.showLess : sessionsTexts.showAll(formatBytes(text?.length))}
				</button>
			)}
		</div>
	);
}
