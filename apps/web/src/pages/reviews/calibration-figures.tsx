import type { ReviewEstimate, ReviewLabelScore, ReviewQueueCalibrationPage } from "@spanward/client";
import type { ReactNode } from "react";
import { formatInteger, UNKNOWN } from "../../lib/format.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Matrix } from "./confusion-matrix.tsx";
import { Estimate } from "./estimate.tsx";

const TEXTS = reviewTexts.calibration;
const STATISTICS = ["percent_agreement", "cohens_kappa", "krippendorffs_alpha"] as const;

export type CalibrationData = ReviewQueueCalibrationPage["data"];

/** How far annotations and gold agree: as a whole, as a matrix, and by label. */
export function CalibrationFigures({ figures }: { figures: CalibrationData }): ReactNode {
	const { annotation_name: name, matrix, labels, type } = figures;
	const counts = [
		[TEXTS.goldItems, figures.gold_items],
		[TEXTS.compared, figures.compared],
		[TEXTS.differing, figures.differing],
	] as const;
	return (
		<>
			<dl className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-6 gap-y-4">
				{counts.map(([title, count]) => (
					<Fact key={title} title={title}>
						{formatInteger(count)}
					</Fact>
				))}
				{STATISTICS.map((statistic) => (
					<Fact key={statistic} title={reviewTexts.agreement.statistic[statistic]}>
						<Statistic estimate={figures[statistic]} isShare={statistic === "percent_agreement"} />
					</Fact>
				))}
			</dl>
			{type === "CATEGORICAL" && (
				<section aria-labelledby="matrix" className="flex flex-col gap-2">
					<h2 id="matrix" className="font-semibold">
						{TEXTS.matrix}
					</h2>
					{matrix === null ? (
						<p className="text-muted">{TEXTS.noMatrix}</p>
					) : (
						<Matrix rows={TEXTS.rows} columns={name} matrix={matrix} />
					)}
				</section>
			)}
			{labels.length > 0 && <Labels labels={labels} />}
		</>
	);
}

function Fact({ title, children }: { title: string; children: ReactNode }): ReactNode {
	return (
		<div>
			<dt className="text-muted text-sm">{title}</dt>
			<dd className="text-lg tabular-nums">{children}</dd>
		</div>
	);
}

/** A figure with the number of pairs that it is of, which "too few" says itself. */
function Statistic({ estimate, isShare }: { estimate: ReviewEstimate | null; isShare: boolean }): ReactNode {
	return (
		<>
			<Estimate estimate={estimate} isShare={isShare} />
			{estimate !== null && estimate.state !== "too_few" && (
				<span className="block text-muted text-sm">{TEXTS.ofPairs(estimate.pairs)}</span>
			)}
		</>
	);
}

function Labels({ labels }: { labels: readonly ReviewLabelScore[] }): ReactNode {
	const number = { align: "right" as const, className: "w-20" };
	const columns: TableColumn<ReviewLabelScore>[] = [
		{
			key: "label",
			title: TEXTS.label,
			cell: ({ label }) => <span className="[overflow-wrap:anywhere]">{label}</span>,
		},
		{ key: "precision", title: TEXTS.precision, ...number, cell: ({ precision }) => share(precision) },
		{ key: "recall", title: TEXTS.recall, ...number, cell: ({ recall }) => share(recall) },
		{ key: "f1", title: TEXTS.f1, ...number, className: "w-14", cell: ({ f1 }) => share(f1) },
		{
			...{ key: "gold", title: TEXTS.goldSo, ...number, className: "w-20 max-sm:hidden" },
			cell: ({ gold }) => formatInteger(gold),
		},
		{
			...{ key: "judged", title: TEXTS.judgedSo, ...number, className: "w-28 max-sm:hidden" },
			cell: ({ judged }) => formatInteger(judged),
		},
	];
	return (
		<section aria-labelledby="by-label">
			<h2 id="by-label" className="mb-1 font-semibold">
				{TEXTS.byLabel}
			</h2>
			<Table label={TEXTS.byLabel} columns={columns} rows={labels} rowKey={({ label }) => label} />
		</section>
	);
}

function share(value: number | null): string {
	return value === null ? UNKNOWN : value.toFixed(2);
}
