import type { ModelPrice } from "@spanward/client";

export type Match = NonNullable<ModelPrice["match"]>;

/**
 * Whether a pattern matches a model's name, ignoring case; undefined for an invalid regular expression. The server
 * decides, with RE2, which differs only for rare regular expressions.
 */
export function matches(match: Match, pattern: string, model: string): boolean | undefined {
	const [name, part] = [model.toLowerCase(), pattern.toLowerCase()];
	switch (match) {
		case "exact":
			return name === part;
		case "prefix":
			return name.startsWith(part);
		case "suffix":
			return name.endsWith(part);
		case "contains":
			return name.includes(part);
		case "regex":
			return toRegExp(pattern)?.test(model);
	}
}

function toRegExp(pattern: string): RegExp | undefined {
	try {
		return new RegExp(pattern, "iu");
	} catch (error) {
		if (error instanceof SyntaxError) return;
		throw error;
	}
}
