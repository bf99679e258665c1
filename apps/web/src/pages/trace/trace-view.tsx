import { ApiError } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import {
	lazy,
	type ReactNode,
	type RefObject,
	Suspense,
	useEffect,
	useLayoutEffect,
	useMemo,
	useRef,
	useState,
} from "react";
import type { History } from "../../annotating/history.ts";
import type { AnnotationTarget } from "../../annotating/types.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import type { TraceViewProps } from "../../lib/trace-panel.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { nextMatch } from "./find-in-trace.ts";
import { SpanPane } from "./span-pane.tsx";
import { SplitPane } from "./split-pane.tsx";
import { TraceHeader } from "./trace-header.tsx";
import { buildTraceTree, rowKey, spanInRow } from "./trace-tree.ts";
import { TreePane } from "./tree-pane.tsx";
import { collapsibleKeys, reveal, visibleIndex, visiblePositions } from "./tree-rows.ts";
import { TreeToolbar } from "./tree-toolbar.tsx";
import { useAnnotatedSpans } from "./use-annotated-spans.ts";
import { useSelection } from "./use-selection.ts";
import { useSpanPrefetch } from "./use-span-prefetch.ts";
import { useTrace } from "./use-trace.ts";
import { useTraceGrowth } from "./use-trace-growth.ts";
import { useTraceSearch } from "./use-trace-search.ts";
import { useTraceShortcuts } from "./use-trace-shortcuts.ts";
import { traceWindow } from "./waterfall.ts";

const AnnotatePanel = lazy(async () => ({
	default: (await import("../../annotating/annotate-panel.tsx")).AnnotatePanel,
}));
const NOTHING_COLLAPSED: ReadonlySet<string> = new Set();

