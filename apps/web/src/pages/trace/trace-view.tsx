import { type ReactNode, type RefObject, Suspense, useMemo, useRef, useState } from "react";
import type { History } from "../../annotating/history.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { useSeconds } from "../../lib/time.ts";
import type { TraceViewProps } from "../../lib/trace-panel.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { criticalPath } from "./critical-path.ts";
import { nextMatch } from "./find-in-trace.ts";
import { SpanPane } from "./span-pane.tsx";
import { SplitPane } from "./split-pane.tsx";
import { TraceError } from "./trace-error.tsx";
import { TraceHeader } from "./trace-header.tsx";
import { TreePane } from "./tree-pane.tsx";
import { errorPositions } from "./tree-rows.ts";
import { TreeToolbar } from "./tree-toolbar.tsx";
import { useAnnotatedSpans } from "./use-annotated-spans.ts";
import { useSpanPrefetch } from "./use-span-prefetch.ts";
import { useTrace } from "./use-trace.ts";
import { type Annotating, useTraceAnnotating } from "./use-trace-annotating.ts";
import { useTraceFocus } from "./use-trace-focus.ts";
import { useTraceGrowth } from "./use-trace-growth.ts";
import { useGoToMatch, useTraceSearch } from "./use-trace-search.ts";
import { useTraceShortcuts } from "./use-trace-shortcuts.ts";
import { useTraceTree } from "./use-trace-tree.ts";
import { useTraceZoom } from "./use-trace-zoom.ts";
import { traceWindow } from "./waterfall.ts";

const AnnotatePanel = lazyPart(() => import("../../annotating/annotate-panel.tsx"), "AnnotatePanel");
const CompareDialog = lazyPart(() => import("./compare/compare-dialog.tsx"), "CompareDialog", { isOver: true });
const GraphPane = lazyPart(() => import("./graph-pane.tsx"), "GraphPane");

const pathSetting = localSetting("trace-critical-path");
const graphSetting = localSetting("trace-graph");

/** A trace: its spans as a tree with a waterfall on the left, the selected span on the right. */
export function TraceView(props: TraceViewProps): ReactNode {
	const hadFocus = useRef(false);
	const history = useRef<History>([]);
	const [annotating, setAnnotating] = useState<Annotating | undefined>();
	// State is reset for another trace (collapsed rows, search), except the focus and the annotation panel.
	return (
		<LoadedTraceView
			key={`${props.project} ${props.traceId}`}
			hadFocus={hadFocus}
			history={history}
			annotating={annotating}
			onAnnotating={setAnnotating}
			{...props}
		/>
	);
}

interface LoadedTraceViewProps extends TraceViewProps {
	readonly hadFocus: RefObject<boolean>;
	readonly history: RefObject<History>;
	readonly annotating: Annotating | undefined;
	readonly onAnnotating: (annotating: Annotating | undefined) => void;
}

