import { Link, useNavigate } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronUp from "lucide-react/icons/chevron-up";
import GitCompare from "lucide-react/icons/git-compare-arrows";
import Maximize from "lucide-react/icons/maximize-2";
import RefreshCw from "lucide-react/icons/refresh-cw";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { AnnotationChips } from "../../annotating/annotation-chips.tsx";
import { CopyMenu } from "../../copying/copy-menu.tsx";
import { EvaluateInProject } from "../../evaluating/evaluate-button.tsx";
import { formatCompact, formatCost, formatDuration, formatInteger } from "../../lib/format.ts";
import { TraceReviews } from "../../reviewing/trace-reviews.tsx";
import { ActionMenu } from "../../selecting/actions.tsx";
import { compareTracesTexts } from "../../texts/compare-traces-en.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { classNames } from "../../ui/class-names.ts";
import { CopyId } from "../../ui/copy-button.tsx";
import { Key } from "../../ui/keys.tsx";
import { MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { ClockTime } from "../../ui/relative-time.tsx";
import { RunDuration } from "../../ui/run-state.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { SpanKindIcon } from "../../ui/span-kind.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { UserLink } from "../../ui/user-link.tsx";
import type { TraceHead } from "./queries.ts";

export interface TraceHeaderProps {
	/** Whether the trace is the whole page, and has its heading. */
	readonly isPage: boolean;
	readonly hidesAnnotations: boolean;
	readonly project: string;
	readonly traceId: string;
	readonly trace: TraceHead | undefined;
	readonly loaded: number;
	readonly complete: boolean;
	readonly refreshing: boolean;
	/** Number of spans that arrived since and are not shown. */
	readonly newSpans: number;
	readonly onRefresh: () => void;
	/** Set beside a list, where the trace can be closed, and opened on its own page. */
	readonly onClose: (() => void) | undefined;
	readonly onPrevious: (() => void) | undefined;
	readonly onNext: (() => void) | undefined;
	readonly onAnnotate: () => void;
	/** After an evaluator annotated the trace. */
	readonly onEvaluated: () => void;
	readonly onCompare: () => void;
	readonly search: { span?: string; tab?: string };
}

/** Facts, totals and actions of the trace, on two lines. */
export function TraceHeader(props: TraceHeaderProps): ReactNode {
	const { project, traceId, trace, onClose, isPage } = props;
	const navigate = useNavigate();
	const onDelete = onClose ?? (() => void navigate({ to: "/p/$project/traces", params: { project } }));
	const Title = isPage ? "h1" : "h2";
	// Beside a form a phone has room for the name and the spans alone; the rest is on the page of the trace.
	const onlyWide = isPage || onClose ? "" : "max-sm:hidden";
	return (
		<header className="flex shrink-0 flex-col gap-0.5 border-line border-b px-3 pt-2 pb-1.5">
			<div className="flex min-w-0 items-center gap-2 max-sm:flex-wrap">
				{trace ? (
					<>
						<SpanKindIcon kind={trace.root_span_kind} size={16} />
						<Title className="min-w-0 truncate font-semibold text-lg max-sm:basis-40">
							{trace.root_name || texts.unnamed}
						</Title>
						<StatusMark error={trace.root_status_code === "ERROR"} state={trace.state} />
					</>
				) : (
					<>
						<Title className="sr-only">{texts.loading}</Title>
						<Skeleton className="my-1 h-4 w-48" />
					</>
				)}
				<div className="ml-auto flex shrink-0 items-center">
					{props.newSpans > 0 && (
						<Button onClick={props.onRefresh} className="mr-1">
							{texts.newSpans(props.newSpans)}
						</Button>
					)}
					{onClose && (
						<>
							<IconButton label={texts.previous} shortcut="[" onClick={props.onPrevious} disabled={!props.onPrevious}>
								<ChevronUp size={16} aria-hidden />
							</IconButton>
							<IconButton label={texts.next} shortcut="]" onClick={props.onNext} disabled={!props.onNext}>
								<ChevronDown size={16} aria-hidden />
							</IconButton>
						</>
					)}
					<span className={classNames("flex items-center", onlyWide)}>
						<CopyMenu copied={{ kind: "trace", project, traceId }} />
						<ActionMenu
							selected={{ project, kind: "trace", ids: [traceId] }}
							onStarted={(action) => action === "delete" && onDelete()}
						>
							<MenuItem icon={<GitCompare size={14} aria-hidden />} hint={<Key name="C" />} onClick={props.onCompare}>
								{compareTracesTexts.compareWith}
							</MenuItem>
							<MenuSeparator />
						</ActionMenu>
						<IconButton label={texts.refresh} onClick={props.onRefresh} disabled={props.refreshing}>
							<RefreshCw size={14} aria-hidden className={props.refreshing ? "animate-spin" : ""} />
						</IconButton>
					</span>
					{!isPage && (
						<Link
							to="/p/$project/traces/$trace"
							params={{ project, trace: traceId }}
							search={props.search}
							title={texts.openFull}
							aria-label={texts.openFull}
							className="inline-flex size-7 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
						>
							<Maximize size={14} aria-hidden />
						</Link>
					)}
					{onClose && (
						<IconButton label={texts.close} shortcut="Esc" onClick={onClose}>
							<X size={16} aria-hidden />
						</IconButton>
					)}
				</div>
			</div>
			<div className={classNames("flex min-h-6 min-w-0 flex-wrap items-center gap-x-4 gap-y-0.5 text-muted", onlyWide)}>
				{trace ? <Facts {...props} trace={trace} /> : <Skeleton className="w-96 max-w-full" />}
			</div>
		</header>
	);
}

function Facts({
	project,
	trace,
	traceId,
	loaded,
	complete,
	onAnnotate,
	onEvaluated,
	isPage,
	hidesAnnotations,
	onClose,
}: TraceHeaderProps & { trace: TraceHead }): ReactNode {
	const tokens = [trace.token_count_prompt, trace.token_count_completion, trace.token_count_total].map(formatInteger);
	return (
		<>
			<span
				title={trace.state === "ended" ? texts.duration(formatDuration(trace.latency_ms)) : undefined}
				className="text-ink"
			>
				<RunDuration
					state={trace.state}
					since={trace.start_time}
					ms={trace.latency_ms}
					isMarked={trace.root_status_code === "ERROR"}
				/>
			</span>
			{trace.running_count > 0 && <span>{texts.running(trace.running_count)}</span>}
			<span>{texts.spans(trace.span_count)}</span>
			{trace.error_count > 0 && <span className="text-danger">{texts.errors(trace.error_count)}</span>}
			{trace.token_count_total > 0 && (
				<span title={texts.tokensExact(tokens[0] ?? "", tokens[1] ?? "", tokens[2] ?? "")}>
					{texts.tokens(formatCompact(trace.token_count_total))}
				</span>
			)}
			{trace.total_cost !== null && <span title={`$${trace.total_cost}`}>{formatCost(trace.total_cost)}</span>}
			<ClockTime time={trace.start_time} />
			{trace.session_id && (
				<Link
					to="/p/$project/sessions/$session"
					params={{ project, session: trace.session_id }}
					className="min-w-0 rounded hover:underline"
					title={texts.session(trace.session_id)}
				>
					<Chip>{texts.session(trace.session_id)}</Chip>
				</Link>
			)}
			{trace.user_id && (
				<UserLink
					project={project}
					user={trace.user_id}
					className="min-w-0 rounded hover:underline"
					title={texts.user(trace.user_id)}
				>
					<Chip>{texts.user(trace.user_id)}</Chip>
				</UserLink>
			)}
			<CopyId id={traceId} name={texts.traceId} />
			{!hidesAnnotations && (
				<AnnotationChips project={project} target={{ kind: "trace", id: traceId }} isKnown onOpen={onAnnotate} />
			)}
			<EvaluateInProject target={{ kind: "trace", project, id: traceId }} onWritten={onEvaluated} />
			{(isPage || onClose) && <TraceReviews project={project} traceId={traceId} />}
			{!complete && (
				<span role="status" className="text-sm">
					{texts.loadedOf(formatInteger(loaded), formatInteger(trace.span_count))}
				</span>
			)}
		</>
	);
}
