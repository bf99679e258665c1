import type { SpanDetail } from "@spanward/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Check from "lucide-react/icons/check";
import Database from "lucide-react/icons/database";
import Hash from "lucide-react/icons/hash";
import LinkIcon from "lucide-react/icons/link";
import Type from "lucide-react/icons/type";
import { type ReactNode, type Ref, Suspense, useState } from "react";
import { AnnotationChips } from "../../annotating/annotation-chips.tsx";
import { CopyMenu } from "../../copying/copy-menu.tsx";
import { EvaluateInProject } from "../../evaluating/evaluate-button.tsx";
import { config } from "../../lib/config.ts";
import { formatCompact, formatCost, formatInteger } from "../../lib/format.ts";
import { isNotHere, lookAgain, useLastError } from "../../lib/look-again.ts";
import { useMayAddFrom } from "../../lib/project-role.ts";
import { useDebounced } from "../../lib/use-debounced.ts";
import { copyingTexts } from "../../texts/copying-en.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useTextView } from "../../ui/content/text-view.ts";
import { CopyId, copyText } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RunDuration } from "../../ui/run-state.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { SpanKindLabel } from "../../ui/span-kind.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AttributesTab } from "./attributes-tab.tsx";
import { DamagedSpan, isDamaged } from "./damaged-span.tsx";
import { EventsTab } from "./events-tab.tsx";
import { formatOffset } from "./format-offset.ts";
import { OpenInPlayground } from "./open-in-playground.tsx";
import { PreviewTab } from "./preview-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import { spanQuery } from "./span-queries.ts";
import type { TraceSpan } from "./trace-span.ts";
import { TRACE_TABS, type TraceTab, traceTab } from "./trace-tab.ts";

const AddToDatasetDialog = lazyPart(() => import("./add-to-dataset-dialog.tsx"), "AddToDatasetDialog", {
	isOver: true,
});

export interface SpanPaneProps {
	readonly hidesAnnotations: boolean;
	readonly ref: Ref<HTMLDivElement>;
	readonly project: string;
	readonly traceId: string;
	readonly spanId: string | undefined;
	/** Undefined while the trace loads, and for a missing parent. */
	readonly span: TraceSpan | undefined;
	/** Whether the trace is complete and has no such span. */
	readonly missing: boolean;
	readonly traceStartMicros: number;
	readonly tab: string | undefined;
	readonly isAnnotated: boolean;
	readonly onAnnotate: () => void;
	/** After an evaluator annotated the span. */
	readonly onEvaluated: () => void;
	readonly onTab: (tab: TraceTab) => void;
	readonly onShowRoot: () => void;
}

/** The selected span: header and tabs. */
export function SpanPane(props: SpanPaneProps): ReactNode {
	const { project, traceId, spanId } = props;
	const queries = useQueryClient();
	// While an arrow key is held down, only spans that are already loaded are shown.
	const settled = useDebounced(spanId, 90);
	const known =
		spanId !== undefined && queries.getQueryData(spanQuery(project, traceId, spanId).queryKey) !== undefined;
	const wanted = (known ? spanId : settled) ?? "";
	const query = useQuery({
		...spanQuery(project, traceId, wanted),
		...lookAgain,
		enabled: wanted !== "" && wanted === spanId && !props.missing,
	});
	const detail = wanted === spanId ? query.data : undefined;
	const last = useLastError(wanted, query);
	const error = wanted === spanId ? last : null;

	return (
		<div ref={props.ref} tabIndex={-1} className="@container flex min-h-0 min-w-0 flex-1 flex-col outline-none">
			{props.missing ? (
				<EmptyState
					title={texts.selectedMissing}
					text={texts.missingParentText}
					actions={<Button onClick={props.onShowRoot}>{texts.showRoot}</Button>}
				/>
			) : (
				<>
					<SpanHeader {...props} detail={detail} />
					<SpanTabs {...props} detail={detail} error={error} onRetry={() => void query.refetch()} />
				</>
			)}
		</div>
	);
}

