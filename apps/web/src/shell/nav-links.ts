import { useQuery } from "@tanstack/react-query";
import { type LinkProps, linkOptions } from "@tanstack/react-router";
import ChartLine from "lucide-react/icons/chart-line";
import ChartScatter from "lucide-react/icons/chart-scatter";
import CircleAlert from "lucide-react/icons/circle-alert";
import CirclePlay from "lucide-react/icons/circle-play";
import Database from "lucide-react/icons/database";
import FlaskConical from "lucide-react/icons/flask-conical";
import Folders from "lucide-react/icons/folders";
import LayoutDashboard from "lucide-react/icons/layout-dashboard";
import ListChecks from "lucide-react/icons/list-checks";
import ListTree from "lucide-react/icons/list-tree";
import MessagesSquare from "lucide-react/icons/messages-square";
import Scale from "lucide-react/icons/scale";
import Settings from "lucide-react/icons/settings";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import SquareTerminal from "lucide-react/icons/square-terminal";
import UsersRound from "lucide-react/icons/users-round";
import type { ComponentType } from "react";
import { useKeptFilters } from "../filtering/kept-filters.ts";
import { openCount, openReviewsQuery } from "../lib/open-reviews.ts";
import { parseTimeRange } from "../lib/time-range.ts";
import { texts } from "../texts/en.ts";

export type NavIcon = ComponentType<{ size?: number; "aria-hidden"?: boolean; className?: string }>;

export interface NavLink {
	readonly label: string;
	readonly icon: NavIcon;
	readonly link: LinkProps;
}

const { nav } = texts;
const anySearch = { includeSearch: false } as const;

export const PROJECTS: NavLink = {
	label: nav.projects,
	icon: Folders,
	link: linkOptions({ to: "/", activeOptions: { exact: true, ...anySearch } }),
};
const page = (
	label: string,
	icon: NavIcon,
	to:
		| "/dashboards"
		| "/datasets"
		| "/explore"
		| "/experiments"
		| "/prompts"
		| "/playground"
		| "/evaluators"
		| "/reviews"
		| "/settings",
) => ({
	...{ label, icon },
	link: linkOptions({ to, activeOptions: anySearch }),
});
export const DATASETS: NavLink = page(nav.datasets, Database, "/datasets");
export const EXPERIMENTS: NavLink = page(nav.experiments, FlaskConical, "/experiments");
export const PROMPTS: NavLink = page(nav.prompts, SquareTerminal, "/prompts");
export const PLAYGROUND: NavLink = page(nav.playground, CirclePlay, "/playground");
export const EVALUATORS: NavLink = page(nav.evaluators, Scale, "/evaluators");
export const REVIEWS: NavLink = page(nav.reviews, ListChecks, "/reviews");
export const EXPLORE: NavLink = page(nav.exploreAll, ChartScatter, "/explore");
export const DASHBOARDS: NavLink = page(nav.dashboardsAll, LayoutDashboard, "/dashboards");
export const SETTINGS: NavLink = page(texts.settings.title, Settings, "/settings");

/** How many reviews wait for the user: `12`, or `99+`; undefined for none. */
export function useOpenReviews(): string | undefined {
	const { data } = useQuery(openReviewsQuery);
	const count = [...(data?.values() ?? [])].reduce((sum, each) => sum + each, 0);
	return count === 0 ? undefined : openCount(count);
}

/** Links to the pages of the project, which keep its time range, and the filters that they have. */
export function useProjectLinks(project: string | undefined): readonly NavLink[] {
	const keptFor = useKeptFilters();
	if (project === undefined) return [];
	const of = { params: { project }, activeOptions: anySearch };
	return [
		{
			...{ label: nav.traces, icon: ListTree },
			link: linkOptions({ to: "/p/$project/traces", ...of, ...keptFor("traces") }) as LinkProps,
		},
		{
			...{ label: nav.sessions, icon: MessagesSquare },
			link: linkOptions({ to: "/p/$project/sessions", ...of, ...keptFor("sessions") }) as LinkProps,
		},
		{
			...{ label: nav.errors, icon: CircleAlert },
			link: linkOptions({ to: "/p/$project/errors", ...of, search: parseTimeRange }) as LinkProps,
		},
		{
			...{ label: nav.overview, icon: ChartLine },
			link: linkOptions({ to: "/p/$project/overview", ...of, ...keptFor("overview") }) as LinkProps,
		},
		{
			...{ label: nav.explore, icon: ChartScatter },
			link: linkOptions({ to: "/p/$project/explore", ...of, search: parseTimeRange }) as LinkProps,
		},
		{
			...{ label: nav.endUsers, icon: UsersRound },
			link: linkOptions({ to: "/p/$project/users", ...of, search: parseTimeRange }) as LinkProps,
		},
		{
			...{ label: nav.dashboards, icon: LayoutDashboard },
			link: linkOptions({ to: "/p/$project/dashboards", ...of, search: parseTimeRange }) as LinkProps,
		},
		{
			...{ label: texts.projectSettings.title, icon: SlidersHorizontal },
			link: linkOptions({ to: "/p/$project/settings", ...of, search: parseTimeRange }) as LinkProps,
		},
	];
}
