/**
 * The interpreter notes lines for calls and statements, and not for much else: an error in `return output.a.b` has the line
 * where its function begins. These marks are calls, so that their lines are noted. Marked code is run only to find out the
 * line of an error that has happened already; what is read wrongly here costs the line.
 */

/** The name of the function that does nothing but be called. */
export const MARK = "__spanward_line";

/** What is marked: everything that may be, or only what can hardly be read wrongly. */
export type Marks = "all" | "returns";

const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /[\d.][\w.]*/y;
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const STRING = /"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/y;
const OPERATOR = /=>|[=!<>+\-*/%&|^?.]*=|\?\.|\.\.\.|[\s\S]/uy;

/** After these words an expression begins. */
const BEFORE_EXPRESSION = new Set(
	"return typeof case in of delete void throw new else do instanceof yield await".split(" "),
);
const IN_PARENTHESES = new Set(["if", "while", "switch"]);
/** Do not begin a value that a mark may stand before. */
const NO_VALUE = new Set("function class async await yield new typeof void delete super import".split(" "));

export function markLines(source: string, marks: Marks): string {
	let marked = "";
	let at = 0;
	let last = "";
	let before = "";
	let isValueNext = false;
	/** What each open brace or template belongs to. */
	const open: string[] = [];
	const match = (pattern: RegExp): string | undefined => {
		pattern.lastIndex = at;
		return pattern.exec(source)?.[0];
	};
	const take = (text: string, isSpace = false) => {
		marked += text;
		at += text.length;
		if (isSpace) return;
		before = last;
		last = text;
	};
	while (at < source.length) {
		const space = match(SPACE);
		if (space !== undefined) {
			take(space, true);
			continue;
		}
		const character = source[at] ?? "";
		if (character === "`" || (character === "}" && open.at(-1) === "${")) {
			if (character === "}") open.pop();
			const text = templatePart(source, at);
			const isOpen = text.endsWith("${");
			if (isOpen) open.push("${");
			take(text);
			if (isOpen && marks === "all") marked += `${MARK}(), `;
			continue;
		}
		if (character === "{") open.push("{");
		if (character === "}") open.pop();
		const isRegex = character === "/" && mayBeginExpression(last);
		const token =
			match(WORD) ??
			match(STRING) ??
			(isRegex ? match(REGEX) : undefined) ??
			match(NUMBER) ??
			match(OPERATOR) ??
			character;
		if (isValueNext) marked += `${MARK}() || `;
		take(token);
		const rest = source.slice(at, at + 200);
		const isMember = before === "." || before === "?.";
		if (token === "return" && !isMember && isReturned(rest, before)) marked += ` ${MARK}(), `;
		const isAll = marks === "all" && !isMember;
		if (isAll && token === "(" && IN_PARENTHESES.has(before)) marked += `${MARK}(), `;
		isValueNext = isAll && (token === "=" || token === "=>" || token === "of") && beginsValue(rest);
	}
	return marked;
}

/** From a backtick or the end of an inserted expression to the next backtick or inserted expression. */
function templatePart(source: string, start: number): string {
	for (let at = start + 1; at < source.length; at += 1) {
		if (source[at] === "\\") at += 1;
		else if (source[at] === "`") return source.slice(start, at + 1);
		else if (source[at] === "$" && source[at + 1] === "{") return source.slice(start, at + 2);
	}
	return source.slice(start);
}

function mayBeginExpression(last: string): boolean {
	if (BEFORE_EXPRESSION.has(last)) return true;
	return !/^[\p{ID_Start}$_\d"'`/]|[)\]`]$/u.test(last);
}

/** Whether a value follows on the line, and it is no method with the name `return`. */
function isReturned(rest: string, before: string): boolean {
	if (rest.startsWith("(") && (before === "{" || before === ",")) return false;
	return /^[ \t]*[^\s;:}]/.test(rest);
}

/** A name that a value begins with, and that is no parameter of a function. */
function beginsValue(rest: string): boolean {
	const [, name] = /^\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)(?![\p{ID_Continue}$])(?!\s*=>)/u.exec(rest) ?? [];
	return name !== undefined && !NO_VALUE.has(name);
}
