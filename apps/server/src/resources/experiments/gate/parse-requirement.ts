import { suggest } from "@spanward/filter-language";

/** Values of a metric, as in `mean('correctness')`. */
const OF_METRIC = ["mean", "lower", "min", "count", "delta", "delta_lower", "regressed", "improved"] as const;
/** Values of the experiment as a whole. */
const OF_EXPERIMENT = ["errors", "missing", "latency_mean_ms", "latency_p95_ms", "cost_usd"] as const;
export const OPERATORS = [">=", ">", "<=", "<", "=="] as const;

export type Quantity =
	| { readonly value: (typeof OF_METRIC)[number]; readonly metric: string }
	| { readonly value: "share"; readonly metric: string; readonly label: string }
	| { readonly value: (typeof OF_EXPERIMENT)[number] };

export interface Requirement {
	/** As it was sent, without white space around it. */
	readonly text: string;
	readonly quantity: Quantity;
	readonly operator: (typeof OPERATORS)[number];
	readonly bound: number;
}

/** Text that is no requirement: where it goes wrong, and what may have been meant. */
export class RequirementError extends Error {
	override readonly name = "RequirementError";
	/** Index of the first character, in UTF-16 code units. */
	readonly position: number;
	readonly length: number;
	readonly suggestions: readonly string[];

	constructor(message: string, { position, length }: Place, suggestions: readonly string[] = []) {
		super(message);
		this.position = position;
		this.length = length;
		this.suggestions = suggestions;
	}
}

interface Place {
	readonly position: number;
	readonly length: number;
}

interface Token extends Place {
	readonly type: "name" | "text" | "number" | "symbol" | "end";
	/** Of a text, what is between the quotes. */
	readonly text: string;
}

/** Names that others give to these values. */
const MEANT: ReadonlyMap<string, string> = new Map([
	...["avg", "average", "score"].map((word) => [word, "mean"] as const),
	...["minimum", "lowest"].map((word) => [word, "min"] as const),
	...["fraction", "ratio", "rate"].map((word) => [word, "share"] as const),
	...["failed", "failures", "error_rate"].map((word) => [word, "errors"] as const),
	...["latency", "duration", "average_latency_ms"].map((word) => [word, "latency_mean_ms"] as const),
	...["p95", "latency_p95"].map((word) => [word, "latency_p95_ms"] as const),
	...["cost", "total_cost", "price"].map((word) => [word, "cost_usd"] as const),
	...["difference", "change"].map((word) => [word, "delta"] as const),
	...["regressions", "worse"].map((word) => [word, "regressed"] as const),
	...["improvements", "better"].map((word) => [word, "improved"] as const),
]);

/** Operators of other languages. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
	["=", "=="],
	["===", "=="],
	["=>", ">="],
	["=<", "<="],
	["≥", ">="],
	["≤", "<="],
]);

/**
 * Reads `<value> <operator> <number>`, such as `mean('correctness') >= 0.8`.
 * @throws RequirementError
 */
export function parseRequirement(input: string): Requirement {
	const tokens = tokenize(input);
	let index = 0;
	const next = (): Token => {
		const token = tokens[index] ?? { type: "end", text: "", position: input.length, length: 0 };
		index += 1;
		return token;
	};
	const isNext = (symbol: string) => tokens[index]?.type === "symbol" && tokens[index]?.text === symbol;

	const name = next();
	const quantity = readQuantity(name, readArguments(name));
	const operator = readOperator(next());
	const bound = readNumber(next());
	const rest = next();
	if (rest.type !== "end")
		throw new RequirementError("the requirement is over here: send each as a `require` of its own", rest);
	return { text: input.trim(), quantity, operator, bound };

	function readArguments(name: Token): Token[] | undefined {
		if (name.type !== "name" || !isNext("(")) return undefined;
		next();
		const found: Token[] = [];
		while (!isNext(")")) {
			if (found.length > 0) {
				const comma = next();
				if (comma.text !== "," || comma.type !== "symbol") throw new RequirementError('")" is missing', comma, [")"]);
			}
			const argument = next();
			if (argument.type === "name")
				throw new RequirementError("names and labels are in quotes", argument, [quoted(argument.text)]);
			if (argument.type !== "text") throw new RequirementError("a name in quotes is expected", argument);
			found.push(argument);
		}
		next();
		return found;
	}
}

