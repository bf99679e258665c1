import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import { TimeRangePicker } from "../../shell/time-range-picker.tsx";
import { TopBar } from "../../shell/top-bar.tsx";
import type { Change } from "./controls.tsx";
import { Dashboard } from "./dashboard.tsx";

const route = getRouteApi("/dashboards/$dashboard");

/** A dashboard by its id alone, of whichever project or across projects. */
export function DashboardPage(): ReactNode {
	const { dashboard } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const change = useCallback<Change>(
		(next, replace = false) => void navigate({ search: (before) => next(before), replace }),
		[navigate],
	);
	return (
		<>
			<TopBar controls={<TimeRangePicker />} />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				<Dashboard id={dashboard} project={undefined} search={search} change={change} />
			</main>
		</>
	);
}
