import type { QueryClient } from "@tanstack/react-query";

/**
 * Drops what was read of a project that is gone, and all else that is not shown now, as much of it names projects: lists,
 * what was found, where datasets live.
 */
export function forgetProject(queries: QueryClient, project: string): void {
	queries.removeQueries({ type: "inactive" });
	queries
		.getQueryCache()
		.find({ queryKey: ["project", project], exact: true })
		?.setState({ data: undefined });
	void queries.invalidateQueries({ queryKey: ["projects"] });
}
