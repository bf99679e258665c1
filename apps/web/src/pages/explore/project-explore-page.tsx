import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { projectQuery } from "../../lib/projects.ts";
import { analyticsTexts } from "../../texts/analytics-en.ts";
import { Explore } from "./explore.tsx";

const route = getRouteApi("/p/$project/explore");
const TEXTS = analyticsTexts.explore;

/** Questions about one project. */
export function ProjectExplorePage(): ReactNode {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const { data } = useQuery(projectQuery(project));
	usePageTitle(TEXTS.title, data?.name ?? project);
	return (
		<Explore
			project={project}
			search={search}
			change={(next, replace = false) => void navigate({ search: next, replace })}
			heading={
				<>
					<h1 className="font-semibold text-xl">{TEXTS.title}</h1>
					<Link
						to="/explore"
						search={{ ...search, project: [data?.name ?? project] }}
						className="text-accent hover:underline"
					>
						{TEXTS.across}
					</Link>
				</>
			}
		/>
	);
}
