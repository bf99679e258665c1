import type { Invocation } from "../invocation.ts";

/** `spanward project create` */
export async function createProject(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const description = invocation.value("description");
	const spanward = await invocation.connect();
	const project = await spanward.projects.create({
		name: invocation.argument(0),
		...(description !== undefined && { description }),
	});
	if (terminal.isJson) await terminal.printJson(project);
	else terminal.note(`Made project ${terminal.oneLine(project.name)}.`);
	return undefined;
}

/** `spanward project delete` */
export async function deleteProject(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect();
	const { id, name } = await spanward.projects.get(invocation.argument(0));
	const shown = terminal.oneLine(name);
	await invocation.confirm(
		`Project ${shown} at ${spanward.baseUrl} would be deleted, with all its traces and annotations.`,
	);
	await spanward.projects.delete(id);
	terminal.note(`Deleted project ${shown}.`);
	return undefined;
}
