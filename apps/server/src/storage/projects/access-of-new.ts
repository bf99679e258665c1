import type { Access } from "../schema.ts";
import { fitsPattern } from "./project-pattern.ts";

/** What decides the access of projects that are made. */
export interface AccessOfNew {
	/** For names that fit no rule that says something. */
	readonly byDefault: Access;
	readonly rules: readonly { readonly pattern: string; readonly access_of_new: Access | null }[];
}

/** In SQL of both databases. */
export const FIND_DEFAULT_ACCESS = "select default_project_access from access_policy";
export const FIND_RULES = "select pattern, access_of_new from access_rules";

/** What a project of this name begins with: of the rules that it fits, one that says restricted wins. */
export function accessOfNew(name: string, { byDefault, rules }: AccessOfNew): Access {
	const said = new Set(rules.filter(({ pattern }) => fitsPattern(name, pattern)).map((rule) => rule.access_of_new));
	if (said.has("restricted")) return "restricted";
	return said.has("open") ? "open" : byDefault;
}
