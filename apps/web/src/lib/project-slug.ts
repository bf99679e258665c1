/**
 * The path segment of a project in addresses: its name, which people can read, or its id where the name cannot be a path
 * segment (a slash, a dot segment) or would be taken for something else.
 */
export function projectSlug(project: { id: string; name: string }): string {
	return /^\.{1,2}$|[/\\?#%]/.test(project.name) ? project.id : project.name;
}

/** Whether the segment is an id, and no name that somebody would give. */
export function isProjectId(slug: string): boolean {
	try {
		return /^Project:\d+$/.test(atob(slug));
	} catch {
		return false;
	}
}
