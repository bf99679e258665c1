import type { Dataset } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Database from "lucide-react/icons/database";
import FileUp from "lucide-react/icons/file-up";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, type RefObject, Suspense, useRef, useState } from "react";
import { datasetPages } from "../../lib/datasets.ts";
import { useCan } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { present } from "../../lib/search-params.ts";
import { ownServer } from "../../lib/snippet-server.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { dataTexts } from "../../texts/data-en.ts";
import { Button } from "../../ui/button.tsx";
import { FilterChip } from "../../ui/chip.tsx";
import { CodeSnippets } from "../../ui/code-snippets.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TypedSearch } from "../../ui/typed-search.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";
import { CreateDatasetDialog } from "./create-dataset-dialog.tsx";
import { DatasetTable } from "./dataset-table.tsx";
import { labelsOfAllQuery } from "./queries.ts";
import type { DatasetsSearch } from "./search.ts";
import { datasetSnippets } from "./snippets.ts";

const UploadDialog = lazyPart(() => import("./upload/upload-dialog.tsx"), "UploadDialog", { isOver: true });

const route = getRouteApi("/datasets");
const TEXTS = dataTexts.datasets;

export function DatasetsPage(): ReactNode {
	usePageTitle(TEXTS.title);
	const can = useCan();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const [dialog, setDialog] = useState<"upload" | "create">();
	const field = useRef<HTMLInputElement | null>(null);
	const change = (next: DatasetsSearch) => {
		void navigate({ search: (before) => present({ ...before, ...next }), replace: true });
	};
	const close = () => setDialog(undefined);
	const actions = can("write") && (
		<>
			<Button onClick={() => setDialog("create")}>
				<Plus size={14} aria-hidden />
				{TEXTS.create}
			</Button>
			<Button look="primary" onClick={() => setDialog("upload")}>
				<FileUp size={14} aria-hidden />
				{TEXTS.upload}
			</Button>
		</>
	);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				<div className="flex flex-wrap items-center gap-2 px-4 pt-4 pb-3">
					<h1 className="mr-2 font-semibold text-xl">{TEXTS.title}</h1>
					<TypedSearch
						label={TEXTS.search}
						words={search.q ?? ""}
						onWords={(q) => change({ q: q || undefined } as DatasetsSearch)}
						inputRef={field}
					/>
					{search.label?.map((label) => (
						<FilterChip
							key={label}
							field={TEXTS.withLabel}
							value={label}
							onRemove={() => change({ label: search.label?.filter((each) => each !== label) ?? [] })}
						/>
					))}
					<div className="ml-auto flex gap-2">{actions}</div>
				</div>
				<Datasets
					search={search}
					onLabel={(label) => change({ label: [label] })}
					onReset={() => void navigate({ search: {}, replace: true })}
					actions={actions}
					field={field}
				/>
			</main>
			{dialog === "create" && <CreateDatasetDialog onClose={close} />}
			<Suspense>{dialog === "upload" && <UploadDialog onClose={close} />}</Suspense>
		</>
	);
}

interface DatasetsProps {
	readonly search: DatasetsSearch;
	readonly onLabel: (label: string) => void;
	readonly onReset: () => void;
	readonly actions: ReactNode;
	readonly field: RefObject<HTMLInputElement | null>;
}

function Datasets({ search, onLabel, onReset, actions, field }: DatasetsProps): ReactNode {
	const query = useInfiniteQuery(datasetPages);
	useTableKeys(query, { searchField: field });
	const datasets = query.data?.pages.flatMap((page) => page.data) ?? [];
	const isFiltered = Boolean(search.q || search.label?.length);
	useAllPages(query, isFiltered);
	const { data: labels } = useQuery(labelsOfAllQuery(datasets.map(({ id }) => id)));
	if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	if (!query.data) return <SkeletonRows rows={8} className="px-2" />;
	if (datasets.length === 0) return <NoDatasets actions={actions} />;
	const shown = datasets.filter(
		(dataset) =>
			dataset.name.toLowerCase().includes((search.q ?? "").toLowerCase()) &&
			(!search.label?.length || labels?.get(dataset.id)?.some(({ name }) => search.label?.includes(name))),
	);
	if (shown.length === 0 && !query.isFetching) {
		return (
			<EmptyState
				title={search.q ? TEXTS.noMatch(search.q) : TEXTS.noneLabelled}
				actions={<Button onClick={onReset}>{TEXTS.showAll}</Button>}
			/>
		);
	}
	const labelsOf = (dataset: Dataset) => labels?.get(dataset.id) ?? [];
	return (
		<>
			<DatasetTable datasets={shown} labelsOf={labelsOf} onLabel={onLabel} />
			<MoreRows query={query} what={TEXTS.more} />
		</>
	);
}

function NoDatasets({ actions }: { actions: ReactNode }): ReactNode {
	return (
		<>
			<EmptyState
				icon={<Database size={24} aria-hidden />}
				title={TEXTS.none}
				text={actions ? TEXTS.noneText : `${TEXTS.noneText} ${TEXTS.noneViewer}`}
				actions={actions}
				className="pb-6"
			/>
			{actions && (
				<section aria-label={TEXTS.snippets} className="mx-auto flex max-w-2xl flex-col gap-2 px-4 pb-8">
					<h2 className="font-semibold">{TEXTS.snippets}</h2>
					<CodeSnippets snippets={datasetSnippets(ownServer())} />
				</section>
			)}
		</>
	);
}
