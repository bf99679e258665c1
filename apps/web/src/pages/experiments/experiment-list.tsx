import type { Experiment } from "@spanward/client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import GitCompare from "lucide-react/icons/git-compare";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { CopyMenu } from "../../copying/copy-menu.tsx";
import { useIsPhone } from "../../lib/media.ts";
import { present } from "../../lib/search-params.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Button } from "../../ui/button.tsx";
import { ColumnMenu } from "../../ui/column-menu.tsx";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages } from "../../ui/list-pages.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TypedSearch } from "../../ui/typed-search.tsx";
import { useGridLayout } from "../../ui/use-grid-layout.ts";
import {
	ACTIONS,
	chosenColumns,
	comparedWith,
	experimentColumns,
	onPhones,
	SHOWN,
	selectColumn,
	sortedColumn,
	withSort,
} from "./experiment-columns.tsx";
import { experimentPages } from "./queries.ts";
import { type ExperimentsSearch, MOST_COMPARED } from "./search.ts";
import { BASELINE } from "./tags-dialog.tsx";

const TEXTS = dataTexts.experiments;

export interface ExperimentListProps {
	/** Id of the dataset; undefined for the experiments of all. */
	readonly dataset: string | undefined;
	/** Names of the datasets by id, for the list of all datasets' experiments. */
	readonly datasets?: ReadonlyMap<string, string>;
	readonly search: ExperimentsSearch;
	readonly onSearch: (search: ExperimentsSearch, how?: "push") => void;
	/** Content between the toolbar and the list, such as charts. */
	readonly above?: (experiments: readonly Experiment[]) => ReactNode;
	/** Shown when there is no experiment at all. */
	readonly empty: ReactNode;
}

/** A table of experiments, from which some can be chosen for a comparison. */
export function ExperimentList(props: ExperimentListProps): ReactNode {
	const { dataset, datasets, search, onSearch, above, empty } = props;
	const words = search.q ?? "";
	const navigate = useNavigate();
	const isPhone = useIsPhone();
	const query = useInfiniteQuery({
		...experimentPages(dataset, search),
		// The rows stay while they are sorted anew.
		placeholderData: keepPreviousData,
	});
	const loaded = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
	const rows = useMemo(
		() => loaded.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase())),
		[loaded, words],
	);
	const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
	const field = useRef<HTMLInputElement | null>(null);
	const chosen = loaded.filter(({ id }) => selected.has(id));
	const problem = whyNotCompared(chosen);

	const toggle = (id: string) =>
		setSelected((before) => {
			const next = new Set(before);
			if (!next.delete(id)) next.add(id);
			return next;
		});
	const open = (dataset: string, experiments: string[]) =>
		void navigate({ to: "/datasets/$dataset/compare", params: { dataset }, search: { experiment: experiments } });
	const baseOf = (experiment: Experiment) =>
		loaded.find(({ dataset_id, tags }) => dataset_id === experiment.dataset_id && tags.includes(BASELINE))?.id;
	const compare = () => {
		const [first] = chosen;
		if (first && problem === undefined) open(first.dataset_id, baseFirst(chosen));
		return problem === undefined;
	};
	const { grid } = useGridKeys({
		rows,
		rowKey: ({ id }) => id,
		onOpen: (row) => open(row.dataset_id, comparedWith(row, baseOf(row))),
		onRefresh: () => query.refetch(),
		searchField: field,
		more: (activeKey) => [
			{
				keys: ["x"],
				label: dataTexts.examples.toggle,
				run: () => (activeKey === undefined ? false : toggle(activeKey)),
			},
			{ keys: ["c"], label: TEXTS.compareSelected, run: compare },
		],
	});
	const all = experimentColumns({ experiments: rows, datasets, baseOf });
	const { arranging, isStandard } = useGridLayout({
		setting: chosenColumns,
		all,
		standard: SHOWN,
		cols: search.cols,
		onCols: (cols) => onSearch(present({ ...search, cols })),
	});
	if (query.error && loaded.length === 0)
		return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	if (query.isPending) return <SkeletonRows rows={12} className="overflow-hidden pt-8" />;
	if (loaded.length === 0) return empty;
	return (
		<>
			<div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
				<TypedSearch
					label={TEXTS.filter}
					words={words}
					onWords={(q) => onSearch(present({ ...search, q: q || undefined }))}
					inputRef={field}
				/>
				<span className="ml-auto flex items-center gap-2">
					<span role="status" className="text-muted text-sm max-sm:sr-only">
						{chosen.length === 0 ? TEXTS.compareHint : problem}
					</span>
					<Button look="primary" disabled={problem !== undefined} onClick={compare}>
						<GitCompare size={14} aria-hidden />
						{chosen.length > 1 ? TEXTS.compareCount(chosen.length) : TEXTS.compare}
					</Button>
					<CopyMenu copied={{ kind: "experiments", dataset, sort: search.sort, order: search.order }} />
					{!isPhone && <ColumnMenu arranging={arranging} isStandard={isStandard} />}
				</span>
			</div>
			{above?.(search.sort || search.order ? newestFirst(rows) : rows)}
			{rows.length === 0 ? (
				<EmptyState title={TEXTS.noMatch(words)} />
			) : (
				<DataGrid
					label={TEXTS.grid}
					columns={[selectColumn(selected, toggle), ...(isPhone ? onPhones(all) : arranging.layout.columns), ACTIONS]}
					arranging={isPhone ? undefined : arranging}
					{...grid}
					sort={{ column: sortedColumn(search), order: search.order ?? "desc" }}
					onSort={(column) => onSearch(withSort(search, column), "push")}
					{...gridPages(query, rows.length)}
				/>
			)}
		</>
	);
}

function newestFirst(experiments: readonly Experiment[]): readonly Experiment[] {
	return experiments.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

/** Why the chosen experiments cannot be compared; undefined when they can. */
function whyNotCompared(chosen: readonly Experiment[]): string | undefined {
	if (new Set(chosen.map(({ dataset_id }) => dataset_id)).size > 1) return TEXTS.otherDataset;
	if (chosen.length > MOST_COMPARED) return TEXTS.tooMany;
	return chosen.length < 2 ? TEXTS.compareHint : undefined;
}

/** The ids of the chosen experiments, the base first: the tagged one, else the oldest. */
function baseFirst(chosen: readonly Experiment[]): string[] {
	const oldest = chosen.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
	const base = oldest.find(({ tags }) => tags.includes(BASELINE)) ?? oldest[0];
	return [...(base ? [base] : []), ...oldest.filter((each) => each !== base)].map(({ id }) => id);
}
