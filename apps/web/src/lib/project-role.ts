import { useQuery } from "@tanstack/react-query";
import { useCan } from "./me.ts";
import { projectQuery } from "./projects.ts";

const ROLES = ["viewer", "annotator", "editor", "manager"] as const;
type ProjectRole = (typeof ROLES)[number];

/** Whether this role may change more than own annotations; unknown where servers do not tell, as for the former version. */
export function mayEdit(role: ProjectRole | null | undefined): boolean {
	return role === undefined || role === "editor" || role === "manager";
}

/** Whether this role may judge what is there, as {@link mayEdit}. */
export function mayAnnotate(role: ProjectRole | null | undefined): boolean {
	return mayEdit(role) || role === "annotator";
}

/**
 * Whether the user may do what changes something and needs this role in the project, to hide what would be refused; never
 * where there is no project.
 * `const mayIn = useMayIn(project); mayIn("annotator")`
 */
export function useMayIn(project: string | undefined): (needed: ProjectRole) => boolean {
	const can = useCan();
	const { data } = useProject(project);
	// While servers are replaced, one of the former version may answer, where members were editors everywhere.
	const own = data && (data.own_role ?? "editor");
	return (needed) => can("write") && own !== undefined && ROLES.indexOf(own) >= ROLES.indexOf(needed);
}

/**
 * Whether the user may add spans of the project to datasets. From a restricted project only editors may: others could
 * neither change its datasets nor let more people see its spans.
 */
export function useMayAddFrom(project: string | undefined): boolean {
	const mayIn = useMayIn(project);
	const { data } = useProject(project);
	return mayIn(data?.access === "restricted" ? "editor" : "viewer");
}

function useProject(project: string | undefined) {
	return useQuery({ ...projectQuery(project ?? ""), enabled: project !== undefined });
}
