import type { DatasetSplit } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { useMayChange } from "../../homes/use-may-change.ts";
import { datasetQuery, splitsQuery } from "../../lib/datasets.ts";
import { formatInteger } from "../../lib/format.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";
import { LabelChip } from "./label-chip.tsx";
import { DeleteSplitDialog, SplitDialog } from "./split-dialogs.tsx";

const route = getRouteApi("/datasets/$dataset/splits");
const TEXTS = dataTexts.splits;

interface SplitTask {
	readonly kind: "create" | "edit" | "delete";
	readonly split?: DatasetSplit;
}

export function SplitsPage(): ReactNode {
	const { dataset } = route.useParams();
	const { data } = useQuery(datasetQuery(dataset));
	const query = useQuery(splitsQuery(dataset));
	const mayChange = useMayChange(data);
	useTableKeys(query);
	const [task, setTask] = useState<SplitTask>();
	const close = () => setTask(undefined);
	usePageTitle(dataTexts.dataset.splits, data?.name ?? dataset);
	const create = mayChange && (
		<Button look="primary" onClick={() => setTask({ kind: "create" })}>
			<Plus size={14} aria-hidden />
			{TEXTS.create}
		</Button>
	);
	return (
		<div className="min-h-0 flex-1 overflow-auto px-2">
			<Loaded data={query.data} query={query}>
				{(splits) =>
					splits.length === 0 ? (
						<EmptyState
							title={TEXTS.none}
							text={`${TEXTS.intro} ${mayChange ? TEXTS.noneText : ""}`}
							actions={create}
						/>
					) : (
						<>
							<div className="flex flex-wrap items-center gap-2 px-2 py-2">
								<p className="text-muted">{TEXTS.intro}</p>
								<span className="ml-auto">{create}</span>
							</div>
							<Table
								label={dataTexts.dataset.splits}
								columns={splitColumns(dataset, mayChange ? setTask : undefined)}
								rows={splits}
								rowKey={({ id }) => id}
							/>
						</>
					)
				}
			</Loaded>
			{task?.kind === "create" && <SplitDialog dataset={dataset} onClose={close} />}
			{task?.kind === "edit" && task.split && <SplitDialog dataset={dataset} split={task.split} onClose={close} />}
			{task?.kind === "delete" && task.split && (
				<DeleteSplitDialog dataset={dataset} split={task.split} onClose={close} />
			)}
		</div>
	);
}

function splitColumns(dataset: string, onTask: ((task: SplitTask) => void) | undefined): TableColumn<DatasetSplit>[] {
	return [
		{
			key: "name",
			title: TEXTS.column.name,
			cell: (split) => (
				<Link
					to="/datasets/$dataset/examples"
					params={{ dataset }}
					search={{ split: split.name }}
					title={TEXTS.show(split.name)}
					className="hover:text-accent"
				>
					<LabelChip label={split} />
				</Link>
			),
		},
		{
			key: "description",
			title: TEXTS.column.description,
			className: "max-sm:hidden",
			cell: ({ description }) => <span className="text-muted">{description}</span>,
		},
		{
			key: "examples",
			title: TEXTS.column.examples,
			align: "right",
			className: "w-24",
			cell: ({ example_count }) => formatInteger(example_count),
		},
		{
			key: "changed",
			title: TEXTS.column.changed,
			align: "right",
			className: "w-28 max-sm:hidden",
			cell: ({ updated_at }) => <RelativeTime time={updated_at} className="text-muted" />,
		},
		...(onTask
			? [
					{
						key: "actions",
						title: TEXTS.column.actions,
						hideTitle: true,
						align: "right" as const,
						className: "w-12",
						cell: (split: DatasetSplit) => (
							<Menu
								align="end"
								trigger={
									<IconButton label={TEXTS.actions(split.name)}>
										<Ellipsis size={15} aria-hidden />
									</IconButton>
								}
							>
								<MenuItem onClick={() => onTask({ kind: "edit", split })}>{TEXTS.edit}</MenuItem>
								<MenuItem danger onClick={() => onTask({ kind: "delete", split })}>
									{TEXTS.delete}
								</MenuItem>
							</Menu>
						),
					},
				]
			: []),
	];
}
