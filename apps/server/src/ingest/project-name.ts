/** Longest name of a project, in UTF-16 units as JavaScript counts them. */
const PROJECT_NAME_MAX_LENGTH = 255;

export type NameSource = "x-project-name" | "openinference.project.name";

/** Refused instead of cut: spans must not end up in a project that their sender did not name. */
export class ProjectNameTooLong extends Error {
	override readonly name = "ProjectNameTooLong";

	constructor(source: NameSource, name: string) {
		const shown = `${name.slice(0, 40).toWellFormed()}…`;
		super(
			`${source} has ${name.length} characters ("${shown}"); the name of a project has at most ${PROJECT_NAME_MAX_LENGTH}.`,
		);
	}
}

/**
 * A project name that was sent, without surrounding white space; undefined when it is absent or blank.
 * @throws ProjectNameTooLong
 */
export function readProjectName(source: NameSource, sent: string | undefined): string | undefined {
	const name = sent?.trim();
	if (name === undefined || name === "") return undefined;
	if (name.length > PROJECT_NAME_MAX_LENGTH) throw new ProjectNameTooLong(source, name);
	return name;
}
