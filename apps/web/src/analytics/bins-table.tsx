import type { Analytics } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatInteger, formatPercent } from "../lib/format.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { binLink, type Distribution } from "./distribution.ts";
import { formatNumberOf } from "./measures.ts";

const CELL = "h-8 whitespace-nowrap px-2 text-right font-normal";

/** The bins of a distribution, with links to their rows. */
export function BinsTable({
	answer,
	distribution,
	project,
}: {
	answer: Analytics;
	distribution: Distribution;
	/** Its name in addresses; undefined where the answer is about several. */
	project: string | undefined;
}): ReactNode {
	const { bins, totals, of } = distribution;
	const format = formatNumberOf(of);
	const all = totals.reduce((sum, count) => sum + count, 0);
	return (
		<div className="overflow-x-auto">
			<table aria-label={TEXTS.binsTable} className="w-full border-collapse">
				<thead>
					<tr className="border-line border-b text-muted text-sm">
						<th scope="col" className={CELL}>
							{TEXTS.binColumn(of)}
						</th>
						<th scope="col" className={CELL}>
							{TEXTS.binEnd}
						</th>
						<th scope="col" className={CELL}>
							{TEXTS.count}
						</th>
					</tr>
				</thead>
				<tbody>
					{bins.map(({ start, end }, bin) => {
						const count = totals[bin] ?? 0;
						const link = count > 0 ? binLink(answer, project, bin) : undefined;
						return (
							<tr key={start} className="border-line border-b hover:bg-hover">
								<th scope="row" title={String(start)} className={CELL}>
									{format(start)}
								</th>
								<td title={String(end)} className={CELL}>
									{format(end)}
								</td>
								<td title={all > 0 ? TEXTS.share(formatPercent(count / all)) : undefined} className={CELL}>
									{link ? (
										<Link {...link} className="hover:text-accent hover:underline">
											{formatInteger(count)}
										</Link>
									) : (
										formatInteger(count)
									)}
								</td>
							</tr>
						);
					})}
				</tbody>
			</table>
		</div>
	);
}
