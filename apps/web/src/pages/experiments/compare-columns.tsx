import type { ReactNode } from "react";
import { UNKNOWN } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { shortText } from "../../ui/content/short-text.ts";
import type { GridColumn } from "../../ui/data-grid-header.tsx";
import type { Compared } from "./compare-page.tsx";
import { Delta } from "./delta.tsx";
import { formatScore } from "./metrics.ts";
import type { ComparedExperiment, ComparedRow } from "./queries.ts";

const TEXTS = dataTexts.compare;

export interface CompareColumnsOptions {
	readonly experiments: readonly Compared[];
	/** The metric whose scores are listed. */
	readonly metric: string | undefined;
	/** The example stands beside the list, so that the outputs need not. */
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
				width: isBeside ? 92 : 150,
				...(isBeside ? {} : { grow: 2 }),
				cell: (row) => {
					const compared = row.experiments.find(({ experiment_id }) => experiment_id === id);
					return <Result compared={compared} metric={metric} isShort={isBeside} />;
				},
			}),
		),
	];
}

function Result({
	compared,
	metric,
	isShort,
}: {
	compared: ComparedExperiment | undefined;
	metric: string | undefined;
	isShort: boolean;
}): ReactNode {
	if (!compared || compared.runs.length === 0) return <span className="text-muted">{TEXTS.notRun}</span>;
	const score = metric === undefined ? undefined : compared.scores[metric];
	const delta = metric === undefined ? undefined : compared.deltas[metric];
	const failed = compared.runs.filter(({ error }) => error !== null);
	const [first] = compared.runs;
	return (
		<span className="flex min-w-0 items-center gap-2">
			{failed.length === compared.runs.length ? (
				<span className="shrink-0 text-danger" title={failed[0]?.error ?? undefined}>
					{TEXTS.failed}
				</span>
			) : (
				<>
					<span className="w-9 shrink-0 text-right">{score ? formatScore(score.mean) : UNKNOWN}</span>
					{delta !== undefined && <Delta delta={delta} />}
				</>
			)}
			{!isShort && first && (
				<span className="min-w-0 truncate text-muted">{first.error ?? shortText(first.output)}</span>
			)}
		</span>
	);
}
