import type { ReviewItem } from "@spanward/client";
import { type ReactNode, useState } from "react";
import { queryClient } from "../lib/query-client.ts";
import { runDetailsQuery } from "../pages/experiments/run-queries.ts";
import { traceQuery } from "../pages/trace/queries.ts";
import { spanQuery } from "../pages/trace/span-queries.ts";
import { TracePanel } from "../pages/trace/trace-page.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";

const SessionView = lazyPart(() => import("../pages/sessions/session-view.tsx"), "SessionView");
const RunView = lazyPart(() => import("../pages/experiments/run-view.tsx"), "RunView");

interface ReviewTargetProps {
	readonly target: ReviewItem["target"];
	readonly hidesAnnotations?: boolean;
}

/** What an item of a review queue is about, as the pages of traces, sessions and experiments show it. */
export function ReviewTarget({ target, hidesAnnotations = false }: ReviewTargetProps): ReactNode {
	const { kind, id, trace_id: traceId, project_id: project } = target;
	if (kind === "experiment_run" || project === null) return <RunView run={id} hidesJudgements={hidesAnnotations} />;
	if (kind === "session" || traceId === null)
		return <SessionView project={project} session={id} isPart hidesAnnotations={hidesAnnotations} />;
	const spanId = kind === "span" ? { spanId: id } : {};
	return <Trace project={project} traceId={traceId} {...spanId} hidesAnnotations={hidesAnnotations} />;
}

interface TraceProps {
	readonly project: string;
	readonly traceId: string;
	/** The span that is shown first. */
	readonly spanId?: string;
	readonly hidesAnnotations: boolean;
}

function Trace({ project, traceId, spanId, hidesAnnotations }: TraceProps): ReactNode {
	const [shown, setShown] = useState<{ spanId?: string | undefined; tab?: string | undefined }>({ spanId });
	return (
		<TracePanel
			project={project}
			traceId={traceId}
			spanId={shown.spanId}
			tab={shown.tab}
			onChange={(change) => setShown((before) => ({ ...before, ...change }))}
			isPart
			hidesAnnotations={hidesAnnotations}
		/>
	);
}

/** Loads the traces and runs that come next, and the spans that are judged. */
export function loadTargetsAhead(items: readonly ReviewItem[], hidesAnnotations: boolean): void {
	for (const { target } of items) {
		const { kind, id, trace_id: traceId, project_id: project } = target;
		if (kind === "experiment_run") void queryClient.prefetchQuery(runDetailsQuery(id, hidesAnnotations));
		if (traceId === null || project === null) continue;
		void queryClient.prefetchInfiniteQuery(traceQuery(project, traceId));
		if (kind === "span") void queryClient.prefetchQuery(spanQuery(project, traceId, id));
	}
}
