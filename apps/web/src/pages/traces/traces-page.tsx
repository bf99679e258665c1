import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import { present } from "../../lib/search-params.ts";
import type { TraceView } from "../../lib/trace-panel.ts";
import { texts } from "../../texts/en.ts";
import { SkeletonRows } from "../../ui/skeleton.tsx";

const route = getRouteApi("/p/$project/traces");

export function TracesPage({ TraceView }: { TraceView: TraceView }): ReactNode {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	return (
		<>
			<h1 className="sr-only">{texts.traces.title}</h1>
			{search.trace !== undefined && (
				<Suspense fallback={<SkeletonRows />}>
					<TraceView
						project={project}
						traceId={search.trace}
						spanId={search.span}
						tab={search.tab}
						onChange={(change) => {
							void navigate({
								search: (before) =>
									present({ ...before, span: change.spanId ?? before.span, tab: change.tab ?? before.tab }),
								replace: true,
							});
						}}
					/>
				</Suspense>
			)}
		</>
	);
}
