import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCompact, formatCost, formatInteger, formatPercent, UNKNOWN } from "../../lib/format.ts";
import { totals } from "../../lib/metrics.ts";
import { parseTimeRange } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { overviewTexts } from "../../texts/overview-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { SpanKindLabel } from "../../ui/span-kind.tsx";
import type { Group } from "./charts.ts";
import type { OverviewSearch } from "./search.ts";

const NAME = "h-8 max-w-72 truncate px-2 text-left font-normal";
const CELL = "h-8 px-2 text-right font-normal whitespace-nowrap";

/** The sums over the time range; a group's name links to its spans. */
export function TotalsTable({
	project,
	groups,
	by,
}: {
	project: string;
	groups: readonly Group[];
	by: OverviewSearch["by"];
}): ReactNode {
	const heads = [
		overviewTexts.charts.spans,
		overviewTexts.charts.errors,
		overviewTexts.errorRate,
		overviewTexts.charts.tokens,
		overviewTexts.charts.cost,
	];
	return (
		<table className="w-full border-collapse">
			<caption className="sr-only">{overviewTexts.summary}</caption>
			<thead>
				<tr className="border-line border-b text-muted text-sm">
					<th scope="col" className={NAME}>
						{by ? texts.filter[by] : overviewTexts.table}
					</th>
					{heads.map((head) => (
						<th key={head} scope="col" className={CELL}>
							{head}
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{groups.map((group) => {
					const sum = totals(group.points);
					return (
						<tr key={group.label} className="border-line border-b">
							<th scope="row" className={NAME}>
								<GroupName project={project} group={group} by={by} />
							</th>
							<td className={CELL} title={formatInteger(sum.spans)}>
								{formatCompact(sum.spans)}
							</td>
							<td className={classNames(CELL, sum.errors > 0 && "text-danger")}>{formatInteger(sum.errors)}</td>
							<td className={CELL}>{sum.spans > 0 ? formatPercent(sum.errors / sum.spans) : UNKNOWN}</td>
							<td className={CELL} title={formatInteger(sum.tokens)}>
								{sum.tokens > 0 ? formatCompact(sum.tokens) : UNKNOWN}
							</td>
							<td className={CELL}>{sum.cost > 0 ? formatCost(sum.cost) : UNKNOWN}</td>
						</tr>
					);
				})}
			</tbody>
		</table>
	);
}

function GroupName({ project, group, by }: { project: string; group: Group; by: OverviewSearch["by"] }): ReactNode {
	const label = by === "kind" && group.name !== null ? <SpanKindLabel kind={group.name} /> : group.label;
	if (!by || group.name === null) return label;
	const value = group.name;
	return (
		<Link
			to="/p/$project/traces"
			params={{ project }}
			search={(before) => ({ ...parseTimeRange(before), view: "spans", [by]: [value] })}
			className="hover:text-accent hover:underline"
		>
			{label}
		</Link>
	);
}
