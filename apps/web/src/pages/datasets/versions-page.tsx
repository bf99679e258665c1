import type { DatasetVersion } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { datasetQuery, versionPages } from "../../lib/datasets.ts";
import { formatInteger } from "../../lib/format.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Chip } from "../../ui/chip.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";

const route = getRouteApi("/datasets/$dataset/versions");
const TEXTS = dataTexts.versions;

/** The versions of the dataset, the newest first, with links to their examples. */
export function VersionsPage(): ReactNode {
	const { dataset } = route.useParams();
	const { data } = useQuery(datasetQuery(dataset));
	const query = useInfiniteQuery(versionPages(dataset));
	usePageTitle(TEXTS.grid, data?.name ?? dataset);
	useTableKeys(query);
	return (
		<div className="min-h-0 flex-1 overflow-auto px-2">
			<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
				{(versions) =>
					versions.length === 0 ? (
						<EmptyState title={TEXTS.none} text={TEXTS.noneText} />
					) : (
						<>
							<Table
								label={TEXTS.grid}
								columns={versionColumns(dataset, versions[0]?.version_id)}
								rows={versions}
								rowKey={({ version_id }) => version_id}
							/>
							<MoreRows query={query} what={TEXTS.more} />
						</>
					)
				}
			</Loaded>
		</div>
	);
}

function versionColumns(dataset: string, newest: string | undefined): TableColumn<DatasetVersion>[] {
	return [
		{
			key: "when",
			title: TEXTS.column.when,
			className: "w-40 max-sm:w-28",
			cell: ({ version_id: id, created_at }) => (
				<span className="flex flex-wrap items-center gap-2">
					<Link
						to="/datasets/$dataset/examples"
						params={{ dataset }}
						search={id === newest ? {} : { version: id }}
						className="font-medium hover:text-accent"
					>
						<RelativeTime time={created_at} />
					</Link>
					{id === newest && <Chip tone="accent">{TEXTS.newest}</Chip>}
				</span>
			),
		},
		{ key: "changes", title: TEXTS.column.changes, cell: (version) => <Changes version={version} /> },
		{
			key: "description",
			title: TEXTS.column.description,
			className: "w-1/4 max-sm:hidden",
			cell: ({ description }) => <span className="text-muted">{description}</span>,
		},
		{
			key: "examples",
			title: TEXTS.column.examples,
			align: "right",
			className: "w-24",
			cell: ({ example_count }) => formatInteger(example_count),
		},
	];
}

function Changes({ version }: { version: DatasetVersion }): ReactNode {
	const { created_count: created, updated_count: updated, deleted_count: deleted } = version;
	const parts = [
		...(created > 0 ? [TEXTS.created(created)] : []),
		...(updated > 0 ? [TEXTS.updated(updated)] : []),
		...(deleted > 0 ? [TEXTS.deleted(deleted)] : []),
	];
	if (parts.length === 0) return <span className="text-muted">{TEXTS.nothing}</span>;
	return parts.join(", ");
}