function readQuantity(name: Token, given: readonly Token[] | undefined): Quantity {
	if (name.type !== "name") {
		const message = name.type === "number" ? "the value comes first, then the number" : "a value is expected";
		throw new RequirementError(message, name, name.type === "end" ? ["mean('…') >= 0.8"] : []);
	}
	const ofExperiment = OF_EXPERIMENT.find((value) => value === name.text);
	if (ofExperiment !== undefined) {
		if (given === undefined) return { value: ofExperiment };
		throw new RequirementError(`${ofExperiment} is of the whole experiment`, name, [ofExperiment]);
	}
	const value = [...OF_METRIC, "share" as const].find((known) => known === name.text);
	if (value === undefined) throw unknownValue(name);
	const [metric, label, more] = given ?? [];
	const form = value === "share" ? "share('…', '…')" : `${value}('…')`;
	if (metric === undefined) throw new RequirementError(`${value} is of a metric`, name, [form]);
	if (value === "share") {
		if (label === undefined) throw new RequirementError("share is of a metric and one of its labels", name, [form]);
		if (more !== undefined) throw new RequirementError("share takes a metric and one label", more);
		return { value, metric: metric.text, label: label.text };
	}
	if (label !== undefined) throw new RequirementError(`${value} takes one metric`, label, [form]);
	return { value, metric: metric.text };
}

function unknownValue(name: Token): RequirementError {
	const known = [...OF_METRIC, "share", ...OF_EXPERIMENT];
	const meant = MEANT.get(name.text.toLowerCase());
	const near = meant === undefined ? suggest(name.text, known) : [meant];
	const list = near.length > 0 ? "" : `; there are ${known.join(", ")}`;
	return new RequirementError(`there is no value ${name.text.slice(0, 100)}${list}`, name, near);
}

function readOperator(token: Token): Requirement["operator"] {
	const operator = OPERATORS.find((known) => token.type === "symbol" && known === token.text);
	if (operator !== undefined) return operator;
	const meant = FOREIGN.get(token.text);
	throw new RequirementError(`one of ${OPERATORS.join(" ")} is expected`, token, meant === undefined ? [] : [meant]);
}

function readNumber(token: Token): number {
	if (token.type !== "number") throw new RequirementError("a number is expected", token);
	const isShare = token.text.endsWith("%");
	const number = Number(isShare ? token.text.slice(0, -1) : token.text);
	if (!Number.isFinite(number)) throw new RequirementError("this number cannot be read", token);
	if (isShare) {
		const share = String(Number((number / 100).toPrecision(12)));
		throw new RequirementError("shares and scores are not in percent", token, [share]);
	}
	return number;
}

function quoted(text: string): string {
	return `'${text}'`;
}

const PATTERNS: readonly (readonly [Token["type"], RegExp])[] = [
	["number", /[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\w*%?/y],
	["name", /[\p{L}_][\p{L}\p{N}_.]*/uy],
	["symbol", /[=<>!≥≤]+/y],
];

function tokenize(input: string): Token[] {
	const tokens: Token[] = [];
	let position = 0;
	for (;;) {
		while (/\s/.test(input.charAt(position))) position += 1;
		if (position >= input.length) return tokens;
		const token = isQuote(input.charAt(position)) ? readText(input, position) : readWord(input, position);
		tokens.push(token);
		position += token.length;
	}
}

function readWord(input: string, position: number): Token {
	for (const [type, pattern] of PATTERNS) {
		pattern.lastIndex = position;
		const text = pattern.exec(input)?.[0];
		if (text !== undefined) return { type, text, position, length: text.length };
	}
	const text = String.fromCodePoint(input.codePointAt(position) ?? 0);
	return { type: "symbol", text, position, length: text.length };
}

function isQuote(character: string): boolean {
	return character === "'" || character === '"';
}

/** A text in quotes; a backslash takes the quote or backslash after it as it is. */
function readText(input: string, position: number): Token {
	const quote = input.charAt(position);
	let text = "";
	for (let end = position + 1; end < input.length; end += 1) {
		const character = input.charAt(end);
		if (character === quote) return { type: "text", text, position, length: end + 1 - position };
		if (character === "\0") throw new RequirementError("names have no NUL characters", { position: end, length: 1 });
		const after = input.charAt(end + 1);
		if (character === "\\" && (isQuote(after) || after === "\\")) {
			text += after;
			end += 1;
		} else text += character;
	}
	throw new RequirementError(`this text has no closing ${quote}`, { position, length: input.length - position });
}
