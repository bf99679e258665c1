import type { Dataset, DatasetLabel } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatInteger } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { LabelChip } from "./label-chip.tsx";

const TEXTS = dataTexts.datasets;

export function DatasetTable({
	datasets,
	labelsOf,
	onLabel,
}: {
	datasets: readonly Dataset[];
	labelsOf: (dataset: Dataset) => readonly DatasetLabel[];
	onLabel: (label: string) => void;
}): ReactNode {
	const columns: TableColumn<Dataset>[] = [
		{
			key: "name",
			title: TEXTS.column.name,
			cell: (dataset) => (
				<>
					<Link
						to="/datasets/$dataset/examples"
						params={{ dataset: dataset.id }}
						className="block truncate font-medium hover:text-accent"
					>
						{dataset.name}
					</Link>
					{dataset.description && <p className="truncate text-muted text-sm">{dataset.description}</p>}
				</>
			),
		},
		{
			key: "labels",
			title: TEXTS.column.labels,
			className: "w-1/4 max-sm:hidden",
			cell: (dataset) => (
				<span className="flex flex-wrap gap-1">
					{labelsOf(dataset).map((label) => (
						<button
							key={label.id}
							type="button"
							title={TEXTS.label(label.name)}
							onClick={() => onLabel(label.name)}
							className="max-w-full"
						>
							<LabelChip label={label} />
						</button>
					))}
				</span>
			),
		},
		{
			key: "examples",
			title: TEXTS.column.examples,
			align: "right",
			className: "w-24",
			cell: (dataset) => formatInteger(dataset.example_count),
		},
		{
			key: "changed",
			title: TEXTS.column.changed,
			align: "right",
			className: "w-28",
			cell: (dataset) => <RelativeTime time={dataset.updated_at} className="text-muted" />,
		},
	];
	return (
		<div className="px-2">
			<Table label={TEXTS.title} columns={columns} rows={datasets} rowKey={({ id }) => id} />
		</div>
	);
}
