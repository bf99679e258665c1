import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useLocation } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import { useKeptFilters } from "../filtering/kept-filters.ts";
import { projectQuery } from "../lib/projects.ts";
import { parseTimeRange } from "../lib/time-range.ts";
import { useProjectGone, useProjectHidden } from "../lib/use-project-gone.ts";
import { texts } from "../texts/en.ts";
import { ErrorState } from "../ui/error-state.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { LiveToggle } from "./live-toggle.tsx";
import { TimeRangePicker } from "./time-range-picker.tsx";
import { TopBar } from "./top-bar.tsx";

const MissingProject = lazyPart(() => import("./missing-project.tsx"), "MissingProject");

const route = getRouteApi("/p/$project");

const TAB =
	"flex h-11 items-center border-transparent border-b-2 px-2 text-muted hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink";

/** The common frame of a project's pages: tabs, time range, and a message for a missing project. */
export function ProjectLayout(): ReactNode {
	const { project } = route.useParams();
	const { error, refetch } = useQuery(projectQuery(project));
	const isGone = useProjectGone(project);
	const isHidden = useProjectHidden(project);
	return (
		<>
			{isHidden ? (
				<TopBar />
			) : (
				<TopBar
					controls={
						<>
							<LiveToggle />
							<TimeRangePicker />
						</>
					}
				>
					<ProjectTabs project={project} />
				</TopBar>
			)}
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				<DroppedFilters />
				{isGone ? (
					<Suspense>
						<MissingProject project={project} onFound={() => void refetch()} />
					</Suspense>
				) : error === null ? (
					<Outlet />
				) : (
					<ErrorState error={error} onRetry={() => void refetch()} />
				)}
			</main>
		</>
	);
}

function ProjectTabs({ project }: { project: string }): ReactNode {
	const params = { project };
	const keptFor = useKeptFilters();
	const shared = { params, className: TAB, activeOptions: { includeSearch: false } };
	return (
		<nav aria-label={texts.nav.project} className="flex min-w-0 gap-1 overflow-x-auto overflow-y-hidden max-sm:hidden">
			<Link to="/p/$project/traces" {...shared} {...keptFor("traces")}>
				{texts.nav.traces}
			</Link>
			<Link to="/p/$project/sessions" {...shared} {...keptFor("sessions")}>
				{texts.nav.sessions}
			</Link>
			<Link to="/p/$project/errors" {...shared} search={parseTimeRange}>
				{texts.nav.errors}
			</Link>
			<Link to="/p/$project/overview" {...shared} {...keptFor("overview")}>
				{texts.nav.overview}
			</Link>
			<Link to="/p/$project/explore" {...shared} search={parseTimeRange}>
				{texts.nav.explore}
			</Link>
			<Link to="/p/$project/users" {...shared} search={parseTimeRange}>
				{texts.nav.endUsers}
			</Link>
			<Link to="/p/$project/dashboards" {...shared} search={parseTimeRange}>
				{texts.nav.dashboards}
			</Link>
			<Link to="/p/$project/settings" {...shared} search={parseTimeRange}>
				{texts.nav.settings}
			</Link>
		</nav>
	);
}

/** Which filters of the page before do not apply to this one. */
function DroppedFilters(): ReactNode {
	const dropped = useLocation({ select: ({ state }) => state.dropped });
	if (!dropped || dropped.length === 0) return null;
	const names = dropped.map((field) => texts.filter[field].toLowerCase());
	return (
		<p role="status" className="border-line border-b px-4 py-1.5 text-muted text-sm">
			{texts.filter.dropped(names.join(", "))}
		</p>
	);
}