interface SpanTabsProps extends SpanPaneProps {
	readonly detail: SpanDetail | undefined;
	readonly error: Error | null;
	readonly onRetry: () => void;
}

function SpanTabs({ project, traceId, spanId, detail, error, tab, onTab, onRetry }: SpanTabsProps): ReactNode {
	const chosen = traceTab(tab);
	const isLost = detail !== undefined && isDamaged(detail);
	const content = (draw: (detail: SpanDetail) => ReactNode) => {
		if (error) return <SpanError error={error} onRetry={onRetry} />;
		if (!detail) return <PaneSkeleton />;
		return <div className="p-3">{isLost ? <DamagedSpan span={detail} /> : draw(detail)}</div>;
	};
	const events = (detail?.events.length ?? 0) + (detail?.log_events.length ?? 0);
	const attributes = isLost ? 0 : (detail?.otlp.attributes.length ?? 0);
	const contents: Record<TraceTab, ReactNode> = {
		preview: content((span) => <PreviewTab key={spanId} project={project} traceId={traceId} span={span} />),
		attributes: content((span) => <AttributesTab key={spanId} span={span} />),
		events: content((span) => <EventsTab key={spanId} span={span} />),
		raw: content((span) => <RawTab key={spanId} span={span} />),
	};
	const badges: Partial<Record<TraceTab, number>> = { attributes, events };
	return (
		<Tabs
			label={texts.detail}
			value={chosen}
			onChange={onTab}
			className="min-h-0 flex-1"
			items={TRACE_TABS.map((value) => ({
				value,
				label: texts.tab[value],
				...(badges[value] ? { badge: formatInteger(badges[value]) } : {}),
				content: contents[value],
			}))}
			aside={chosen === "preview" && !isLost && <TextViewSwitch />}
		/>
	);
}

function SpanHeader({
	project,
	traceId,
	span,
	detail,
	traceStartMicros,
	isAnnotated,
	onAnnotate,
	onEvaluated,
	hidesAnnotations,
}: SpanPaneProps & { detail: SpanDetail | undefined }): ReactNode {
	if (!span) {
		return (
			<div className="flex h-16 shrink-0 flex-col justify-center gap-2 px-3">
				<Skeleton className="h-4 w-40" />
				<Skeleton className="w-64" />
			</div>
		);
	}
	const { tokens } = span;
	const offset = formatOffset((span.startMicros - traceStartMicros) / 1000);
	return (
		<div className="flex min-h-16 shrink-0 flex-col justify-center gap-0.5 px-3 py-1.5">
			<div className="flex min-w-0 flex-wrap items-center gap-x-2">
				<SpanKindLabel kind={span.kind} className="text-sm" />
				<h3 className="min-w-0 grow basis-24 truncate font-semibold" title={span.name}>
					{span.name || texts.unnamed}
				</h3>
				{span.status === "ERROR" && <Chip tone="danger">{texts.section.error}</Chip>}
				<span className="flex min-w-0 flex-wrap items-center">
					{!hidesAnnotations && (
						<AnnotationChips
							project={project}
							target={{ kind: "span", id: span.spanId }}
							isKnown={isAnnotated}
							onOpen={onAnnotate}
						/>
					)}
					<EvaluateInProject
						key={`evaluate ${span.spanId}`}
						target={{ kind: "span", project, traceId, id: span.spanId }}
						onWritten={onEvaluated}
					/>
					{span.kind === "LLM" && <OpenInPlayground project={project} traceId={traceId} spanId={span.spanId} />}
					<AddToDataset key={span.spanId} project={project} spanId={span.spanId} />
					<CopyMenu
						key={`copy ${span.spanId}`}
						copied={{ kind: "span", project, traceId, spanId: span.spanId }}
						label={copyingTexts.triggerSpan}
						className="size-6"
					/>
					<CopyId id={span.spanId} name={texts.spanId} />
					<CopyLink
						path={`/p/${encodeURIComponent(project)}/traces/${encodeURIComponent(traceId)}?span=${encodeURIComponent(span.spanId)}`}
					/>
				</span>
			</div>
			<div className="flex min-w-0 flex-wrap items-center gap-x-4 text-muted">
				<span className="text-ink">
					<RunDuration
						state={span.state}
						since={span.startMicros / 1000}
						ms={(span.endMicros - span.startMicros) / 1000}
						isMarked
					/>
				</span>
				<span title={texts.afterStart(offset)}>{offset}</span>
				{(detail?.semantic.model ?? span.model) && (
					<span className="truncate">{detail?.semantic.model ?? span.model}</span>
				)}
				{tokens && (
					<span
						title={texts.tokensExact(
							formatInteger(tokens.prompt),
							formatInteger(tokens.completion),
							formatInteger(tokens.total),
						)}
					>
						{tokens.prompt !== null && tokens.completion !== null
							? texts.tokensInOut(formatCompact(tokens.prompt), formatCompact(tokens.completion))
							: texts.tokens(formatCompact(tokens.total))}
					</span>
				)}
				{span.cost !== null && <span title={`$${span.cost}`}>{formatCost(span.cost)}</span>}
			</div>
		</div>
	);
}

