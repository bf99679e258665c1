import type { DatasetExampleInSplits } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { useMayChange } from "../../homes/use-may-change.ts";
import { datasetQuery } from "../../lib/datasets.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { useIsNarrow, useIsPhone } from "../../lib/media.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { present } from "../../lib/search-params.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { ColumnMenu } from "../../ui/column-menu.tsx";
import { DataGrid } from "../../ui/data-grid.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useGridKeys } from "../../ui/list-keys.ts";
import { gridPages, useAllPages } from "../../ui/list-pages.tsx";
import { addressOf } from "../../ui/row-link.ts";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Splitter } from "../../ui/splitter.tsx";
import { useGridLayout } from "../../ui/use-grid-layout.ts";
import { chosenColumns, exampleColumns, IN_LITTLE_ROOM, SHOWN, selectColumn } from "./example-columns.tsx";
import { ExamplePanel } from "./example-panel.tsx";
import { ExamplesToolbar } from "./examples-toolbar.tsx";
import { NoExamples } from "./no-examples.tsx";
import { examplePages } from "./queries.ts";
import type { ExamplesSearch } from "./search.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { VersionNotice } from "./version-notice.tsx";

const route = getRouteApi("/datasets/$dataset/examples");
const TEXTS = dataTexts.examples;
const panelShare = localSetting("example-share");
const DEFAULT_SHARE = 0.45;

export function ExamplesPage(): ReactNode {
	const { dataset } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const isPhone = useIsPhone();
	const isNarrow = useIsNarrow();
	const { data } = useQuery(datasetQuery(dataset));
	const mayChange = useMayChange(data);
	const { version, split, q } = search;
	const query = useInfiniteQuery({
		...examplePages({ dataset, version, split, q }),
		// While words are typed, the old rows stay until the new ones are loaded.
		placeholderData: (before, shown) => {
			const [, ...of] = shown?.queryKey ?? [];
			return of[0] === dataset && of[1] === version && of[2] === split ? before : undefined;
		},
	});
	// A page of a search may be empty and still have a next one.
	useAllPages(query, !query.isPlaceholderData && query.data?.pages.at(-1)?.data.examples.length === 0);
	const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
	const [share, setShare] = useLocalSetting(panelShare);
	const field = useRef<HTMLInputElement | null>(null);
	usePageTitle(TEXTS.grid, data?.name ?? dataset);
	const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data.examples) ?? [], [query.data]);
	// Older versions are read-only.
	const mayWrite = mayChange && search.version === undefined;

	const change = (next: Partial<Record<keyof ExamplesSearch, string | undefined>>, replace = true) => {
		void navigate({ search: (before) => present({ ...before, ...next }) as ExamplesSearch, replace });
	};
	const open = (row: DatasetExampleInSplits) => {
		change({ example: row.node_id }, search.example !== undefined);
	};
	const toggle = (id: string) =>
		setSelected((before) => {
			const next = new Set(before);
			if (!next.delete(id)) next.add(id);
			return next;
		});
	const { grid, move } = useGridKeys({
		rows,
		rowKey: (row) => row.node_id,
		openKey: search.example,
		onOpen: open,
		onRefresh: () => query.refetch(),
		searchField: field,
		more: (activeKey) => [
			{
				keys: ["x"],
				label: TEXTS.toggle,
				run: () => (mayWrite && activeKey !== undefined ? toggle(activeKey) : false),
				hidden: !mayWrite,
			},
		],
	});
	const all = exampleColumns({
		onSplit: (split) => change({ split }),
		hrefOf: (row) =>
			addressOf(`/datasets/${encodeURIComponent(dataset)}/examples`, { ...search, example: row.node_id }),
	});
	const { arranging, isStandard } = useGridLayout({
		setting: chosenColumns,
		all,
		standard: SHOWN,
		cols: search.cols,
		onCols: (cols) => change({ cols }),
	});
	const hasLittleRoom = isPhone || search.example !== undefined;
	const columns = hasLittleRoom ? all.filter(({ key }) => IN_LITTLE_ROOM.includes(key)) : arranging.layout.columns;
	const openAt = rows.findIndex((row) => row.node_id === search.example);
	const isCovered = isNarrow && search.example !== undefined;
	return (
		<>
			<ExamplesToolbar
				dataset={dataset}
				search={search}
				onChange={change}
				fieldRef={field}
				columnMenu={<ColumnMenu arranging={arranging} isStandard={isStandard} />}
			/>
			{search.version !== undefined && (
				<VersionNotice dataset={dataset} version={search.version} onNewest={() => change({ version: undefined })} />
			)}
			{selected.size > 0 && mayWrite && (
				<SelectionBar dataset={dataset} selected={selected} onClear={() => setSelected(new Set())} />
			)}
			<div className="relative flex min-h-0 flex-1">
				<div className={classNames("flex min-h-0 min-w-0 flex-1 flex-col", isCovered && "invisible absolute inset-0")}>
					{query.error && rows.length === 0 ? (
						<ErrorState error={query.error} onRetry={() => void query.refetch()} />
					) : query.isPending || (rows.length === 0 && query.hasNextPage) ? (
						<SkeletonRows rows={16} className="overflow-hidden pt-8" />
					) : rows.length === 0 ? (
						<NoExamples dataset={data} search={search} onReset={() => change({ q: undefined, split: undefined })} />
					) : (
						<DataGrid
							label={TEXTS.grid}
							columns={[...(mayWrite ? [selectColumn(selected, toggle)] : []), ...columns]}
							arranging={hasLittleRoom ? undefined : arranging}
							{...grid}
							{...gridPages(query, rows.length)}
						/>
					)}
				</div>
				{search.example !== undefined && (
					<Beside isAlone={isNarrow} share={Number(share) || DEFAULT_SHARE} onShare={(next) => setShare(String(next))}>
						<ExamplePanel
							key={search.example}
							dataset={dataset}
							example={search.example}
							version={search.version}
							onPrevious={openAt > 0 ? () => move(-1) : undefined}
							onNext={openAt >= 0 && openAt < rows.length - 1 ? () => move(1) : undefined}
							onClose={() => change({ example: undefined })}
						/>
					</Beside>
				)}
			</div>
		</>
	);
}

function Beside({
	isAlone,
	share,
	onShare,
	children,
}: {
	/** Whether there is no room beside the list. */
	isAlone: boolean;
	share: number;
	onShare: (share: number) => void;
	children: ReactNode;
}): ReactNode {
	if (isAlone) return <div className="flex min-h-0 min-w-0 flex-1">{children}</div>;
	return (
		<Splitter label={TEXTS.resize} share={share} onShare={onShare}>
			{children}
		</Splitter>
	);
}
