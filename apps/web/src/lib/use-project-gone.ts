import { useParams } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { goneProjects } from "./gone-projects.ts";
import { useCan } from "./me.ts";

/** Whether the project, by name or id, does not exist, or not for this person. */
export function useProjectGone(project: string | undefined): boolean {
	return useSyncExternalStore(goneProjects.subscribe, () => project !== undefined && goneProjects.has(project));
}

/**
 * Whether the project was here and may be hidden now, so that its name is not to be shown. One that never was is only a
 * name that was typed. Admins see all projects, as everybody does while authentication is off.
 */
export function useProjectHidden(project: string | undefined): boolean {
	const can = useCan();
	const isGone = useProjectGone(project);
	return isGone && project !== undefined && goneProjects.wasSeen(project) && !can("admin");
}

/** The name or id of the page's project in the address; undefined where it has none, or a hidden one. */
export function useShownProject(): string | undefined {
	const { project } = useParams({ strict: false });
	return useProjectHidden(project) ? undefined : project;
}
