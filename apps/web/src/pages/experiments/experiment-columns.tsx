import type { Experiment } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import Check from "lucide-react/icons/check";
import type { ReactNode } from "react";
import { isScore, scoreKey } from "../../annotating/score-key.ts";
import { formatCompact, formatCost, formatDuration, formatInteger, formatPercent, UNKNOWN } from "../../lib/format.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Chip } from "../../ui/chip.tsx";
import { classNames } from "../../ui/class-names.ts";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { type ListColumn, REST } from "../../ui/grid-layout.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";
import { ExperimentMenu } from "./experiment-menu.tsx";
import { errorOf, formatScore, formatScoreInColumn, metricMaximum, metricNames } from "./metrics.ts";
import { RunProgress } from "./run-progress.tsx";
import type { ExperimentsSearch } from "./search.ts";

const TEXTS = dataTexts.experiments;
const NAMES = TEXTS.column;
const dim = <span className="text-muted">{UNKNOWN}</span>;

export const chosenColumns = localSetting("columns.experiments");
/** Keys of the columns that are shown unless others are chosen. */
export const SHOWN = ["name", "dataset", "created", "runs", REST, "latency", "cost", "tokens", "errors"];

export interface ExperimentColumnsOptions {
	readonly experiments: readonly Experiment[];
	/** Names of the datasets by id; undefined in the list of one dataset. */
	readonly datasets: ReadonlyMap<string, string> | undefined;
	/** Id of the experiment that an opened one is compared with. */
	readonly baseOf: (experiment: Experiment) => string | undefined;
}

/** All columns of the list, with one for each metric, but those that select and that act. */
export function experimentColumns(options: ExperimentColumnsOptions): ListColumn<Experiment>[] {
	const { experiments, datasets, baseOf } = options;
	const name: ListColumn<Experiment> = {
		key: "name",
		isNeeded: true,
		title: NAMES.name,
		width: 150,
		grow: 2,
		cell: (row) => (
			<span className="flex min-w-0 items-center gap-1.5">
				<Link
					to="/datasets/$dataset/compare"
					params={{ dataset: row.dataset_id }}
					search={{ experiment: comparedWith(row, baseOf(row)) }}
					title={row.description ? `${row.name}\n${row.description}` : row.name}
					{...rowLink("truncate font-medium hover:text-accent")}
				>
					{row.name}
				</Link>
				{row.tags.map((tag) => (
					<Chip key={tag} tone="accent" className="shrink-0">
						{tag}
					</Chip>
				))}
			</span>
		),
	};
	const score = (metric: string): ListColumn<Experiment> => ({
		key: scoreKey(metric),
		isDynamic: true,
		title: metric,
		width: 104,
		align: "right",
		sortable: true,
		cell: (row) => <Score experiment={row} metric={metric} maximum={metricMaximum(experiments, metric)} />,
	});

	return [
		name,
		...(datasets
			? [
					{
						key: "dataset",
						title: NAMES.dataset,
						width: 110,
						grow: 1,
						cell: (row: Experiment) => (
							<Link
								to="/datasets/$dataset/experiments"
								params={{ dataset: row.dataset_id }}
								tabIndex={-1}
								className="hover:text-accent"
							>
								{datasets.get(row.dataset_id) ?? row.dataset_id}
							</Link>
						),
					},
				]
			: []),
		{
			key: "created",
			sortable: true,
			title: NAMES.created,
			width: 84,
			cell: (row) => <RelativeTime time={row.created_at} className="text-muted" />,
		},
		{ key: "runs", title: NAMES.runs, width: 110, cell: (row) => <RunProgress experiment={row} /> },
		...metricNames(experiments).map(score),
		{
			key: "latency",
			sortable: true,
			title: NAMES.latency,
			width: 64,
			align: "right",
			cell: (row) => (row.average_latency_ms === null ? dim : formatDuration(row.average_latency_ms)),
		},
		{
			key: "cost",
			sortable: true,
			title: NAMES.cost,
			width: 76,
			align: "right",
			cell: (row) => (row.total_cost === null ? dim : formatCost(row.total_cost)),
		},
		{
			key: "tokens",
			sortable: true,
			title: NAMES.tokens,
			width: 52,
			align: "right",
			cell: (row) =>
				row.total_tokens > 0 ? (
					<span title={formatInteger(row.total_tokens)}>{formatCompact(row.total_tokens)}</span>
				) : (
					dim
				),
		},
		{
			key: "errors",
			sortable: true,
			title: NAMES.errors,
			width: 52,
			align: "right",
			cell: (row) =>
				row.error_rate === null ? (
					dim
				) : (
					<span className={row.error_rate > 0 ? "text-danger" : "text-muted"}>{formatPercent(row.error_rate)}</span>
				),
		},
	];
}

