import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { forgetProject } from "../lib/forget-project.ts";
import { LOOK_MS } from "../lib/look-again.ts";
import { usePageTitle } from "../lib/page-title.ts";
import { isProjectId } from "../lib/project-slug.ts";
import { projectPages, projectQuery } from "../lib/projects.ts";
import { useProjectHidden } from "../lib/use-project-gone.ts";
import { texts } from "../texts/en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { WaitingForSpan } from "../ui/waiting-for-span.tsx";

interface MissingProjectProps {
	readonly project: string;
	readonly onFound: () => void;
}

/**
 * In place of a project that is not there, or not for this person; both look the same to whom something may be hidden.
 * One that was here before is not named any more. What was read of it is forgotten. Opens the project when it is there.
 */
export function MissingProject({ project, onFound }: MissingProjectProps): ReactNode {
	// Queries the list, as that is not an error while the project is missing.
	const { data } = useInfiniteQuery({ ...projectPages(project), refetchInterval: LOOK_MS });
	// The list is searched by name.
	useQuery({ ...projectQuery(project), enabled: isProjectId(project), refetchInterval: LOOK_MS });
	const isThere = data?.pages.some((page) => page.data.some((each) => each.name === project)) ?? false;
	const queries = useQueryClient();
	const found = useEffectEvent(() => {
		// Other lists do not have it yet.
		void queries.invalidateQueries({ queryKey: ["projects"] });
		onFound();
	});
	useEffect(() => {
		if (isThere) found();
	}, [isThere]);
	useEffect(() => forgetProject(queries, project), [queries, project]);
	const isHidden = useProjectHidden(project);
	return (
		<div className="min-h-0 flex-1 overflow-auto">{isHidden ? <NotHere /> : <WaitingFor project={project} />}</div>
	);
}

function NotHere(): ReactNode {
	usePageTitle(texts.error.notHere);
	return (
		<>
			<h1 className="sr-only">{texts.error.notHere}</h1>
			<EmptyState title={texts.error.notHere} text={texts.error.notHereText} actions={<BackToProjects />} />
		</>
	);
}

/** Waits for the first span that names the project, which creates it. */
function WaitingFor({ project }: { project: string }): ReactNode {
	return (
		<>
			<h1 className="sr-only">{project}</h1>
			<EmptyState
				title={texts.error.projectMissing(project)}
				text={texts.error.projectMissingText}
				actions={<BackToProjects />}
				className="pb-0"
			/>
			<WaitingForSpan title={texts.waiting.title} project={project} />
		</>
	);
}

function BackToProjects(): ReactNode {
	return (
		<Link to="/" className={buttonClass()}>
			{texts.error.back}
		</Link>
	);
}
