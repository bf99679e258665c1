import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { TimeRangePicker } from "../../shell/time-range-picker.tsx";
import { TopBar } from "../../shell/top-bar.tsx";
import { analyticsTexts } from "../../texts/analytics-en.ts";
import { Explore } from "./explore.tsx";

const route = getRouteApi("/explore");
const TEXTS = analyticsTexts.explore;

/** Questions about several projects, or all. */
export function ExplorePage(): ReactNode {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	usePageTitle(TEXTS.title);
	return (
		<>
			<TopBar controls={<TimeRangePicker />} />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				<Explore
					project={undefined}
					search={search}
					change={(next, replace = false) => void navigate({ search: next, replace })}
					heading={<h1 className="font-semibold text-xl">{TEXTS.acrossTitle}</h1>}
				/>
			</main>
		</>
	);
}
