import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { usePageTitle } from "../../../lib/page-title.ts";
import { present } from "../../../lib/search-params.ts";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { TraceError } from "../trace-error.tsx";
import { useSelection } from "../use-selection.ts";
import { useTrace } from "../use-trace.ts";
import { CompareDialog } from "./compare-dialog.tsx";
import { CompareHeader } from "./compare-header.tsx";
import { CompareView } from "./compare-view.tsx";
import { PickTrace } from "./pick-trace.tsx";
import type { CompareTracesSearch } from "./search.ts";
import type { ChosenRow } from "./use-compared-rows.ts";
import { type LoadedSide, type SideOfComparison, useComparison } from "./use-comparison.ts";

const route = getRouteApi("/p/$project/traces/$trace/compare");

/** Two traces side by side, aligned by structure. */
export function CompareTracesPage(): ReactNode {
	const { project, trace } = route.useParams();
	const search = route.useSearch();
	const left = { project, traceId: trace };
	if (search.with === undefined) return <NothingChosen {...left} />;
	const right = { project: search.in ?? project, traceId: search.with };
	// State is reset for other traces (collapsed rows).
	return <Comparison key={JSON.stringify([left, right])} left={left} right={right} search={search} />;
}

/** The comparison has no right side yet. */
function NothingChosen({ project, traceId }: SideOfComparison): ReactNode {
	const navigate = route.useNavigate();
	const { trace, error, refetch } = useTrace(project, traceId);
	usePageTitle(TEXTS.title, project);
	if (error && !trace) return <TraceError project={project} error={error} onRetry={refetch} onClose={undefined} />;
	return (
		<section className="mx-auto flex min-h-0 w-full max-w-3xl flex-1 flex-col overflow-auto pt-4">
			<h1 className="px-4 font-semibold text-lg">{TEXTS.pick.title}</h1>
			<PickTrace
				project={project}
				traceId={traceId}
				trace={trace}
				onPick={(other) =>
					void navigate({
						search: { with: other.traceId, ...(other.project === project ? {} : { in: other.project }) },
					})
				}
			/>
		</section>
	);
}

function Comparison({
	left,
	right,
	search,
}: {
	left: SideOfComparison;
	right: SideOfComparison;
	search: CompareTracesSearch;
}): ReactNode {
	const navigate = route.useNavigate();
	const comparison = useComparison(left, right);
	const [isPicking, setPicking] = useState(false);
	usePageTitle(TEXTS.title, comparison.left.loaded.trace?.root_name ?? left.project);
	const change = (next: { [K in keyof CompareTracesSearch]?: CompareTracesSearch[K] | undefined }, replace = false) =>
		void navigate({ search: (before) => present({ ...before, ...next }) as CompareTracesSearch, replace });
	const [chosen, choose] = useSelection(keyOf({ left: search.span, right: search.right }), (key) => {
		const { left, right } = chosenRow(key);
		change({ span: left, right }, true);
	});
	const swap = () =>
		void navigate({
			to: "/p/$project/traces/$trace/compare",
			params: { project: right.project, trace: right.traceId },
			search: present({
				with: left.traceId,
				in: left.project === right.project ? undefined : left.project,
				only: search.only,
			}),
		});
	const sides = [
		{ label: TEXTS.side.left, side: comparison.left },
		{ label: TEXTS.side.right, side: comparison.right },
	];
	const failed = sides.filter(({ side }) => side.loaded.error && !side.loaded.trace);
	const dialog = isPicking && (
		<CompareDialog
			project={left.project}
			traceId={left.traceId}
			trace={comparison.left.loaded.trace}
			onClose={() => setPicking(false)}
		/>
	);
	if (failed.length > 0) {
		return (
			<section className="flex min-h-0 flex-1 flex-col overflow-auto">
				<h1 className="sr-only">{TEXTS.title}</h1>
				{failed.map(({ label, side }) => (
					<FailedSide key={label} label={label} side={side} />
				))}
				{comparison.left.loaded.trace && (
					<p className="pb-8 text-center">
						<Button look="primary" onClick={() => setPicking(true)}>
							{TEXTS.change}
						</Button>
					</p>
				)}
				{dialog}
			</section>
		);
	}
	return (
		<section aria-label={TEXTS.title} className="flex min-h-0 flex-1 flex-col bg-canvas">
			<CompareHeader left={comparison.left} right={comparison.right} onSwap={swap} onChange={() => setPicking(true)} />
			{isSameTrace(comparison.left, comparison.right) ? (
				<EmptyState
					title={TEXTS.same}
					text={TEXTS.sameText}
					actions={<Button onClick={() => setPicking(true)}>{TEXTS.change}</Button>}
				/>
			) : comparison.aligned ? (
				<CompareView
					comparison={comparison}
					aligned={comparison.aligned}
					chosen={chosenRow(chosen)}
					onlyDifferences={search.only !== undefined}
					onChosen={(row) => choose(keyOf(row) ?? "")}
					onOnlyDifferences={(only) => change({ only: only ? "differences" : undefined })}
					onSwap={swap}
				/>
			) : (
				<Incomplete sides={[comparison.left, comparison.right]} />
			)}
			{dialog}
		</section>
	);
}

/** The span that names a row, behind the letter of its side. */
function keyOf({ left, right }: ChosenRow): string | undefined {
	if (left !== undefined) return `l${left}`;
	return right === undefined ? undefined : `r${right}`;
}

function chosenRow(key = ""): ChosenRow {
	const spanId = key.slice(1);
	if (key.startsWith("l")) return { left: spanId };
	return key.startsWith("r") ? { right: spanId } : {};
}

/** The rest of a trace is on its way, or did not come. */
function Incomplete({ sides }: { sides: readonly LoadedSide[] }): ReactNode {
	const failed = sides.find(({ loaded }) => loaded.error !== null);
	if (!failed?.loaded.error) return <SkeletonRows rows={14} />;
	return (
		<TraceError
			project={failed.project}
			error={failed.loaded.error}
			onRetry={failed.loaded.refetch}
			onClose={undefined}
		/>
	);
}

function FailedSide({ label, side }: { label: string; side: LoadedSide }): ReactNode {
	const { project, traceId, loaded } = side;
	if (!loaded.error) return null;
	return (
		<section aria-label={label}>
			<p className="px-4 pt-4 text-center text-muted [overflow-wrap:anywhere]">{TEXTS.sideFailed(label, traceId)}</p>
			<TraceError project={project} error={loaded.error} onRetry={loaded.refetch} onClose={undefined} />
		</section>
	);
}

/** A project may be named by its name on one side and by its id on the other. */
function isSameTrace(left: LoadedSide, right: LoadedSide): boolean {
	if (left.project === right.project && left.traceId === right.traceId) return true;
	return left.loaded.trace !== undefined && left.loaded.trace.id === right.loaded.trace?.id;
}
