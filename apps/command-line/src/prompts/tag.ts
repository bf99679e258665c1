import type { Invocation } from "../invocation.ts";
import { findVersion } from "./version.ts";

/** `spanward prompts tag`: moves a tag to a version. */
export async function tagPrompt(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect();
	const [name, tag] = [invocation.argument(0), invocation.argument(1)];
	const version = await findVersion(spanward, name, invocation.value("version") ?? "latest");
	await spanward.prompts.tag(version.id, { name: tag });
	if (terminal.isJson) await terminal.printJson({ id: version.id, tag });
	else terminal.note(`${terminal.oneLine(tag)} is on version ${version.id} now.`);
	return undefined;
}
