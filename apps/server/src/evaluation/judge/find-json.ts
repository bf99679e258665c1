/** How often a text is read in the search for objects: each brace that is never closed leads to its end. */
const MOST_READ = 6;

/**
 * The object that a text of a model is about: the text itself, what is between fences, or the last one among prose.
 * Undefined where there is none. Reasoning in `<think>` is not looked at.
 * @param isWanted prefers objects that have what is looked for
 */
export function findJson(
	text: string,
	isWanted: (object: Readonly<Record<string, unknown>>) => boolean,
): Readonly<Record<string, unknown>> | undefined {
	const answer = withoutReasoning(text);
	const whole = parseObject(answer);
	if (whole !== undefined) return whole;
	const found = objectsIn(answer);
	return found.findLast(isWanted) ?? found.at(-1);
}

/** What comes after the last end of reasoning. */
export function withoutReasoning(text: string): string {
	const end = "</think>";
	const at = text.lastIndexOf(end);
	return (at < 0 ? text : text.slice(at + end.length)).trim();
}

function objectsIn(text: string): readonly Readonly<Record<string, unknown>>[] {
	const found: Readonly<Record<string, unknown>>[] = [];
	let at = text.indexOf("{");
	let left = MOST_READ * text.length;
	while (at >= 0 && left > 0) {
		const end = endOfObject(text, at);
		left -= (end ?? text.length) - at;
		const object = end === undefined ? undefined : parseObject(text.slice(at, end));
		if (object !== undefined) found.push(object);
		at = text.indexOf("{", object === undefined ? at + 1 : end);
	}
	return found;
}

/** After the brace that closes the one at `start`; braces in strings do not count. */
function endOfObject(text: string, start: number): number | undefined {
	let depth = 0;
	let isInString = false;
	for (let at = start; at < text.length; at += 1) {
		const character = text[at];
		if (isInString) {
			if (character === "\\") at += 1;
			else if (character === '"') isInString = false;
		} else if (character === '"') isInString = true;
		else if (character === "{") depth += 1;
		else if (character === "}") {
			depth -= 1;
			if (depth === 0) return at + 1;
		}
	}
	return undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value)
			? (value as Readonly<Record<string, unknown>>)
			: undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
