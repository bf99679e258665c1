import { PERMISSIONS, type Permission } from "../../../limits/permissions.ts";
import { permissionsWithin } from "./key-purposes.ts";
import type { KeyLimits } from "./key-sentence.ts";

/** What a key can do at some place, as far as whom it acts for may. */
export interface KeyRow {
	/** A project by its name, or what has none. */
	readonly home: { readonly project: string } | "all_projects" | "hidden_projects" | "library" | "elsewhere";
	readonly may: readonly Permission[];
}

/** What a key can do where: the places that it reaches, and all others. */
export function keyTable({
	permissions,
	projects,
	hidden_project_count: hidden,
	include_library,
}: Pick<KeyLimits, "permissions" | "projects" | "hidden_project_count" | "include_library">): KeyRow[] {
	const may = permissions === null ? PERMISSIONS : permissionsWithin(permissions);
	// Neither traces nor what is said about them live there.
	const inLibrary = may.filter((each) => each === "read" || each === "write");
	if (projects === null) {
		return [
			{ home: "all_projects", may },
			{ home: "library", may: inLibrary },
		];
	}
	return [
		...projects.map(({ name }) => ({ home: { project: name }, may })),
		...(hidden === 0 ? [] : [{ home: "hidden_projects", may } as const]),
		...(include_library ? [{ home: "library", may: inLibrary } as const] : []),
		{ home: "elsewhere", may: [] },
	];
}
