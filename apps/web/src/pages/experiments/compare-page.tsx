import type { Experiment } from "@spanward/client";
import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { configsQuery } from "../../annotating/queries.ts";
import { useMayReviewRuns } from "../../homes/use-may-change.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { useIsNarrow } from "../../lib/media.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { present } from "../../lib/search-params.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { useSelection } from "../../selecting/use-selection.tsx";
import { dataTexts } from "../../texts/data-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { classNames } from "../../ui/class-names.ts";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages, useAllPages } from "../../ui/list-pages.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Splitter } from "../../ui/splitter.tsx";
import { compareColumns } from "./compare-columns.tsx";
import { CompareToolbar } from "./compare-toolbar.tsx";
import { ComparedPanel } from "./compared-panel.tsx";
import { ComparedSelection } from "./compared-selection.tsx";
import { ComparedSummary } from "./compared-summary.tsx";
import { gainOf, MinimizedContext } from "./delta.tsx";
import { type ComparedRow, comparisonPages, experimentQuery } from "./queries.ts";
import type { CompareSearch } from "./search.ts";

const route = getRouteApi("/datasets/$dataset/compare");
const TEXTS = dataTexts.compare;
const panelShare = localSetting("compare-share");
const DEFAULT_SHARE = 0.6;

export function ComparePage(): ReactNode {
	const { experiment: ids = [] } = route.useSearch();
	usePageTitle(TEXTS.title);
	if (ids.length > 0) return <Comparison ids={ids} />;
	return <NothingChosen />;
}

function NothingChosen(): ReactNode {
	const { dataset } = route.useParams();
	return (
		<EmptyState
			title={TEXTS.choose}
			text={TEXTS.chooseText}
			actions={
				<Link to="/datasets/$dataset/experiments" params={{ dataset }} className={buttonClass("primary")}>
					{TEXTS.toList}
				</Link>
			}
		/>
	);
}

