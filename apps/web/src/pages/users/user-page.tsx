import { ApiError, type EndUser } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import ArrowLeft from "lucide-react/icons/arrow-left";
import type { ReactNode } from "react";
import { quoted } from "../../filtering/conditions.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import { present } from "../../lib/search-params.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { formatTime, shownTimeZone, useTimeZone } from "../../lib/time.ts";
import { chartRange, type TimeRangeSearch } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { endUsersTexts } from "../../texts/end-users-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { userQuery } from "./queries.ts";
import { Figures } from "./user-figures.tsx";
import { NewestSessions, NewestTraces } from "./user-newest.tsx";
import { ByDay, Models } from "./user-questions.tsx";
import { Scores } from "./user-scores.tsx";

const route = getRouteApi("/p/$project/users/$user");
const TEXTS = endUsersTexts.user;

/** What the parts of the page are about. */
export interface UserPart {
	readonly project: string;
	readonly user: string;
	readonly range: TimeRangeSearch;
	readonly zone: string;
}

/** One user: what they did, what it cost and how it went. */
export function UserPage(): ReactNode {
	const { project, user } = route.useParams();
	const search = route.useSearch();
	useTimeZone();
	const zone = shownTimeZone();
	const range = present({ from: search.from, to: search.to });
	const { data, error, refetch } = useQuery(userQuery(project, user, range, zone));
	usePageTitle(user, endUsersTexts.title);
	useShortcuts({
		title: endUsersTexts.title,
		shortcuts: [{ keys: ["r"], label: texts.shortcuts.refresh, run: () => void refetch() }],
	});
	if (error instanceof ApiError && error.code === "not_found") return <Missing project={project} user={user} />;
	if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
	const part = { project, user, range, zone };
	return (
		<div className="flex min-h-0 flex-1 flex-col gap-6 overflow-auto p-4">
			<Header {...part} data={data?.data} />
			{data?.is_partial && (
				<p role="status" className="rounded bg-warn-soft px-3 py-1.5 text-warn">
					{endUsersTexts.partial(formatTime(data.covered_start_time))}
				</p>
			)}
			{data && data.data.trace_count === 0 ? (
				<EmptyState title={TEXTS.none} text={TEXTS.noneText(formatTime(data.data.first_seen))} />
			) : (
				<>
					<Figures {...part} data={data?.data} />
					<ByDay {...part} />
					<div className="grid gap-6 lg:grid-cols-2">
						<Models {...part} />
						<Scores {...part} scores={data?.data.scores} />
						<NewestTraces {...part} />
						<NewestSessions {...part} />
					</div>
				</>
			)}
		</div>
	);
}

function Header({ project, user, range, data }: UserPart & { data: EndUser | undefined }): ReactNode {
	const { from, to } = chartRange(range, USERS_RANGE);
	const times = present({ from, to });
	const params = { project };
	return (
		<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
			<Link
				to="/p/$project/users"
				params={params}
				search={range}
				aria-label={TEXTS.all}
				className="inline-flex size-7 shrink-0 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
			>
				<ArrowLeft size={15} aria-hidden />
			</Link>
			<h1 className="flex min-w-0 items-center gap-1 font-semibold text-xl">
				<span className="sr-only">{TEXTS.kind}</span>
				<span title={user} className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">
					{user}
				</span>
				<CopyButton text={user} label={texts.action.copyNamed(texts.filter.user)} />
			</h1>
			<dl className="flex flex-wrap gap-x-4">
				<Seen name={TEXTS.first} time={data?.first_seen} />
				<Seen name={TEXTS.last} time={data?.last_seen} />
			</dl>
			<nav aria-label={TEXTS.kind} className="ml-auto flex gap-2">
				<Link to="/p/$project/traces" params={params} search={{ user: [user], ...times }} className={buttonClass()}>
					{TEXTS.traces}
				</Link>
				<Link to="/p/$project/sessions" params={params} search={{ user: [user], ...times }} className={buttonClass()}>
					{TEXTS.sessions}
				</Link>
				{data !== undefined && data.error_groups_open > 0 && (
					<Link to="/p/$project/errors" params={params} search={{ user: [user] }} className={buttonClass()}>
						{TEXTS.openErrors(data.error_groups_open)}
					</Link>
				)}
				<Link
					to="/p/$project/explore"
					params={params}
					search={{ of: "spans", filter: `user_id == ${quoted(user)}`, group_by: ["model"], ...times }}
					className={buttonClass()}
				>
					{TEXTS.explore}
				</Link>
			</nav>
		</div>
	);
}

function Seen({ name, time }: { name: string; time: string | null | undefined }): ReactNode {
	if (time === null) return null;
	return (
		<div className="flex items-center gap-1.5">
			<dt className="text-muted">{name}</dt>
			<dd>{time === undefined ? <Skeleton className="w-16" /> : <RelativeTime time={time} />}</dd>
		</div>
	);
}

function Missing({ project, user }: { project: string; user: string }): ReactNode {
	return (
		<>
			<h1 className="sr-only">{user}</h1>
			<EmptyState
				title={TEXTS.missing(user.slice(0, 100))}
				text={TEXTS.missingText}
				className="pt-32"
				actions={
					<Link to="/p/$project/users" params={{ project }} className={buttonClass("primary")}>
						{TEXTS.all}
					</Link>
				}
			/>
		</>
	);
}
