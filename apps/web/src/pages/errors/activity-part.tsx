import type { ErrorActivity, ErrorGroupDetail } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { activityText } from "./activity-text.ts";
import { GroupPart } from "./group-part.tsx";
import { activityPages } from "./queries.ts";

/** What happened to it, newest first. */
export function ActivityPart({ project, group }: { project: string; group: ErrorGroupDetail }): ReactNode {
	const query = useInfiniteQuery(activityPages(group.id));
	return (
		<GroupPart title={TEXTS.activity}>
			<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
				{(items) =>
					items.length === 0 ? (
						<p className="text-muted">{TEXTS.noActivity}</p>
					) : (
						<>
							<ol className="flex flex-col gap-1">
								{items.map((item) => (
									<li key={item.id} className="flex items-baseline justify-between gap-3">
										<span className="min-w-0 [overflow-wrap:anywhere]">
											<Happened project={project} item={item} />
										</span>
										<RelativeTime time={item.time} className="shrink-0 text-muted text-sm" />
									</li>
								))}
							</ol>
							<MoreRows query={query} what={TEXTS.moreActivity} />
						</>
					)
				}
			</Loaded>
		</GroupPart>
	);
}

/** What happened, and where: what opened a group again leads to the span. */
function Happened({ project, item }: { project: string; item: ErrorActivity }): ReactNode {
	const { trace_id: trace, span_id: span } = item.details;
	if (typeof trace !== "string" || typeof span !== "string") return activityText(item);
	return (
		<Link
			to="/p/$project/traces/$trace"
			params={{ project, trace }}
			search={{ span }}
			className="hover:text-accent hover:underline"
		>
			{activityText(item)}
		</Link>
	);
}
