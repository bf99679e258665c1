import { useInfiniteQuery } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { useMayChangeDataset } from "../../homes/use-may-change.ts";
import { formatCost, formatDuration, formatPercent, UNKNOWN } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import type { Compared } from "./compare-page.tsx";
import { ComparedMenu } from "./compared-menu.tsx";
import { Delta } from "./delta.tsx";
import { formatScore } from "./metrics.ts";
import { type Comparison, experimentPages, incompleteRuns, type MetricSummary } from "./queries.ts";
import { ResumeDialog } from "./resume-dialog.tsx";
import { MOST_COMPARED } from "./search.ts";

const TEXTS = dataTexts.compare;

export interface ComparedSummaryProps {
	readonly dataset: string;
	/** The first is the base. */
	readonly experiments: readonly Compared[];
	readonly summary: Comparison["summary"];
	readonly metrics: readonly string[];
	readonly metric: string | undefined;
	/** Whether there is little room. */
	readonly isCompact: boolean;
	readonly onMetric: (metric: string) => void;
	/** Called with the ids of the experiments to compare from now on. */
	readonly onExperiments: (ids: string[]) => void;
}

/** The experiments side by side: a row for each metric, with what got better and worse against the base. */
export function ComparedSummary(props: ComparedSummaryProps): ReactNode {
	const { dataset, experiments, summary, metrics, metric, isCompact, onMetric, onExperiments } = props;
	const ids = experiments.map(({ id }) => id);
	const summaryOf = (id: string) => summary.find(({ experiment_id }) => experiment_id === id)?.metrics ?? {};
	const base = summaryOf(ids[0] ?? "");
	return (
		<section
			// biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
			tabIndex={0}
			aria-label={TEXTS.summary}
			className={classNames("shrink-0 overflow-auto border-line border-b", isCompact ? "max-h-[30%]" : "max-h-[45%]")}
		>
			<table className="border-collapse">
				<caption className="sr-only">{TEXTS.summary}</caption>
				<thead>
					<tr className="border-line border-b">
						<th scope="col" className="min-w-28 px-3 py-1 text-left font-normal text-muted text-sm">
							{TEXTS.metric}
						</th>
						{experiments.map((experiment, index) => (
							<th key={experiment.id} scope="col" className="min-w-48 px-3 py-1 text-left font-normal">
								<ExperimentHead
									dataset={dataset}
									experiment={experiment}
									isBase={index === 0}
									onBase={() => onExperiments([experiment.id, ...ids.filter((id) => id !== experiment.id)])}
									onRemove={ids.length > 1 ? () => onExperiments(ids.filter((id) => id !== experiment.id)) : undefined}
								/>
							</th>
						))}
						{ids.length < MOST_COMPARED && (
							<td className="px-3 py-1">
								<AddExperiment dataset={dataset} ids={ids} onAdd={(id) => onExperiments([...ids, id])} />
							</td>
						)}
					</tr>
				</thead>
				<tbody>
					{metrics.map((name) => (
						<tr
							key={name}
							className={classNames("align-top", name === metric && metrics.length > 1 && "bg-accent-soft")}
						>
							<th scope="row" className="px-3 py-1 text-left font-normal">
								<button
									type="button"
									aria-pressed={name === metric}
									onClick={() => onMetric(name)}
									className="max-w-40 truncate hover:text-accent"
								>
									{name}
								</button>
							</th>
							{ids.map((id, index) => (
								<td key={id} className="px-3 py-1">
									<MetricCell metric={name} summary={summaryOf(id)[name]} base={index === 0 ? undefined : base[name]} />
								</td>
							))}
							{ids.length < MOST_COMPARED && <td />}
						</tr>
					))}
					<FactRow title={dataTexts.experiments.column.latency} experiments={experiments} value={latencyOf} />
					<FactRow title={dataTexts.experiments.column.cost} experiments={experiments} value={costOf} />
					<FactRow title={dataTexts.experiments.column.errors} experiments={experiments} value={errorsOf} />
				</tbody>
			</table>
		</section>
	);
}

const latencyOf = ({ loaded }: Compared) => loaded && formatDuration(loaded.average_latency_ms);
const costOf = ({ loaded }: Compared) => loaded && formatCost(loaded.total_cost);
const errorsOf = ({ loaded }: Compared) => loaded && formatPercent(loaded.error_rate);

