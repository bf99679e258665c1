import { Link } from "@tanstack/react-router";
import ChartLine from "lucide-react/icons/chart-line";
import type { ReactNode } from "react";
import type { RowFilters } from "../filtering/row-filters.ts";
import { present } from "../lib/search-params.ts";
import type { TimeRangeSearch } from "../lib/time-range.ts";
import { texts } from "../texts/en.ts";
import { Tooltip } from "../ui/tooltip.tsx";
import type { AnalyticsRows } from "./chart.ts";

/** Leads from a list to Explore, with what the list is filtered by. */
export function ChartThis({
	project,
	of,
	search,
	groupBy,
}: {
	project: string;
	of: AnalyticsRows;
	search: Omit<RowFilters, "view"> & TimeRangeSearch;
	/** What the chart tells apart at first. */
	groupBy?: readonly string[];
}): ReactNode {
	const group_by = groupBy && [...groupBy];
	const { q, filter, error, min, max, name, user, session, model, kind, from = "all", to } = search;
	return (
		<Tooltip text={texts.traces.chartThis}>
			<Link
				to="/p/$project/explore"
				params={{ project }}
				search={present({ of, group_by, q, filter, error, min, max, name, user, session, model, kind, from, to })}
				aria-label={texts.traces.chartThis}
				className="inline-flex size-7 shrink-0 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
			>
				<ChartLine size={14} aria-hidden />
			</Link>
		</Tooltip>
	);
}
