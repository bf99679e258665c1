import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api } from "../lib/api.ts";
import { annotatingTexts } from "../texts/annotating-en.ts";
import { reviewStates } from "../texts/review-states-en.ts";
import { Chip } from "../ui/chip.tsx";

/** The most queues that are named. */
const SHOWN = 3;

function reviewItemsQuery(project: string, traceId: string) {
	return queryOptions({
		queryKey: ["review-items-of", project, traceId],
		queryFn: async ({ signal }) => {
			const path = { project_identifier: project, trace_id: traceId };
			return (await api.get("/v1/projects/{project_identifier}/traces/{trace_id}/review_items", { path, signal })).data;
		},
		staleTime: 10_000,
	});
}

/** In which review queues a trace or spans of it are, and how far they are there. */
export function TraceReviews({ project, traceId }: { project: string; traceId: string }): ReactNode {
	const { data: items = [] } = useQuery(reviewItemsQuery(project, traceId));
	return items.slice(0, SHOWN).map(({ item_id, queue_id, queue_name, state }, index) => (
		<Link
			key={item_id}
			to="/reviews/$queue/items/$item"
			params={{ queue: queue_id, item: item_id }}
			className="min-w-0 rounded hover:underline"
		>
			<Chip tone={state === "disagreement" ? "warn" : "plain"}>
				<span className="truncate">{`${queue_name}: ${reviewStates[state]}`}</span>
				{index === SHOWN - 1 && items.length > SHOWN && (
					<span className="text-muted">{annotatingTexts.more(items.length - SHOWN)}</span>
				)}
			</Chip>
		</Link>
	));
}
