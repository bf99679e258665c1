import { ApiError } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { parseListSearch } from "../filtering/list-search.ts";
import { projectQuery } from "../lib/projects.ts";
import { parseTimeRange } from "../lib/time-range.ts";
import { texts } from "../texts/en.ts";
import { ErrorState } from "../ui/error-state.tsx";
import { LiveToggle } from "./live-toggle.tsx";
import { TimeRangePicker } from "./time-range-picker.tsx";
import { TopBar } from "./top-bar.tsx";

const MissingProject = lazy(async () => ({ default: (await import("./missing-project.tsx")).MissingProject }));

const route = getRouteApi("/p/$project");

const TAB =
	"flex h-11 items-center border-transparent border-b-2 px-2 text-muted hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink";

/** The common frame of a project's pages: tabs, time range, and a message for a missing project. */
export function ProjectLayout(): ReactNode {
	const { project } = route.useParams();
	const { error, refetch } = useQuery(projectQuery(project));
	return (
		<>
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
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				{error === null ? <Outlet /> : <ProjectError project={project} error={error} onRetry={() => void refetch()} />}
			</main>
		</>
	);
}

function ProjectTabs({ project }: { project: string }): ReactNode {
	const params = { project };
	const shared = { params, search: parseTimeRange, className: TAB, activeOptions: { includeSearch: false } };
	return (
		<nav aria-label={texts.nav.project} className="flex gap-1 max-sm:hidden">
			<Link to="/p/$project/traces" {...shared} search={parseListSearch}>
				{texts.nav.traces}
			</Link>
			<Link to="/p/$project/sessions" {...shared} search={parseListSearch}>
				{texts.nav.sessions}
			</Link>
			<Link to="/p/$project/overview" {...shared}>
				{texts.nav.overview}
			</Link>
			<Link to="/p/$project/settings" {...shared}>
				{texts.nav.settings}
			</Link>
		</nav>
	);
}

function ProjectError({ project, error, onRetry }: { project: string; error: Error; onRetry: () => void }): ReactNode {
	if (!(error instanceof ApiError) || error.status !== 404) return <ErrorState error={error} onRetry={onRetry} />;
	return (
		<Suspense>
			<MissingProject project={project} onFound={onRetry} />
		</Suspense>
	);
}