function AddToDataset({ project, spanId }: { project: string; spanId: string }): ReactNode {
	const mayAdd = useMayAddFrom(project);
	const [isOpen, setOpen] = useState(false);
	if (!mayAdd) return null;
	return (
		<>
			<IconButton label={texts.addToDataset} onClick={() => setOpen(true)} className="size-6">
				<Database size={13} aria-hidden />
			</IconButton>
			<Suspense>
				{isOpen && <AddToDatasetDialog project={project} spanId={spanId} onClose={() => setOpen(false)} />}
			</Suspense>
		</>
	);
}

/** Copies the address of the span on its trace's own page. */
function CopyLink({ path }: { path: string }): ReactNode {
	const [copied, setCopied] = useState(false);
	const copy = () => {
		copyText(`${config.origin}${path}`).then(
			() => setCopied(true),
			() => setCopied(false),
		);
	};
	return (
		<IconButton label={texts.copyLink} onClick={copy} onMouseLeave={() => setCopied(false)} className="size-6">
			{copied ? <Check size={13} aria-hidden className="text-ok" /> : <LinkIcon size={13} aria-hidden />}
		</IconButton>
	);
}

const TEXT_VIEWS = [
	{ value: "markdown", icon: Hash },
	{ value: "text", icon: Type },
] as const;

/** Switches all texts of the preview; shows only icons in a narrow panel. */
function TextViewSwitch(): ReactNode {
	const [view, setView] = useTextView();
	const choices = TEXT_VIEWS.map(({ value, icon: Icon }) => ({
		value,
		label: (
			<>
				<span className="sr-only @[28rem]:not-sr-only">{texts[value]}</span>
				<Icon size={13} aria-hidden className="@[28rem]:hidden" />
			</>
		),
	}));
	return <SegmentedControl label={texts.textView} value={view} onChange={setView} choices={choices} />;
}

function SpanError({ error, onRetry }: { error: Error; onRetry: () => void }): ReactNode {
	if (!isNotHere(error)) return <ErrorState error={error} onRetry={onRetry} />;
	return (
		<div role="alert">
			<EmptyState
				title={texts.spanNotFound}
				text={texts.spanNotFoundText}
				actions={<Button onClick={onRetry}>{texts.retry}</Button>}
			/>
		</div>
	);
}

const LINES = ["w-3/4", "w-full", "w-5/6", "w-2/3"];

/** Placeholder of two messages while the span loads. */
function PaneSkeleton(): ReactNode {
	return (
		<div role="status" aria-label={texts.loadingSpan} className="flex flex-col gap-6 p-3">
			{["w-16", "w-24"].map((title) => (
				<div key={title} className="flex flex-col gap-2.5">
					<Skeleton className={title} />
					{LINES.map((line) => (
						<Skeleton key={line} className={classNames("ml-5", line)} />
					))}
				</div>
			))}
		</div>
	);
}
