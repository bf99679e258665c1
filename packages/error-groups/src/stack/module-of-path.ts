/** Extensions of source files. */
const EXTENSION = /\.(?:pyc?|[cm]?[jt]sx?|vue|svelte)$/;
/** What bundlers add to the name of a file, such as `main.3f2a1b9c` and `index-B7kqW12a`. */
const HASH = /[.-](?=[A-Za-z_]{0,32}\d)[A-Za-z0-9_]{8,32}$/;
/** A directory that is made anew by each deployment: `20261127`, `v1.2.3`, `3f2a1b9c`. */
const OF_A_DEPLOYMENT = /^(?:v?\d[\d._-]*|[0-9a-f]{7,40})$/i;

/**
 * A name for a file that is the same on every machine: the file with the directory above it, without extension. Whole
 * paths differ between machines, containers and deployments.
 */
export function moduleOfPath(path: string): string {
	const segments = path.split("/").filter((segment) => segment !== "" && segment !== "." && segment !== "..");
	const file = (segments.pop() ?? "").replace(EXTENSION, "");
	const directory = segments.findLast((segment) => !OF_A_DEPLOYMENT.test(segment));
	const name = file.replace(HASH, "");
	return directory === undefined || /^[A-Za-z]:$/.test(directory) ? name : `${directory}/${name}`;
}

/** The path below the last of the folders that libraries are installed into; undefined where there is none. */
export function pathInLibrary(path: string, folders: readonly string[]): string | undefined {
	for (const folder of folders) {
		const start = path.lastIndexOf(folder);
		if (start >= 0) return path.slice(start + folder.length).replace(EXTENSION, "");
	}
	return undefined;
}
