import type { ReactNode } from "react";
import { UNKNOWN } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { shortText } from "../../ui/content/short-text.ts";
import type { GridColumn } from "../../ui/grid-columns.ts";
import type { Compared } from "./compare-page.tsx";
import { Delta } from "./delta.tsx";
import { formatScoreInColumn } from "./metrics.ts";
import type { ComparedExperiment, ComparedRow } from "./queries.ts";

const TEXTS = dataTexts.compare;

export interface CompareColumnsOptions {
	readonly experiments: readonly Compared[];
	/** The metric whose scores are listed. */
	readonly metric: string | undefined;
	/** Whether an example is open beside the list, so that its columns omit the outputs. */
	readonly isBeside: boolean;
}

/** A column for the example, and one for each experiment. */
export function compareColumns({ experiments, metric, isBeside }: CompareColumnsOptions): GridColumn<ComparedRow>[] {
	return [
		{
			key: "example",
			title: TEXTS.example,
			width: 120,
			grow: 2,
			cell: (row) => {
				const text = shortText(row.example.input);
				return <span title={text}>{text || row.example.id}</span>;
			},
		},
		...experiments.map(
			({ id, name }, index): GridColumn<ComparedRow> => ({
				key: id,
				title: index === 0 ? `${name} (${TEXTS.base})` : name,
				width: isBeside ? 104 : 150,
				...(isBeside ? {} : { grow: 2 }),
				cell: (row) => {
					const compared = row.experiments.find(({ experiment_id }) => experiment_id === id);
					return <Result compared={compared} metric={metric} isBase={index === 0} isShort={isBeside} />;
				},
			}),
		),
	];
}

function Result({
	compared,
	metric,
	isBase,
	isShort,
}: {
	compared: ComparedExperiment | undefined;
	metric: string | undefined;
	isBase: boolean;
	isShort: boolean;
}): ReactNode {
	if (!compared || compared.runs.length === 0) return <span className="text-muted">{TEXTS.notRun}</span>;
	const score = metric === undefined ? undefined : compared.scores[metric];
	const delta = metric === undefined || isBase ? undefined : compared.deltas[metric];
	const failed = compared.runs.filter(({ error }) => error !== null);
	const answered = compared.runs.find(({ error }) => error === null) ?? compared.runs[0];
	return (
		<span className="flex min-w-0 items-center gap-2">
			{failed.length === compared.runs.length ? (
				<span className="shrink-0 text-danger" title={failed[0]?.error ?? undefined}>
					{TEXTS.failed}
				</span>
			) : (
				<>
					<span className="w-9 shrink-0 text-right">{score ? formatScoreInColumn(score.mean) : UNKNOWN}</span>
					{metric !== undefined && delta !== undefined && <Delta metric={metric} delta={delta} isShort />}
				</>
			)}
			{!isShort && answered && (
				<span className="min-w-0 truncate text-muted">{answered.error ?? shortText(answered.output)}</span>
			)}
			{!isShort && failed.length > 0 && failed.length < compared.runs.length && (
				<span className="shrink-0 text-danger text-sm" title={failed[0]?.error ?? undefined}>
					{TEXTS.failedRuns(failed.length)}
				</span>
			)}
		</span>
	);
}
