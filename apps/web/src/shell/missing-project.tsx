import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { projectPages } from "../lib/projects.ts";
import { texts } from "../texts/en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { WaitingForSpan } from "../ui/waiting-for-span.tsx";

/** How often the page checks whether the project exists now. */
const LOOK_MS = 3_000;

/** Waits for the first span that names the project, which creates it. */
export function MissingProject({ project, onFound }: { project: string; onFound: () => void }): ReactNode {
	// Queries the list, as that is not an error while the project is missing.
	const { data } = useInfiniteQuery({ ...projectPages(project), refetchInterval: LOOK_MS });
	const isThere = data?.pages.some((page) => page.data.some((each) => each.name === project)) ?? false;
	const found = useEffectEvent(onFound);
	useEffect(() => {
		if (isThere) found();
	}, [isThere]);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<h1 className="sr-only">{project}</h1>
			<EmptyState
				title={texts.error.projectMissing(project)}
				text={texts.error.projectMissingText}
				actions={
					<Link to="/" className={buttonClass()}>
						{texts.error.back}
					</Link>
				}
				className="pb-0"
			/>
			<WaitingForSpan title={texts.waiting.title} project={project} />
		</div>
	);
}
