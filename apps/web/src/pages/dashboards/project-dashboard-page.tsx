import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import type { Change } from "./controls.tsx";
import { Dashboard } from "./dashboard.tsx";

const route = getRouteApi("/p/$project/dashboards/$dashboard");

/** A dashboard among the pages of a project. */
export function ProjectDashboardPage(): ReactNode {
	const { project, dashboard } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const change = useCallback<Change>(
		(next, replace = false) => void navigate({ search: (before) => next(before), replace }),
		[navigate],
	);
	return <Dashboard id={dashboard} project={project} search={search} change={change} />;
}
