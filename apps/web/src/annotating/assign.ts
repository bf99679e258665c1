import { api } from "../lib/api.ts";

/** Assigns a config to a project, where it is listed first, or removes the assignment. */
export async function assignConfig(project: string, config: string, isAssigned: boolean): Promise<void> {
	const path = { project_identifier: project, config_identifier: config };
	const address = "/v1/projects/{project_identifier}/annotation_configs/{config_identifier}";
	if (isAssigned) await api.put(address, { path });
	else await api.delete(address, { path });
}