function LoadedTraceView(props: LoadedTraceViewProps): ReactNode {
	const { project, traceId, tab, onChange, onClose, onPrevious, onNext, onAnnotated, annotating, onAnnotating } = props;
	const root = useRef<HTMLElement>(null);
	const treeRef = useRef<HTMLDivElement>(null);
	const searchRef = useRef<HTMLInputElement>(null);
	const detailRef = useRef<HTMLDivElement>(null);
	const isPage = onClose === undefined && props.isPart !== true;
	const hidesAnnotations = props.hidesAnnotations === true;
	const [isComparing, setComparing] = useState(false);

	const { trace, spans, annotatedIds, loaded, complete, error, refetch, isFetching } = useTrace(project, traceId);
	const newSpans = useTraceGrowth(project, trace, refetch);
	const isRunning = useMemo(() => spans.some((each) => each.state === "running"), [spans]);
	const now = useSeconds(isRunning);
	const time = useMemo(() => traceWindow(spans, now * 1_000), [spans, now]);
	const numbers = useMemo(() => spans.some((span) => span.tokens !== null || span.cost !== null), [spans]);
	const state = useTraceTree(trace, spans, props.spanId, (spanId) => onChange({ spanId }));
	const { tree, visible, collapsed, selected, selectedId, chosenId, span, select, toggle, toggleAll } = state;
	const zoom = useTraceZoom(time, span);
	const [showsPath, setShowsPath] = useLocalSetting(pathSetting);
	const path = useMemo(() => (showsPath ? criticalPath(tree) : undefined), [showsPath, tree]);
	const toggleCriticalPath = () => setShowsPath(showsPath ? undefined : "shown");
	const [showsGraph, setShowsGraph] = useLocalSetting(graphSetting);
	const toggleGraph = () => setShowsGraph(showsGraph ? undefined : "shown");
	const errors = useMemo(() => errorPositions(tree), [tree]);
	const goToError = (direction: 1 | -1) => {
		const error = nextMatch(errors, selected, direction);
		if (error !== undefined) select(error);
	};
	const search = useTraceSearch(project, traceId, tree);
	const goToMatch = useGoToMatch(search, selected, select);
	const onHover = useSpanPrefetch(project, traceId, tree, visible, selected);
	const [annotated, markAnnotated] = useAnnotatedSpans(annotatedIds);
	const { target, annotate, annotateNext, showTarget } = useTraceAnnotating({
		traceId,
		name: trace?.root_name,
		state,
		annotating,
		onAnnotating,
		onNextTrace: onNext,
	});
	useTraceFocus({ root, tree: treeRef, hadFocus: props.hadFocus, isPage, isReady: trace !== undefined });
	useTraceShortcuts({
		root: isPage ? undefined : root,
		detail: detailRef,
		search: searchRef,
		tree,
		visible,
		collapsed,
		selected,
		onSelect: select,
		onToggle: toggle,
		onToggleAll: toggleAll,
		onToggleRepeated: () => state.toggleRepeated(selected),
		onError: errors.length > 0 ? goToError : undefined,
		onCriticalPath: toggleCriticalPath,
		onGraph: toggleGraph,
		zoom,
		onMatch: search.matches.length > 0 ? goToMatch : undefined,
		onAnnotate: (what) => !hidesAnnotations && annotate(what),
		isPart: props.isPart === true,
		onCompare: () => setComparing(true),
		onTab: (next) => onChange({ tab: next }),
		onClose,
	});
	if (error && !trace) return <TraceError project={project} error={error} onRetry={refetch} onClose={onClose} />;

	const treePart = (
		<>
			<TreeToolbar
				searchRef={searchRef}
				query={search.query}
				onQuery={search.setQuery}
				matches={search.matches}
				isSearching={search.isSearching}
				selected={selected}
				errors={errors}
				showsCriticalPath={path !== undefined}
				isZoomed={zoom.shown !== undefined}
				anyCollapsed={collapsed.size > 0}
				onGo={goToMatch}
				onLeave={() => treeRef.current?.focus()}
				onToggleAll={toggleAll}
				onNextError={goToError}
				onCriticalPath={toggleCriticalPath}
				showsGraph={showsGraph !== undefined}
				onGraph={toggleGraph}
				onShowAllTime={zoom.showAll}
			/>
			{trace && showsGraph ? (
				<Suspense fallback={<SkeletonRows rows={10} />}>
					<GraphPane tree={tree} selected={selected} onSelect={select} />
				</Suspense>
			) : trace ? (
				<TreePane
					tree={tree}
					visible={visible}
					collapsed={collapsed}
					repetitions={state.repetitions}
					unfolded={state.unfolded}
					criticalPath={path}
					selected={selected}
					found={search.found}
					annotated={annotated}
					words={search.words}
					time={time}
					zoom={zoom.shown}
					onZoom={zoom.show}
					numbers={numbers}
					treeRef={treeRef}
					onSelect={select}
					onToggle={toggle}
					onToggleRepeated={state.toggleRepeated}
					onHover={onHover}
				/>
			) : (
				<SkeletonRows rows={10} />
			)}
			{error && <RestMissing error={error} onRetry={refetch} />}
		</>
	);
	const spanPart = (
		<>
			<SpanPane
				ref={detailRef}
				hidesAnnotations={hidesAnnotations}
				project={project}
				traceId={traceId}
				spanId={selectedId}
				span={span}
				missing={trace !== undefined && complete && selectedId !== undefined && span === undefined}
				traceStartMicros={time.startMicros}
				tab={tab}
				isAnnotated={selectedId !== undefined && annotated.has(selectedId)}
				onAnnotate={() => annotate("span")}
				onEvaluated={() => {
					if (selectedId === undefined) return;
					markAnnotated(selectedId, true);
					onAnnotated?.({ traceId, spanId: selectedId });
				}}
				onTab={(next) => onChange({ tab: next })}
				onShowRoot={state.selectRoot}
			/>
			{annotating && target && (
				<Suspense fallback={<SkeletonRows rows={4} />}>
					<AnnotatePanel
						project={project}
						target={target}
						kinds={["span", "trace"]}
						onKind={(kind) => annotate(kind === "trace" ? "trace" : "span")}
						onNext={annotateNext}
						onClose={() => {
							onAnnotating(undefined);
							treeRef.current?.focus({ preventScroll: true });
						}}
						history={props.history}
						onShow={showTarget}
						onAnnotations={({ kind, id }, list) => kind === "span" && markAnnotated(id, list.length > 0)}
						onChanged={({ kind, id }) => onAnnotated?.({ traceId, spanId: kind === "span" ? id : undefined })}
						focus={annotating.focus}
					/>
				</Suspense>
			)}
		</>
	);
	return (
		<section
			ref={root}
			tabIndex={-1}
			aria-label={texts.tree}
			className="flex h-full min-h-0 min-w-0 flex-col bg-canvas outline-none"
		>
			{isPage && <PageTitle name={trace?.root_name ?? texts.tree} project={project} />}
			<TraceHeader
				isPage={isPage}
				hidesAnnotations={hidesAnnotations}
				project={project}
				traceId={traceId}
				trace={trace}
				loaded={loaded}
				complete={complete}
				refreshing={isFetching}
				newSpans={newSpans}
				onRefresh={refetch}
				onClose={onClose}
				onPrevious={onPrevious}
				onNext={onNext}
				onAnnotate={() => annotate("trace")}
				onEvaluated={() => onAnnotated?.({ traceId, spanId: undefined })}
				onCompare={() => setComparing(true)}
				search={{ ...(chosenId ? { span: chosenId } : {}), ...(tab ? { tab } : {}) }}
			/>
			<SplitPane left={treePart} right={spanPart} />
			<Suspense>
				{isComparing && (
					<CompareDialog project={project} traceId={traceId} trace={trace} onClose={() => setComparing(false)} />
				)}
			</Suspense>
		</section>
	);
}

/** Shown below a tree whose further parts could not be loaded. */
function RestMissing({ error, onRetry }: { error: Error; onRetry: () => void }): ReactNode {
	return (
		<p role="alert" className="shrink-0 border-line border-t px-3 py-1.5 text-danger text-sm">
			{texts.loadMoreFailed} {error.message}{" "}
			<button type="button" className="underline" onClick={onRetry}>
				{texts.retry}
			</button>
		</p>
	);
}

/** Sets the title of the browser's tab; beside a list, the list sets it. */
function PageTitle({ name, project }: { name: string; project: string }): ReactNode {
	usePageTitle(name, project);
	return null;
}
