import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { DashboardList } from "./dashboard-list.tsx";

const route = getRouteApi("/dashboards");

/** All dashboards, with the built-in ones across projects. */
export function DashboardsPage(): ReactNode {
	const { q } = route.useSearch();
	const navigate = route.useNavigate();
	usePageTitle(TEXTS.title);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				<DashboardList
					project={undefined}
					words={q}
					onWords={(words) => void navigate({ search: words ? { q: words } : {}, replace: true })}
				/>
			</main>
		</>
	);
}
