import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { DashboardList } from "./dashboard-list.tsx";

const route = getRouteApi("/p/$project/dashboards");

/** The dashboards of a project. */
export function ProjectDashboardsPage(): ReactNode {
	const { project } = route.useParams();
	const { q } = route.useSearch();
	const navigate = route.useNavigate();
	usePageTitle(TEXTS.title, project);
	return (
		<DashboardList
			project={project}
			words={q}
			onWords={(words) =>
				void navigate({
					search: ({ q: _q, ...rest }) => (words ? { ...rest, q: words } : rest),
					replace: true,
				})
			}
		/>
	);
}
