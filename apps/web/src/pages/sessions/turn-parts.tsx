import type { Span, Trace } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import Wrench from "lucide-react/icons/wrench";
import type { ReactNode } from "react";
import { sessionsTexts } from "../../texts/sessions-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { RunDuration } from "../../ui/run-state.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { foldTools, type ToolCalls } from "./turn-activity.ts";

/** Calls of tools, and errors, that a turn shows; the trace has all. */
const MOST_CALLS = 20;
const MOST_ERRORS = 5;

/** The tools that a turn called, in order, with what those that failed said. */
export function Tools({ project, tools }: { project: string; tools: readonly Span[] }): ReactNode {
	const calls = foldTools(tools);
	if (calls.length === 0) return null;
	return (
		<ul
			aria-label={sessionsTexts.tools}
			className="flex max-w-[46rem] flex-wrap items-start gap-1.5 self-start text-sm"
		>
			{calls.slice(0, MOST_CALLS).map((call) => (
				<Tool key={call.first.id} project={project} call={call} />
			))}
			{calls.length > MOST_CALLS && (
				<li className="px-1.5 py-0.5 text-muted">{sessionsTexts.moreInTrace(calls.length - MOST_CALLS)}</li>
			)}
		</ul>
	);
}

function Tool({ project, call: { first, count } }: { project: string; call: ToolCalls }): ReactNode {
	const failed = first.status_code === "ERROR";
	return (
		<li
			className={classNames(
				"flex min-w-0 max-w-full flex-col rounded-md px-2 py-0.5",
				failed ? "bg-danger-soft" : "bg-sunken",
			)}
		>
			<span className="flex min-w-0 items-center gap-1.5">
				{failed ? <StatusMark error /> : <Wrench size={13} aria-hidden className="shrink-0 text-muted" />}
				<SpanLink project={project} span={first} />
				{count > 1 && <span className="text-muted">{sessionsTexts.times(count)}</span>}
				{count === 1 && (
					<span className="whitespace-nowrap text-muted">
						<RunDuration state={first.state} since={first.start_time} ms={first.latency_ms} isMarked />
					</span>
				)}
			</span>
			{failed && first.status_message && (
				<span className="whitespace-pre-wrap [overflow-wrap:anywhere]">{first.status_message}</span>
			)}
		</li>
	);
}

/** The errors of a turn other than those of its tools. */
export function Failure({
	project,
	trace,
	errors,
}: {
	project: string;
	trace: Trace;
	errors: readonly Span[];
}): ReactNode {
	const failed = trace.root_status_code === "ERROR";
	if (errors.length === 0 && !failed) return null;
	return (
		<div className="max-w-[46rem] self-start rounded-lg bg-danger-soft px-3 py-2">
			<h3 className="text-danger text-sm">
				{failed ? sessionsTexts.failed : sessionsTexts.errorCount(trace.error_count)}
			</h3>
			<ul>
				{errors.slice(0, MOST_ERRORS).map((span) => (
					<li key={span.id} className="whitespace-pre-wrap [overflow-wrap:anywhere]">
						<SpanLink project={project} span={span} />
						{span.status_message && `: ${span.status_message}`}
					</li>
				))}
			</ul>
			{errors.length > MOST_ERRORS && (
				<p className="text-muted text-sm">{sessionsTexts.moreInTrace(errors.length - MOST_ERRORS)}</p>
			)}
		</div>
	);
}

/** The name of a span, which leads to it in its trace. */
function SpanLink({ project, span }: { project: string; span: Span }): ReactNode {
	return (
		<Link
			to="/p/$project/traces/$trace"
			params={{ project, trace: span.context.trace_id }}
			search={{ span: span.context.span_id }}
			className="truncate font-medium hover:underline"
		>
			{span.name || sessionsTexts.unnamed}
		</Link>
	);
}
