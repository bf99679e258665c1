import type { SQLInputValue } from "node:sqlite";

/** A piece of SQL with the values of its placeholders. */
export interface Sql {
	readonly text: string;
	readonly values: readonly SQLInputValue[];
}

/** A template tag: parts that are SQL are inserted, other values are bound. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | SQLInputValue)[]): Sql {
	let text = texts[0] ?? "";
	const values: SQLInputValue[] = [];
	for (const [index, part] of parts.entries()) {
		if (isSql(part)) {
			text += part.text;
			values.push(...part.values);
		} else {
			text += "?";
			values.push(part);
		}
		text += texts[index + 1] ?? "";
	}
	return { text, values };
}

/** SQL text as it is. Only for names and numbers of the program itself. */
export function raw(text: string): Sql {
	return { text, values: [] };
}

export function join(parts: readonly Sql[], separator: string): Sql {
	return { text: parts.map((part) => part.text).join(separator), values: parts.flatMap((part) => part.values) };
}

function isSql(part: Sql | SQLInputValue): part is Sql {
	return typeof part === "object" && part !== null && "text" in part;
}
