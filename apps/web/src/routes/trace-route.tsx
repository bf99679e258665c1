import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { present } from "../lib/search-params.ts";
import { TracePage } from "../pages/trace/trace-page.tsx";

const route = getRouteApi("/p/$project/traces/$trace");

/** A trace on its own page. */
export function TraceRoute(): ReactNode {
	const { project, trace } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	return (
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
	);
}
