import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import CircleAlert from "lucide-react/icons/circle-alert";
import type { ReactNode } from "react";
import { formatTime } from "../../lib/time.ts";
import { errorsTexts } from "../../texts/errors-en.ts";
import { errorsOfTraceQuery } from "./span-queries.ts";

/** From a span that failed to the group of errors that its failure is in; nothing while it is in none. */
export function ErrorGroupLink({
	project,
	traceId,
	spanId,
}: {
	project: string;
	traceId: string;
	spanId: string;
}): ReactNode {
	const { data } = useQuery(errorsOfTraceQuery(project, traceId));
	const group = data?.find(({ span_id: id }) => id === spanId)?.error_group;
	if (group === undefined) return null;
	const { id, title, total_count: count, first_seen: since, user_count: users } = group;
	return (
		<Link
			to="/p/$project/errors/$group"
			params={{ project, group: id }}
			title={`${errorsTexts.openGroup}: ${title}`}
			className="flex items-center gap-1.5 self-start text-accent hover:underline"
		>
			<CircleAlert size={14} aria-hidden className="shrink-0" />
			{errorsTexts.ofSpan(count, formatTime(since), users)}
		</Link>
	);
}
