import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../../lib/page-title.ts";
import { projectQuery } from "../../../lib/projects.ts";
import { accessTexts } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { HomeAccessEditor } from "../access/home-access-editor.tsx";

const route = getRouteApi("/p/$project/settings/access");

/** Who sees a project, and may do what there. */
export function ProjectAccessPage(): ReactNode {
	const { project } = route.useParams();
	const { data } = useQuery(projectQuery(project));
	usePageTitle(accessTexts.title, data?.name ?? project);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className="mx-auto flex max-w-2xl flex-col gap-4 p-4">
				<div>
					<h1 className="font-semibold text-xl">{accessTexts.title}</h1>
					<Link to="/p/$project/settings" params={{ project }} className="text-accent hover:underline">
						{texts.projectSettings.title}
					</Link>
				</div>
				{data ? <HomeAccessEditor home={{ project: data.id }} name={data.name} /> : <SkeletonRows rows={5} />}
			</div>
		</div>
	);
}