/** What the API sorts by, by column; undefined for the usual order. */
const SORTS: Readonly<Record<string, ExperimentsSearch["sort"]>> = {
	created: undefined,
	latency: "average_latency_ms",
	cost: "total_cost",
	tokens: "total_tokens",
	errors: "error_rate",
};

/** The column that the list is sorted by. */
export function sortedColumn({ sort }: ExperimentsSearch): string {
	if (sort !== undefined && isScore(sort)) return sort;
	return Object.entries(SORTS).find(([, key]) => key === sort)?.[0] ?? "created";
}

/** The address after a click on a column's title: first descending, then ascending. */
export function withSort(search: ExperimentsSearch, column: string): ExperimentsSearch {
	const { sort: before, order: _order, ...rest } = search;
	const sort = isScore(column) ? column : SORTS[column];
	const isTurned = before === sort && search.order === undefined;
	return { ...rest, ...(sort ? { sort } : {}), ...(isTurned ? { order: "asc" } : {}) };
}

/** The columns of phones: the name and one metric. */
export function onPhones(all: readonly ListColumn<Experiment>[]): ListColumn<Experiment>[] {
	return [...all.filter(({ key }) => key === "name"), ...all.filter(({ isDynamic }) => isDynamic).slice(0, 1)];
}

/** The column that selects experiments. */
export function selectColumn(selected: ReadonlySet<string>, onToggle: (id: string) => void): GridColumn<Experiment> {
	return {
		key: "select",
		title: NAMES.select,
		hideTitle: true,
		width: 20,
		cell: (row) => (
			// biome-ignore lint/a11y/useSemanticElements: an arrow key moves within the row, which an <input> would take
			<button
				type="button"
				role="checkbox"
				aria-checked={selected.has(row.id)}
				aria-label={TEXTS.select(row.name)}
				tabIndex={-1}
				onClick={() => onToggle(row.id)}
				className={classNames(
					"flex size-4 items-center justify-center rounded-sm border",
					selected.has(row.id) ? "border-accent bg-accent text-on-accent" : "border-line-strong",
				)}
			>
				{selected.has(row.id) && <Check size={12} aria-hidden />}
			</button>
		),
	};
}

/** The column of the menus. */
export const ACTIONS: GridColumn<Experiment> = {
	key: "actions",
	title: NAMES.actions,
	hideTitle: true,
	width: 28,
	cell: (row) => <ExperimentMenu experiment={row} />,
};

/** The ids that are compared when an experiment is opened: the base, if there is one, and the experiment. */
export function comparedWith({ id }: Experiment, base: string | undefined): string[] {
	return base === undefined || base === id ? [id] : [base, id];
}

function Score({
	experiment,
	metric,
	maximum,
}: {
	experiment: Experiment;
	metric: string;
	maximum: number;
}): ReactNode {
	const score = experiment.scores[metric];
	if (!score) return dim;
	const { mean, count } = score;
	const error = errorOf(score);
	const share = Math.max(0, Math.min(1, mean / maximum));
	const title = `${TEXTS.scoreOf(metric, formatScore(mean), count)}${error === null ? "" : ` ${TEXTS.plusMinus(formatScore(error))}`}`;
	return (
		<span title={title} className="flex items-center justify-end gap-2">
			<span aria-hidden className="h-1.5 w-10 overflow-hidden rounded-full bg-line-strong">
				<span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
			</span>
			<span className="w-9">{formatScoreInColumn(mean)}</span>
		</span>
	);
}
