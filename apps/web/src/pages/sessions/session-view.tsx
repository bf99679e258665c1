import type { Session } from "@spanward/client";
import { useInfiniteQuery, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import ArrowLeft from "lucide-react/icons/arrow-left";
import CircleAlert from "lucide-react/icons/circle-alert";
import { type ReactNode, Suspense, useRef, useState } from "react";
import { AnnotationChips } from "../../annotating/annotation-chips.tsx";
import type { History } from "../../annotating/history.ts";
import { CopyMenu } from "../../copying/copy-menu.tsx";
import { EvaluateInProject } from "../../evaluating/evaluate-button.tsx";
import { formatCompact, formatCost, formatInteger } from "../../lib/format.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { parseTimeRange } from "../../lib/time-range.ts";
import { useTraceEvents } from "../../lib/trace-events.ts";
import { annotatingTexts } from "../../texts/annotating-en.ts";
import { texts } from "../../texts/en.ts";
import { sessionsTexts } from "../../texts/sessions-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { ClockTime } from "../../ui/relative-time.tsx";
import { RunDuration } from "../../ui/run-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { UserLink } from "../../ui/user-link.tsx";
import { activityQuery, sessionQuery, turnPages } from "./session-queries.ts";
import { Turn } from "./turn.tsx";
import { NO_ACTIVITY } from "./turn-activity.ts";
import { useFailedTurns } from "./use-failed-turns.ts";

const AnnotatePanel = lazyPart(() => import("../../annotating/annotate-panel.tsx"), "AnnotatePanel");

export interface SessionViewProps {
	/** Name or id of the project. */
	readonly project: string;
	/** As it was sent. */
	readonly session: string;
	/** It stands beside something else that the page is for, and has the page's keys. */
	readonly isPart?: boolean;
	/** Nothing is said of annotations. */
	readonly hidesAnnotations?: boolean | undefined;
}

/** A session as a conversation, with one turn per trace. */
export function SessionView({ project, session, isPart = false, hidesAnnotations }: SessionViewProps): ReactNode {
	const Title = isPart ? "h2" : "h1";
	const queries = useQueryClient();
	const { data, error, refetch } = useQuery(sessionQuery(project, session));
	const turns = useInfiniteQuery(turnPages(project, session));
	const [annotating, setAnnotating] = useState<{ readonly on: "form" | "note" } | undefined>();
	const history = useRef<History>([]);
	const traces = turns.data?.pages.flatMap((page) => page.data) ?? [];
	const activities = useQueries({
		queries: (turns.data?.pages ?? []).map((page) =>
			activityQuery(
				project,
				page.data.map((trace) => trace.trace_id),
			),
		),
	});
	const activityOf = (traceId: string) =>
		activities.map(({ data: known }) => known?.get(traceId)).find((known) => known !== undefined) ?? NO_ACTIVITY;
	const failedTurns = useFailedTurns(turns, traces);
	const hasFailed = (data?.error_count ?? 0) > 0;
	useTraceEvents(project, true, () => {
		void queries.invalidateQueries({ queryKey: ["session", project, session] });
		void queries.invalidateQueries({ queryKey: ["turns", project, session] });
		void queries.invalidateQueries({ queryKey: ["turn-activity", project] });
	});
	useShortcuts({
		title: sessionsTexts.title,
		shortcuts: [
			{
				keys: ["f"],
				label: sessionsTexts.failedShortcut,
				run: (event) => hasFailed && failedTurns.go(event.shiftKey ? -1 : 1),
			},
		],
	});
	useShortcuts({
		title: annotatingTexts.shortcuts.title,
		shortcuts: isPart
			? []
			: [
					{
						keys: ["e"],
						label: annotatingTexts.shortcuts.annotateSession,
						run: () => setAnnotating({ on: "form" }),
					},
					{ keys: ["n"], label: annotatingTexts.shortcuts.note, run: () => setAnnotating({ on: "note" }) },
				],
	});
	if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
	const stopAnnotating = () => {
		setAnnotating(undefined);
		document.getElementById("content")?.focus();
	};
	return (
		<div className="flex min-h-0 flex-1 flex-col">
			<div className="min-h-0 flex-1 overflow-auto">
				<div className="sticky top-0 z-10 flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b bg-canvas px-3 py-2">
					{!isPart && (
						<Link
							to="/p/$project/sessions"
							params={{ project }}
							search={parseTimeRange}
							className={buttonClass("quiet", "text-muted")}
						>
							<ArrowLeft size={14} aria-hidden />
							{sessionsTexts.back}
						</Link>
					)}
					<Title className="flex min-w-0 items-center font-semibold text-lg">
						<span className="truncate">{session}</span>
						<CopyButton text={session} label={texts.action.copyNamed(sessionsTexts.column.session)} />
						<CopyMenu copied={{ kind: "session", project, sessionId: session }} />
					</Title>
					{data && <Facts project={project} session={data} />}
					{hasFailed && (
						<IconButton
							label={sessionsTexts.nextFailed}
							shortcut="F"
							onClick={(event) => failedTurns.go(event.shiftKey ? -1 : 1)}
						>
							<CircleAlert size={16} aria-hidden className="text-danger" />
						</IconButton>
					)}
					{!hidesAnnotations && (
						<AnnotationChips
							project={project}
							target={{ kind: "session", id: session }}
							isKnown
							onOpen={() => setAnnotating({ on: "form" })}
						/>
					)}
					<EvaluateInProject target={{ kind: "session", project, id: session }} />
				</div>
				<div className="mx-auto flex max-w-4xl flex-col gap-6 px-4 py-6">
					{turns.error && traces.length === 0 && (
						<ErrorState error={turns.error} onRetry={() => void turns.refetch()} />
					)}
					{turns.isPending && <SkeletonRows rows={6} />}
					<ol aria-label={sessionsTexts.turns} className="flex flex-col gap-6">
						{traces.map((trace, index) => (
							<Turn
								key={trace.id}
								project={project}
								trace={trace}
								number={index + 1}
								activity={activityOf(trace.trace_id)}
								ref={failedTurns.refOf(index)}
							/>
						))}
					</ol>
					<MoreRows query={turns} what={sessionsTexts.moreTurns} />
				</div>
			</div>
			{annotating && (
				<Suspense fallback={<SkeletonRows rows={4} />}>
					<AnnotatePanel
						project={project}
						target={{ kind: "session", id: session, name: session }}
						kinds={["session"]}
						onKind={() => undefined}
						onNext={() => false}
						onClose={stopAnnotating}
						history={history}
						onShow={() => undefined}
						onAnnotations={() => undefined}
						focus={annotating}
					/>
				</Suspense>
			)}
		</div>
	);
}

function Facts({ project, session }: { project: string; session: Session }): ReactNode {
	const facts: [string, ReactNode][] = [
		[sessionsTexts.column.traces, formatInteger(session.trace_count)],
		...(session.error_count > 0
			? ([
					[
						sessionsTexts.column.errors,
						<span key="errors" className="text-danger">
							{formatInteger(session.error_count)}
						</span>,
					],
				] as [string, ReactNode][])
			: []),
		...(session.token_count_total > 0
			? ([[sessionsTexts.column.tokens, formatCompact(session.token_count_total)]] as [string, ReactNode][])
			: []),
		...(session.total_cost === null
			? []
			: ([[sessionsTexts.column.cost, formatCost(session.total_cost)]] as [string, ReactNode][])),
		[sessionsTexts.column.start, <ClockTime key="start" time={session.start_time} />],
		[
			sessionsTexts.duration,
			<RunDuration key="duration" state={session.state} since={session.start_time} ms={session.latency_ms} isMarked />,
		],
		...(session.user_id
			? ([
					[
						sessionsTexts.column.user,
						<UserLink key="user" project={project} user={session.user_id} className="hover:underline" />,
					],
				] as [string, ReactNode][])
			: []),
	];
	return (
		<dl className="flex flex-wrap gap-x-4">
			{facts.map(([name, value]) => (
				<div key={name} className="flex gap-1.5">
					<dt className="text-muted">{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}
