import { useQuery } from "@tanstack/react-query";
import { useCan } from "../../lib/me.ts";
import { mayEdit } from "../../lib/project-role.ts";
import { projectQuery } from "../../lib/projects.ts";

/** Whether the user may make and change dashboards there. @param project undefined: across projects */
export function useMayEdit(project: string | undefined): boolean {
	const can = useCan();
	const { data } = useQuery({ ...projectQuery(project ?? ""), enabled: project !== undefined });
	if (!can("write")) return false;
	return project === undefined || (data !== undefined && mayEdit(data.own_role));
}
