import type { ReviewConfusionMatrix, ReviewEstimate } from "@spanward/client";
import type { ReactNode } from "react";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Estimate } from "./estimate.tsx";

const TEXTS = reviewTexts.agreement;

/** How often somebody answered one thing where somebody else, or gold, says another. */
export function Matrix({
	rows,
	columns,
	matrix: { labels, counts },
	kappa,
}: {
	rows: string;
	columns: string;
	matrix: ReviewConfusionMatrix;
	kappa?: ReviewEstimate;
}): ReactNode {
	return (
		<div className="max-w-full overflow-x-auto">
			<table className="border-collapse">
				<caption className="pb-1 text-left text-sm">
					{TEXTS.rowsAndColumns(rows, columns)}
					{kappa && (
						<span className="block text-muted">
							{TEXTS.statistic.cohens_kappa} <Estimate estimate={kappa} isShare={false} />
						</span>
					)}
				</caption>
				<thead>
					<tr>
						<td />
						{labels.map((label) => (
							<th key={label} scope="col" className="px-2 py-1 text-right font-normal text-muted text-sm">
								{label}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{labels.map((label, row) => (
						<tr key={label}>
							<th scope="row" className="px-2 py-1 text-left font-normal text-muted text-sm">
								{label}
							</th>
							{labels.map((other, column) => {
								const count = counts[row]?.[column] ?? 0;
								const look = count === 0 ? "text-muted" : row === column ? "font-medium" : "bg-warn-soft font-medium";
								return (
									<td key={other} className={`border border-line px-2 py-1 text-right tabular-nums ${look}`}>
										{count}
									</td>
								);
							})}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
