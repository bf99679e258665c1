import type { Trace } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import ListTree from "lucide-react/icons/list-tree";
import { type ReactNode, useState } from "react";
import { formatBytes, formatCompact, formatCost, formatDuration } from "../../lib/format.ts";
import { texts } from "../../texts/en.ts";
import { classNames } from "../../ui/class-names.ts";
import { ClockTime } from "../../ui/relative-time.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { traceErrorQuery } from "./queries.ts";

/** One trace of a session: input, output and error. */
export function Turn({ project, trace, number }: { project: string; trace: Trace; number: number }): ReactNode {
	return (
		<li className="flex flex-col gap-2">
			<div className="flex flex-wrap items-center gap-x-3 text-muted text-sm">
				<h2 className="flex items-center gap-1.5 font-semibold text-ink">
					{trace.error_count > 0 && <StatusMark error />}
					{texts.sessions.turn(number)}
				</h2>
				<span className="truncate">{trace.root_name}</span>
				<ClockTime time={trace.start_time} />
				<span>{formatDuration(trace.latency_ms)}</span>
				{trace.token_count_total > 0 && <span>{texts.sessions.tokens(formatCompact(trace.token_count_total))}</span>}
				{trace.total_cost !== null && <span>{formatCost(trace.total_cost)}</span>}
				<Link
					to="/p/$project/traces"
					params={{ project }}
					search={{ from: "all", session: trace.session_id ? [trace.session_id] : [], trace: trace.trace_id }}
					className="ml-auto inline-flex h-6 items-center gap-1.5 rounded px-2 text-accent hover:bg-hover"
				>
					<ListTree size={13} aria-hidden />
					{texts.sessions.openTrace}
				</Link>
			</div>
			<Said who={texts.sessions.input} text={trace.first_input} missing={texts.sessions.noInput} side="input" />
			{(trace.last_output || trace.error_count === 0) && (
				<Said who={texts.sessions.output} text={trace.last_output} missing={texts.sessions.noOutput} side="output" />
			)}
			{trace.error_count > 0 && <Failure project={project} trace={trace} />}
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
			{text && text.length >= CUT && (all || !isLong) && <p className="text-muted text-sm">{texts.sessions.cut}</p>}
			{isLong && (
				<button type="button" className="mt-1 text-accent text-sm hover:underline" onClick={() => setAll(!all)}>
					{all ? texts.sessions.showLess : texts.sessions.showAll(formatBytes(text?.length))}
				</button>
			)}
		</div>
	);
}

function Failure({ project, trace }: { project: string; trace: Trace }): ReactNode {
	const { data } = useQuery(traceErrorQuery(project, trace.trace_id));
	const failed = trace.root_status_code === "ERROR";
	return (
		<div className="self-start rounded-lg bg-danger-soft px-3 py-2">
			<h3 className="text-danger text-sm">
				{failed ? texts.sessions.failed : texts.sessions.errorCount(trace.error_count)}
				{data && ` · ${data.name}`}
			</h3>
			{data && (
				<p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
					{data.type && <span className="font-medium">{`${data.type}: `}</span>}
					{data.message}
				</p>
			)}
		</div>
	);
}
