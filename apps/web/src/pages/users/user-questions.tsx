import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { AnswerChart } from "../../analytics/answer-chart.tsx";
import { AnswerNotes } from "../../analytics/answer-notes.tsx";
import { AnswerTable } from "../../analytics/answer-table.tsx";
import { cellLinks } from "../../analytics/cell-links.ts";
import type { Chart } from "../../analytics/chart.ts";
import { analyticsQuery } from "../../analytics/queries.ts";
import { toRange } from "../../analytics/search.ts";
import { quoted } from "../../filtering/conditions.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import { texts } from "../../texts/en.ts";
import { endUsersTexts } from "../../texts/end-users-en.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { UserPart } from "./user-page.tsx";

const route = getRouteApi("/p/$project/users/$user");
const TEXTS = endUsersTexts.user;
const HEIGHT = 340;

/** Traces, errors and cost of a user by day. */
export function ByDay({ project, user, range, zone }: UserPart): ReactNode {
	const navigate = route.useNavigate();
	const chart = useMemo(
		(): Chart => ({
			kind: "time_series",
			query: {
				of: "traces",
				measure: ["count", "cost_total"],
				filter: `user_id == ${quoted(user)}`,
				bucket: "day",
				...toRange(range, USERS_RANGE),
			},
			display: { style: "bars" },
		}),
		[user, range],
	);
	const { data, error, refetch } = useQuery(analyticsQuery(project, chart.query, zone));
	const links = useMemo(() => data && cellLinks(data, project), [data, project]);
	return (
		<section aria-label={TEXTS.byDay} className="flex flex-col gap-2">
			<h2 className="font-semibold text-lg">{TEXTS.byDay}</h2>
			{error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
			{!error && !data && (
				<div role="status" aria-label={texts.state.loading}>
					<Skeleton className="h-[340px] w-full" />
				</div>
			)}
			{data && links && (
				<>
					<AnswerNotes answer={data} />
					<AnswerChart
						{...{ chart, links, project }}
						answer={data}
						height={HEIGHT}
						sync="user"
						onZoom={(from, to) =>
							void navigate({ search: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } })
						}
					/>
				</>
			)}
		</section>
	);
}

/** The models that answered a user. */
export function Models({ project, user, range, zone }: UserPart): ReactNode {
	const { data, error, refetch } = useQuery(
		analyticsQuery(
			project,
			{
				of: "spans",
				measure: ["cost_total", "count", "tokens_total", "latency_p95"],
				group_by: ["model"],
				filter: `user_id == ${quoted(user)} and model is not None`,
				...toRange(range, USERS_RANGE),
			},
			zone,
		),
	);
	const links = useMemo(() => data && cellLinks(data, project), [data, project]);
	return (
		<section aria-label={TEXTS.models} className="min-w-0">
			<h2 className="mb-2 font-semibold text-lg">{TEXTS.models}</h2>
			{error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
			{!error && !data && <RowsSkeleton />}
			{data && data.groups_total === 0 && <p className="text-muted">{TEXTS.noModels}</p>}
			{data && links && data.groups_total > 0 && <AnswerTable answer={data} links={links} />}
		</section>
	);
}

/** A few rows that are on their way. */
export function RowsSkeleton(): ReactNode {
	return (
		<div role="status" aria-label={texts.state.loading}>
			{Array.from({ length: 4 }, (_, index) => (
				<div key={index} className="flex h-8 items-center justify-between border-line border-b px-2">
					<Skeleton className="w-40" />
					<Skeleton className="w-16" />
				</div>
			))}
		</div>
	);
}