/** A trace: its spans as a tree with a waterfall on the left, the selected span on the right. */
export function TraceView(props: TraceViewProps): ReactNode {
	const hadFocus = useRef(false);
	const history = useRef<History>([]);
	const [annotating, setAnnotating] = useState<Annotating | undefined>();
	// Another trace starts anew: nothing collapsed, nothing searched. Only the focus stays in here, and annotating.
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

/** What is annotated while the panel for it is open. */
interface Annotating {
	readonly kind: "span" | "trace";
	/** A new object moves the focus. */
	readonly focus: { readonly on: "form" | "note" };
}

interface LoadedTraceViewProps extends TraceViewProps {
	readonly hadFocus: RefObject<boolean>;
	readonly history: RefObject<History>;
	readonly annotating: Annotating | undefined;
	readonly onAnnotating: (annotating: Annotating | undefined) => void;
}

function LoadedTraceView({
	project,
	traceId,
	spanId,
	tab,
	onChange,
	onClose,
	onPrevious,
	onNext,
	onAnnotated,
	hadFocus,
	history,
	annotating,
	onAnnotating,
}: LoadedTraceViewProps): ReactNode {
	const root = useRef<HTMLElement>(null);
	const treeRef = useRef<HTMLDivElement>(null);
	const searchRef = useRef<HTMLInputElement>(null);
	const detailRef = useRef<HTMLDivElement>(null);
	const { trace, spans, annotatedIds, loaded, complete, error, refetch, isFetching } = useTrace(project, traceId);

	const newSpans = useTraceGrowth(project, trace, refetch);

	const tree = useMemo(() => buildTraceTree(spans), [spans]);
	const time = useMemo(() => traceWindow(spans), [spans]);
	const numbers = useMemo(() => spans.some((span) => span.tokens !== null || span.cost !== null), [spans]);
	const [collapsed, setCollapsed] = useState(NOTHING_COLLAPSED);
	const visible = useMemo(() => visiblePositions(tree, collapsed), [tree, collapsed]);

	const [chosen, choose] = useSelection(spanId, (next) => onChange({ spanId: next }));
	const [cursor, setCursor] = useState(-1);
	const rootId = trace?.root_span_id ?? spanInRow(tree, 0)?.spanId;
	const selectedId = chosen ?? rootId;
	const selected = positionOfSpan(selectedId);

	// Two spans may share an id; the one that was pointed at is the selected one.
	function positionOfSpan(id: string | undefined): number {
		if (id === undefined) return -1;
		if (cursor >= 0 && cursor < tree.length && spanInRow(tree, cursor)?.spanId === id) return cursor;
		return tree.positionOf.get(id) ?? -1;
	}
	const select = (position: number) => {
		const id = spanInRow(tree, position)?.spanId ?? tree.missingParents.get(position);
		if (id === undefined) return;
		setCursor(position);
		setCollapsed((before) => reveal(tree, before, position));
		choose(id);
	};
	const toggle = (position: number) => {
		const next = new Set(collapsed);
		const key = rowKey(tree, position);
		if (!next.delete(key)) next.add(key);
		setCollapsed(next);
		// A selection inside what is folded away moves to the row that is left of it.
		if (next.has(key) && selected > position && selected < (tree.subtreeEnd[position] ?? 0)) select(position);
	};
	const toggleAll = () => {
		if (collapsed.size > 0) return setCollapsed(NOTHING_COLLAPSED);
		const keys = collapsibleKeys(tree, tree.length > 0 && (tree.subtreeEnd[0] ?? 0) === tree.length ? 1 : 0);
		setCollapsed(keys);
		const shown = visiblePositions(tree, keys);
		const row = shown[visibleIndex(shown, Math.max(selected, 0))];
		if (row !== undefined && row !== selected) {
			const id = spanInRow(tree, row)?.spanId;
			setCursor(row);
			if (id) choose(id);
		}
	};

	const search = useTraceSearch(project, traceId, tree);
	const goToMatch = (direction: 1 | -1) => {
		const match = nextMatch(search.currentMatches(), selected, direction);
		if (match !== undefined) select(match);
	};

	const onHover = useSpanPrefetch(project, traceId, tree, visible, selected);

	const [annotated, markAnnotated] = useAnnotatedSpans(annotatedIds);
	const annotate = (what: "span" | "trace" | "note") => {
		const kind = what === "note" ? (annotating?.kind ?? "span") : what;
		onAnnotating({ kind, focus: { on: what === "note" ? "note" : "form" } });
	};
	/** Goes to the next span, after the last one to the next trace. */
	const annotateNext = (): boolean => {
		if (annotating?.kind === "span") {
			const rest = visible.subarray(visibleIndex(visible, selected) + 1);
			const next = rest.find((position) => spanInRow(tree, position) !== undefined);
			if (next !== undefined) {
				select(next);
				return true;
			}
		}
		onNext?.();
		return onNext !== undefined;
	};
	const showTarget = ({ kind, id }: AnnotationTarget) => {
		if (kind === "trace" && id === traceId) onAnnotating({ kind, focus: { on: "form" } });
		const position = kind === "span" ? tree.positionOf.get(id) : undefined;
		if (position === undefined) return;
		select(position);
		if (annotating?.kind !== "span") onAnnotating({ kind: "span", focus: { on: "form" } });
	};
	const stopAnnotating = () => {
		onAnnotating(undefined);
		treeRef.current?.focus({ preventScroll: true });
	};

	const isPage = onClose === undefined;
	const ready = trace !== undefined;
	useLayoutEffect(() => {
		const element = root.current;
		if (hadFocus.current) element?.focus({ preventScroll: true });
		return () => {
			hadFocus.current = element?.contains(document.activeElement) ?? false;
		};
	}, [hadFocus]);
	useEffect(() => {
		const isWaiting = document.activeElement === root.current || (isPage && document.activeElement === document.body);
		if (ready && isWaiting) treeRef.current?.focus({ preventScroll: true });
	}, [isPage, ready]);
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
		onMatch: search.matches.length > 0 ? goToMatch : undefined,
		onAnnotate: annotate,
		onTab: (next) => onChange({ tab: next }),
		onClose,
	});

	if (error && !trace) return <TraceError project={project} error={error} onRetry={refetch} onClose={onClose} />;
	const span = spanInRow(tree, selected);
	const target: AnnotationTarget | undefined =
		annotating?.kind === "trace"
			? { kind: "trace", id: traceId, name: trace?.root_name ?? traceId }
			: span && { kind: "span", id: span.spanId, name: span.name || texts.unnamed };
	return (
		<section
			ref={root}
			tabIndex={-1}
			aria-label={texts.tree}
			className="flex h-full min-h-0 min-w-0 flex-col bg-canvas outline-none"
		>
			{isPage && <PageTitle name={trace?.root_name ?? texts.tree} project={project} />}
			<TraceHeader
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
				search={{ ...(chosen ? { span: chosen } : {}), ...(tab ? { tab } : {}) }}
			/>
			<SplitPane
				left={
					<>
						<TreeToolbar
							searchRef={searchRef}
							query={search.query}
							onQuery={search.setQuery}
							matches={search.matches}
							selected={selected}
							anyCollapsed={collapsed.size > 0}
							onGo={goToMatch}
							onLeave={() => treeRef.current?.focus()}
							onToggleAll={toggleAll}
						/>
						{trace ? (
							<TreePane
								tree={tree}
								visible={visible}
								collapsed={collapsed}
								selected={selected}
								found={search.found}
								annotated={annotated}
								words={search.words}
								window={time}
								numbers={numbers}
								treeRef={treeRef}
								onSelect={select}
								onToggle={toggle}
								onHover={onHover}
							/>
						) : (
							<SkeletonRows rows={10} />
						)}
						{error && (
							<p role="alert" className="shrink-0 border-line border-t px-3 py-1.5 text-danger text-sm">
								{texts.loadMoreFailed} {error.message}{" "}
								<button type="button" className="underline" onClick={refetch}>
									{texts.retry}
								</button>
							</p>
						)}
					</>
				}
				right={
					<>
						<SpanPane
							ref={detailRef}
							project={project}
							traceId={traceId}
							spanId={selectedId}
							span={span}
							missing={trace !== undefined && complete && selectedId !== undefined && span === undefined}
							traceStartMicros={time.startMicros}
							tab={tab}
							isAnnotated={selectedId !== undefined && annotated.has(selectedId)}
							onAnnotate={() => annotate("span")}
							onTab={(next) => onChange({ tab: next })}
							onShowRoot={() => rootId !== undefined && choose(rootId)}
						/>
						{annotating && target && (
							<Suspense fallback={<SkeletonRows rows={4} />}>
								<AnnotatePanel
									project={project}
									target={target}
									kinds={["span", "trace"]}
									onKind={(kind) => annotate(kind === "trace" ? "trace" : "span")}
									onNext={annotateNext}
									onClose={stopAnnotating}
									history={history}
									onShow={showTarget}
									onAnnotations={({ kind, id }, list) => kind === "span" && markAnnotated(id, list.length > 0)}
									onChanged={({ kind, id }) => onAnnotated?.({ traceId, spanId: kind === "span" ? id : undefined })}
									focus={annotating.focus}
								/>
							</Suspense>
						)}
					</>
				}
			/>
		</section>
	);
}

/** Names the browser's tab; beside a list the list names it. */
function PageTitle({ name, project }: { name: string; project: string }): ReactNode {
	usePageTitle(name, project);
	return null;
}

interface TraceErrorProps {
	readonly project: string;
	readonly error: Error;
	readonly onRetry: () => void;
	readonly onClose: (() => void) | undefined;
}

function TraceError({ project, error, onRetry, onClose }: TraceErrorProps): ReactNode {
	if (!(error instanceof ApiError && error.status === 404)) return <ErrorState error={error} onRetry={onRetry} />;
	return (
		<div className="h-full bg-canvas" role="alert">
			<EmptyState
				title={texts.notFound}
				text={texts.notFoundText(project)}
				actions={
					<>
						<Button onClick={onRetry}>{texts.retry}</Button>
						{onClose ? (
							<Button onClick={onClose}>{texts.close}</Button>
						) : (
							<Link to="/p/$project/traces" params={{ project }} className={buttonClass()}>
								{texts.allTraces(project)}
							</Link>
						)}
					</>
				}
			/>
		</div>
	);
}
