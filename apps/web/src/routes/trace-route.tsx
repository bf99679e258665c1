import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type AttributeFilter, FilterByAttribute, withAttribute } from "../filtering/attribute-filter.ts";
import { present } from "../lib/search-params.ts";
import { parseTimeRange } from "../lib/time-range.ts";
import { TracePage } from "../pages/trace/trace-page.tsx";

const route = getRouteApi("/p/$project/traces/$trace");

/** A trace on its own page. */
export function TraceRoute(): ReactNode {
	const { project, trace } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const listSpans = (asked: AttributeFilter) => {
		void navigate({
			to: "/p/$project/traces",
			params: { project },
			search: (before) => ({
				...parseTimeRange(before),
				view: "spans" as const,
				filter: withAttribute(undefined, "span", asked),
			}),
		});
	};
	return (
		<FilterByAttribute value={listSpans}>
			<TracePage
				project={project}
				traceId={trace}
				spanId={search.span}
				tab={search.tab}
				onChange={(change) => {
					void navigate({
						search: (before) =>
							present({
								...before,
								...("spanId" in change ? { span: change.spanId } : {}),
								...("tab" in change ? { tab: change.tab } : {}),
							}),
						replace: true,
					});
				}}
			/>
		</FilterByAttribute>
	);
}
