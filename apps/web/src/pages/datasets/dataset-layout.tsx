import { ApiError, type Dataset } from "@spanward/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useChildMatches } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import FilePlus from "lucide-react/icons/file-plus";
import { type ReactNode, Suspense, useState } from "react";
import { LivesIn } from "../../homes/lives-in.tsx";
import type { Moved } from "../../homes/move-home-dialog.tsx";
import { useMayChange } from "../../homes/use-may-change.ts";
import { api } from "../../lib/api.ts";
import { datasetQuery } from "../../lib/datasets.ts";
import { formatInteger } from "../../lib/format.ts";
import { isNotHere, lookAgain, useLastError } from "../../lib/look-again.ts";
import { notHere } from "../../lib/not-here.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { dataTexts } from "../../texts/data-en.ts";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { DatasetMenu, DownloadMenu } from "./dataset-menus.tsx";
import { LabelMenu } from "./label-menu.tsx";

const UploadDialog = lazyPart(() => import("./upload/upload-dialog.tsx"), "UploadDialog", { isOver: true });

const route = getRouteApi("/datasets/$dataset");
const TEXTS = dataTexts.dataset;
const TAB =
	"flex h-10 items-center whitespace-nowrap border-transparent border-b-2 px-2 text-muted hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink";

/** The common frame of a dataset's pages: name, tabs and actions. */
export function DatasetLayout(): ReactNode {
	const { dataset: id } = route.useParams();
	const query = useQuery({ ...datasetQuery(id), ...lookAgain });
	const { data, refetch } = query;
	const error = useLastError(id, query);
	const isMissing = isNotHere(error) || (error instanceof ApiError && error.status === 422);
	return (
		<>
			<TopBar>
				<nav aria-label={dataTexts.datasets.back} className="flex min-w-0 items-center gap-1 text-muted">
					<Link to="/datasets" className="hover:text-ink">
						{dataTexts.datasets.title}
					</Link>
					<ChevronRight size={13} aria-hidden className="shrink-0" />
					<span className="truncate text-ink">{data?.name}</span>
				</nav>
			</TopBar>
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				{isMissing ? (
					<Missing />
				) : error && !data ? (
					<ErrorState error={error} onRetry={() => void refetch()} />
				) : (
					<>
						<Header id={id} dataset={data} />
						<Outlet />
					</>
				)}
			</main>
		</>
	);
}

function Missing(): ReactNode {
	const missing = notHere({ title: TEXTS.missing, text: TEXTS.missingText });
	return (
		<>
			<h1 className="sr-only">{missing.title}</h1>
			<EmptyState
				{...missing}
				actions={
					<Link to="/datasets" className={buttonClass()}>
						{dataTexts.datasets.back}
					</Link>
				}
			/>
		</>
	);
}

function Header({ id, dataset }: { id: string; dataset: Dataset | undefined }): ReactNode {
	const mayChange = useMayChange(dataset);
	const [isUploading, setUploading] = useState(false);
	return (
		<div className="flex shrink-0 flex-wrap items-center gap-x-3 border-line border-b px-3">
			<h1 className="min-w-0 max-w-96 truncate py-2 font-semibold text-lg" title={dataset?.description ?? undefined}>
				{dataset?.name ?? <Skeleton className="w-40" />}
			</h1>
			{dataset && <LabelMenu dataset={dataset} />}
			{dataset && <DatasetHome dataset={dataset} />}
			<Tabs dataset={id} count={dataset?.example_count} />
			{dataset && (
				<div className="ml-auto flex items-center gap-1 py-1.5">
					{mayChange && (
						<Button onClick={() => setUploading(true)}>
							<FilePlus size={14} aria-hidden />
							{TEXTS.add}
						</Button>
					)}
					<DownloadMenu dataset={dataset} />
					{mayChange && <DatasetMenu dataset={dataset} />}
				</div>
			)}
			<Suspense>
				{isUploading && dataset && <UploadDialog dataset={dataset} onClose={() => setUploading(false)} />}
			</Suspense>
		</div>
	);
}

function DatasetHome({ dataset }: { dataset: Dataset }): ReactNode {
	const queries = useQueryClient();
	const moved: Moved = {
		name: dataset.name,
		projectId: dataset.project_id,
		move: (project, isWiderAllowed) =>
			api.patch("/v1/datasets/{id}", {
				path: { id: dataset.id },
				body: { project, ...(isWiderAllowed ? { allow_wider_access: true } : {}) },
			}),
		refresh: () =>
			Promise.all([["dataset", dataset.id], ["datasets"]].map((queryKey) => queries.invalidateQueries({ queryKey }))),
	};
	return <LivesIn moved={moved} />;
}

function Tabs({ dataset, count }: { dataset: string; count: number | undefined }): ReactNode {
	const path = useChildMatches({ select: (matches) => matches[0]?.fullPath });
	const shared = { params: { dataset }, className: TAB, activeOptions: { includeSearch: false } };
	return (
		<nav aria-label={TEXTS.tabs} className="flex min-w-0 gap-1 overflow-x-auto max-sm:order-last max-sm:w-full">
			<Link to="/datasets/$dataset/examples" {...shared}>
				{TEXTS.examples}
				{count !== undefined && <span className="ml-1.5 text-muted text-xs">{formatInteger(count)}</span>}
			</Link>
			<Link to="/datasets/$dataset/versions" {...shared}>
				{TEXTS.versions}
			</Link>
			<Link to="/datasets/$dataset/splits" {...shared}>
				{TEXTS.splits}
			</Link>
			<Link to="/datasets/$dataset/evaluators" {...shared}>
				{evaluatorTexts.dataset.tab}
			</Link>
			<Link to="/datasets/$dataset/experiments" {...shared}>
				{TEXTS.experiments}
			</Link>
			{path === "/datasets/$dataset/compare" && (
				<span aria-current="page" data-status="active" className={TAB}>
					{TEXTS.compare}
				</span>
			)}
		</nav>
	);
}
