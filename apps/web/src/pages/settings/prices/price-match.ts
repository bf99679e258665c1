import type { ModelPrice } from "@spanward/client";

export type Match = NonNullable<ModelPrice["match"]>;

/**
 * Whether a model's name is meant by a pattern, in any case; undefined when the pattern is no regular expression here.
 * The server decides; it reads regular expressions as RE2 does, which is the same for all but rare ones.
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