function FactRow({
	title,
	experiments,
	value,
}: {
	title: string;
	experiments: readonly Compared[];
	value: (experiment: Compared) => string | undefined;
}): ReactNode {
	const values = experiments.map(value);
	if (values.every((each) => each === undefined || each === UNKNOWN)) return null;
	return (
		<tr className="text-muted">
			<th scope="row" className="px-3 py-0.5 text-left font-normal">
				{title}
			</th>
			{experiments.map(({ id }, index) => (
				<td key={id} className="px-3 py-0.5">
					{values[index] ?? UNKNOWN}
				</td>
			))}
		</tr>
	);
}

function MetricCell({
	metric,
	summary,
	base,
}: {
	metric: string;
	summary: MetricSummary | undefined;
	base: MetricSummary | undefined;
}): ReactNode {
	if (!summary || summary.mean === null) return <span className="text-muted">{UNKNOWN}</span>;
	const { mean, confidence_interval, count } = summary;
	const [low, high] = (confidence_interval ?? []).map((end) => formatScore(Number(end)));
	const hasInterval = low !== undefined && high !== undefined;
	return (
		<span className="flex flex-col">
			<span className="flex items-center gap-2">
				<span className="font-medium" title={TEXTS.values(count)}>
					{formatScore(mean)}
				</span>
				{base && base.mean !== null && <Delta metric={metric} delta={mean - base.mean} />}
				<span
					className="text-muted text-sm"
					title={hasInterval ? TEXTS.interval(low, high, count) : TEXTS.noInterval(count)}
				>
					{hasInterval ? `${low} – ${high}` : TEXTS.tooFew} ({TEXTS.count(count)})
				</span>
			</span>
			{base && <Changes summary={summary} />}
		</span>
	);
}

/** The numbers of examples in which the experiment is better and worse than the base. */
function Changes({ summary }: { summary: MetricSummary }): ReactNode {
	const { improved, regressed, equal, missing } = summary;
	const parts: [count: number, text: string, color: string][] = [
		[improved, TEXTS.improved, "text-ok"],
		[regressed, TEXTS.regressed, "text-danger"],
		[equal, TEXTS.equal, "text-muted"],
		[missing, TEXTS.missing, "text-warn"],
	];
	return (
		<span className="flex flex-wrap gap-x-2 text-sm">
			{parts.map(
				([count, text, color]) =>
					count > 0 && (
						<span key={text} className={color}>
							{count} {text}
						</span>
					),
			)}
		</span>
	);
}

function ExperimentHead({
	dataset,
	experiment,
	isBase,
	onBase,
	onRemove,
}: {
	dataset: string;
	experiment: Compared;
	isBase: boolean;
	onBase: () => void;
	onRemove: (() => void) | undefined;
}): ReactNode {
	const { loaded } = experiment;
	const mayChange = useMayChangeDataset(dataset);
	const [isResuming, setResuming] = useState(false);
	const incomplete = loaded ? incompleteRuns(loaded) : 0;
	return (
		<div className="flex flex-col">
			<div className="flex items-center gap-1.5">
				<span className="max-w-56 truncate font-semibold" title={loaded?.description ?? experiment.name}>
					{experiment.name}
				</span>
				{isBase && <Chip tone="accent">{TEXTS.base}</Chip>}
				<ComparedMenu experiment={experiment} onBase={isBase ? undefined : onBase} onRemove={onRemove} />
			</div>
			{incomplete > 0 && (
				<span className="flex items-center gap-1 text-sm text-warn">
					{dataTexts.experiments.incomplete(incomplete)}
					{mayChange && (
						<button type="button" className="text-accent hover:underline" onClick={() => setResuming(true)}>
							{dataTexts.experiments.resume}
						</button>
					)}
				</span>
			)}
			{isResuming && loaded && <ResumeDialog experiment={loaded} onClose={() => setResuming(false)} />}
		</div>
	);
}

function AddExperiment({
	dataset,
	ids,
	onAdd,
}: {
	dataset: string;
	ids: readonly string[];
	onAdd: (id: string) => void;
}): ReactNode {
	const { data } = useInfiniteQuery(experimentPages(dataset));
	const others = data?.pages.flatMap((page) => page.data).filter(({ id }) => !ids.includes(id)) ?? [];
	if (others.length === 0) return null;
	return (
		<Menu
			trigger={
				<Button look="quiet">
					<Plus size={14} aria-hidden />
					{TEXTS.add}
				</Button>
			}
		>
			{others.map(({ id, name, tags }) => (
				<MenuItem key={id} onClick={() => onAdd(id)} hint={tags.join(", ")}>
					{name}
				</MenuItem>
			))}
		</Menu>
	);
}