function Comparison({ ids }: { ids: readonly string[] }): ReactNode {
	const { dataset } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const isNarrow = useIsNarrow();
	const [share, setShare] = useLocalSetting(panelShare);
	const experiments = useExperiments(ids);
	const sort = ids.length > 1 && (search.sort !== "example" || search.only !== undefined) ? "regression" : "example";
	const query = useInfiniteQuery(comparisonPages({ dataset, experiments: ids, sort, metric: search.metric }));
	const summary = query.data?.pages[0]?.summary ?? [];
	const metrics = useMemo(() => [...new Set(summary.flatMap((each) => Object.keys(each.metrics)))], [summary]);
	const metric = search.metric ?? Object.keys(summary[0]?.metrics ?? {})[0] ?? metrics[0];
	const loaded = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
	const minimized = useMinimized();
	const isWorse = (row: ComparedRow) => metric !== undefined && leastGain(row, metric, minimized.has(metric)) < 0;
	const rows = search.only === undefined ? loaded : loaded.filter(isWorse);
	const last = loaded.at(-1);
	// The worst come first, so after an example that did not get worse, no more need to be loaded.
	useAllPages(query, search.only !== undefined && last !== undefined && isWorse(last));

	const change = (next: { [K in keyof CompareSearch]?: CompareSearch[K] | undefined }) => {
		void navigate({ search: (before) => present({ ...before, ...next }) as CompareSearch, replace: true });
	};
	const maySelect = useMayReviewRuns(dataset);
	const selection = useSelection(JSON.stringify([dataset, ids]), rows, keyOf, ({ example }) => example.id);
	const selected = maySelect ? loaded.filter((row) => selection.picks.keys.has(keyOf(row))) : [];
	const { grid, move } = useGridKeys({
		rows,
		rowKey: keyOf,
		...(maySelect ? { more: selection.keys } : {}),
		openKey: search.example,
		onOpen: ({ example }) => change({ example: example.node_id }),
		onRefresh: () => query.refetch(),
	});
	if (query.error && loaded.length === 0)
		return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	if (query.isPending) return <SkeletonRows rows={16} />;
	const opened = loaded.find(({ example }) => example.node_id === search.example);
	const openAt = opened ? rows.indexOf(opened) : -1;
	const isCovered = isNarrow && opened !== undefined;
	const panel = opened && (
		<ComparedPanel
			key={opened.example.node_id}
			dataset={dataset}
			row={opened}
			experiments={experiments}
			onPrevious={openAt > 0 ? () => move(-1) : undefined}
			onNext={openAt >= 0 && openAt < rows.length - 1 ? () => move(1) : undefined}
			onClose={() => change({ example: undefined })}
		/>
	);
	return (
		<MinimizedContext value={minimized}>
			<div className={classNames("flex min-h-0 flex-1 flex-col", query.isPlaceholderData && "opacity-60")}>
				{!isCovered && (
					<>
						<ComparedSummary
							dataset={dataset}
							experiments={experiments}
							summary={summary}
							metrics={metrics}
							metric={metric}
							isCompact={opened !== undefined}
							onMetric={(next) => change({ metric: next })}
							onExperiments={(experiment) => change({ experiment, example: undefined })}
						/>
						<CompareToolbar
							search={search}
							metrics={metrics}
							metric={metric}
							isAlone={ids.length < 2}
							onChange={change}
						/>
					</>
				)}
				<div className="relative flex min-h-0 flex-1">
					<div
						className={classNames("flex min-h-0 min-w-0 flex-1 flex-col", isCovered && "invisible absolute inset-0")}
					>
						{rows.length === 0 ? (
							<NoRows isFiltered={search.only !== undefined} />
						) : (
							<DataGrid
								label={TEXTS.grid}
								columns={[
									...(maySelect ? [selection.column] : []),
									...compareColumns({ experiments, metric, isBeside: opened !== undefined || isNarrow }),
								]}
								{...(maySelect ? selection.grid : {})}
								{...grid}
								{...gridPages(search.only === undefined ? query : { ...query, hasNextPage: false }, rows.length)}
							/>
						)}
					</div>
					{panel &&
						(isNarrow ? (
							<div className="flex min-h-0 min-w-0 flex-1">{panel}</div>
						) : (
							<Splitter
								label={TEXTS.resize}
								share={Number(share) || DEFAULT_SHARE}
								onShare={(next) => setShare(String(next))}
							>
								{panel}
							</Splitter>
						))}
				</div>
				{selected.length > 0 && !isCovered && <ComparedSelection rows={selected} onClear={selection.clear} />}
			</div>
		</MinimizedContext>
	);
}

function keyOf({ example }: ComparedRow): string {
	return example.node_id;
}

/** An experiment in the comparison; its name is a placeholder while it loads. */
export type Compared = Pick<Experiment, "id" | "name"> & { readonly loaded?: Experiment };

function useExperiments(ids: readonly string[]): readonly Compared[] {
	const found = useQueries({ queries: ids.map((id) => experimentQuery(id)) });
	return ids.map((id, index) => {
		const loaded = found[index]?.data;
		return { id, name: loaded?.name ?? "…", ...(loaded ? { loaded } : {}) };
	});
}

/** The gain of the worst experiment over the base; negative when it is worse. */
function leastGain(row: ComparedRow, metric: string, isLowerBetter: boolean): number {
	const deltas = row.experiments.slice(1).flatMap(({ deltas }) => deltas[metric] ?? []);
	return deltas.length === 0 ? 0 : Math.min(...deltas.map((delta) => gainOf(delta, isLowerBetter)));
}

/** The metrics for which lower is better according to the annotation configs with their names. */
function useMinimized(): ReadonlySet<string> {
	const { data } = useQuery(configsQuery);
	return useMemo(
		() =>
			new Set(
				data?.flatMap((config) =>
					"optimization_direction" in config && config.optimization_direction === "MINIMIZE" ? config.name : [],
				),
			),
		[data],
	);
}

function NoRows({ isFiltered }: { isFiltered: boolean }): ReactNode {
	if (isFiltered) return <EmptyState title={TEXTS.noRegressions} text={TEXTS.noRegressionsText} />;
	return <EmptyState title={TEXTS.noExamples} />;
}
