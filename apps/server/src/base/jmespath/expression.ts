import { createRequire } from "node:module";
import { BudgetError, EvaluationBudget } from "./evaluation-budget.ts";
import { CLAIMS, type ExpressionUse } from "./expression-use.ts";

/** A compiled JMESPath expression. */
export interface Expression {
	/** As it was written. */
	readonly text: string;
	/**
	 * What it yields on claims; undefined for nothing, and when the evaluation fails (an unknown function, a wrong
	 * type, too many steps). In claims that nest deeper than 32 levels the deeper part counts as null.
	 * @param noteProblem gets a sentence about a failed evaluation, which quotes nothing from the claims
	 */
	readonly search: (claims: Readonly<Record<string, unknown>>, noteProblem?: (sentence: string) => void) => unknown;
	/** As `search`, on values that several expressions look at. */
	readonly searchIn: (values: PreparedValues, noteProblem?: (sentence: string) => void) => unknown;
}

/** A copy of values in which expressions may search. */
export interface PreparedValues {
	readonly copied: Json;
}

/** Its message continues a sentence that begins with the name of the variable. */
export class ExpressionError extends Error {
	override readonly name = "ExpressionError";
}

type JMESPath = typeof import("@jmespath-community/jmespath");
type Node = ReturnType<JMESPath["compile"]>;
type Token = ReturnType<JMESPath["tokenize"]>[number];

const MAX_LENGTH = 4_096;
/** Bounded because the library recurses over an expression. */
const MAX_EXPRESSION_DEPTH = 256;

/** Properties that every JavaScript object has, which the library would take for fields of claims. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
const NOTHING: Node = { type: "Literal", value: null };

/** @throws ExpressionError saying what is wrong and where */
export function compileExpression(text: string, use: ExpressionUse = CLAIMS): Expression {
	if (text.length > MAX_LENGTH) throw new ExpressionError(`must have at most ${MAX_LENGTH} characters`);
	const { jmespath, budget } = load();
	refuseUnclosed(text, jmespath);
	const parsed = parse(text, jmespath, use);
	const node = guard(parsed);
	const searchIn: Expression["searchIn"] = ({ copied }, noteProblem = () => {}) => {
		try {
			return budget.run(() => jmespath.TreeInterpreter.search(node, copied)) ?? undefined;
		} catch (error) {
			noteProblem(explainFailure(error, use));
			return undefined;
		}
	};
	const search: Expression["search"] = (claims, noteProblem = () => {}) => {
		const prepared = prepareValues(claims, use);
		if (prepared !== undefined) return searchIn(prepared, noteProblem);
		noteProblem(
			`the ${use.values} are too large: more than ${use.maxValues} values or ${use.maxCharacters} characters`,
		);
		return undefined;
	};
	return { text, search, searchIn };
}

interface Loaded {
	readonly jmespath: JMESPath;
	readonly budget: EvaluationBudget;
}

let loaded: Loaded | undefined;

/** Loaded when the first expression is compiled: without a provider it would only take memory. */
function load(): Loaded {
	if (loaded !== undefined) return loaded;
	const jmespath = createRequire(import.meta.url)("@jmespath-community/jmespath") as JMESPath;
	// The library's own functions take time that is quadratic in the length of a text.
	for (const [name, ends] of Object.entries({ trim: "both", trim_left: "start", trim_right: "end" } as const)) {
		jmespath.registerFunction(
			name,
			([subject, characters]) => trim(String(subject), ends, typeof characters === "string" ? characters : ""),
			[{ types: [jmespath.TYPE_STRING] }, { types: [jmespath.TYPE_STRING], optional: true }],
			{ override: true },
		);
	}
	loaded = { jmespath, budget: new EvaluationBudget(jmespath) };
	return loaded;
}

function trim(text: string, ends: "both" | "start" | "end", characters: string): string {
	const isTrimmed = (at: number) => {
		const character = text.charAt(at);
		return characters === "" ? /[\s\x85]/.test(character) : characters.includes(character);
	};
	let start = 0;
	let end = text.length;
	if (ends !== "end") while (start < end && isTrimmed(start)) start += 1;
	if (ends !== "start") while (end > start && isTrimmed(end - 1)) end -= 1;
	return text.slice(start, end);
}

/** The library accepts an unclosed quote, as if it ended with the expression. */
function refuseUnclosed(text: string, jmespath: JMESPath): void {
	const tokens = tokenize(text, jmespath);
	if (tokens === undefined) return;
	for (const { token, source } of withSource(text, tokens)) {
		const quote = source[0] ?? "";
		if (!["'", "`"].includes(quote)) continue;
		const body = source.slice(1).replaceAll(/\\[\s\S]/g, "");
		if (!body.endsWith(quote)) {
			throw new ExpressionError(
				`is not a JMESPath expression: the ${quote} at character ${token.start + 1} is not closed`,
			);
		}
	}
}

function tokenize(text: string, jmespath: JMESPath): readonly Token[] | undefined {
	try {
		return jmespath.tokenize(text);
	} catch {
		return undefined;
	}
}

function withSource(
	text: string,
	tokens: readonly Token[],
): readonly { readonly token: Token; readonly source: string }[] {
	return tokens.map((token, index) => ({
		token,
		source: text.slice(token.start, tokens[index + 1]?.start ?? text.length).trimEnd(),
	}));
}

function parse(text: string, jmespath: JMESPath, use: ExpressionUse): Node {
	const isRight = (part: string, legacy = false) => {
		try {
			return jmespath.compile(part, { enable_legacy_literals: legacy });
		} catch (error) {
			return error instanceof RangeError ? "deep" : undefined;
		}
	};
	const node = isRight(text);
	if (node === "deep") throw tooDeep();
	if (node !== undefined) {
		refuseArithmetic(text, jmespath, use);
		return node;
	}
	if (text.includes("`") && isRight(text, true) !== undefined) {
		throw new ExpressionError(
			`is not a JMESPath expression: put a text in single quotes, such as ${use.textExample}; backticks are for JSON`,
		);
	}
	throw new ExpressionError(`is not a JMESPath expression: ${whereItEnds(text, jmespath)}; ${use.keyHint}`);
}

function tooDeep(): ExpressionError {
	return new ExpressionError(`must not nest deeper than ${MAX_EXPRESSION_DEPTH} levels`);
}

/** The library reports no position: the first token after which no continuation is valid is the wrong one. */
function whereItEnds(text: string, jmespath: JMESPath): string {
	const tokens = tokenize(text, jmespath);
	if (tokens === undefined) {
		let length = text.length;
		while (length > 0 && tokenize(text.slice(0, length), jmespath) === undefined) length -= 1;
		return `there is a syntax error at character ${length + 1}`;
	}
	for (const [index, { token, source }] of withSource(text, tokens).entries()) {
		try {
			jmespath.compile(text.slice(0, tokens[index + 1]?.start ?? text.length));
		} catch (error) {
			const isUnfinished = error instanceof TypeError || (error instanceof Error && /\bEOF\b/.test(error.message));
			if (!isUnfinished) return `${source.slice(0, 20)} at character ${token.start + 1} is not expected there`;
		}
	}
	return "it is not complete";
}

/** The library reads `my-client` as a subtraction, which nobody means who writes it without spaces. */
function refuseArithmetic(text: string, jmespath: JMESPath, use: ExpressionUse): void {
	const [difference] = /(?<![\w"'`])[A-Za-z_]\w*(?:[-+/%]+[A-Za-z_]\w*)+/.exec(withoutQuoted(text, jmespath)) ?? [];
	if (difference !== undefined) {
		throw new ExpressionError(`calculates with ${difference}, which ${use.values} hardly mean: ${use.keyHint}`);
	}
}

/** The text with everything in quotes replaced by spaces. */
function withoutQuoted(text: string, jmespath: JMESPath): string {
	return withSource(text, jmespath.tokenize(text))
		.map(({ token, source }, index, all) => {
			const end = all[index + 1]?.token.start ?? text.length;
			return (/^["'`]/.test(source) ? "" : source).padEnd(end - token.start);
		})
		.join("");
}

/**
 * The expression without the fields that only JavaScript objects have.
 * @throws ExpressionError for what the library accepts although nobody can mean it
 */
function guard(node: Node, depth = 1): Node {
	if (depth > MAX_EXPRESSION_DEPTH) throw tooDeep();
	const within = (child: Node) => guard(child, depth + 1);
	switch (node.type) {
		case "Field":
			return INHERITED.has(node.name) ? NOTHING : node;
		case "Function":
			return { ...node, children: node.children.map(within) };
		case "MultiSelectList":
			return { ...node, children: node.children.map(within) };
		case "MultiSelectHash":
			return {
				...node,
				children: node.children
					.filter(({ name }) => !INHERITED.has(name))
					.map((pair) => ({ ...pair, value: within(pair.value) })),
			};
		case "LetExpression":
			return {
				...node,
				bindings: node.bindings.map((binding) => {
					if (binding.type !== "Binding") throw new ExpressionError("has a let that sets no variable: let $x = … in …");
					return { ...binding, reference: within(binding.reference) };
				}),
				expression: within(node.expression),
			};
		case "Binding":
			throw new ExpressionError("has a single =, which compares nothing: write ==");
		case "Ternary":
			return {
				...node,
				condition: within(node.condition),
				trueExpr: within(node.trueExpr),
				falseExpr: within(node.falseExpr),
			};
		case "Unary":
			return { ...node, operand: within(node.operand) };
		case "Flatten":
		case "NotExpression":
		case "ExpressionReference":
			return { ...node, child: within(node.child) };
		case "FilterProjection":
			return { ...node, left: within(node.left), right: within(node.right), condition: within(node.condition) };
		case "AndExpression":
		case "Arithmetic":
		case "Comparator":
		case "IndexExpression":
		case "OrExpression":
		case "Pipe":
		case "Projection":
		case "Subexpression":
		case "ValueProjection":
			return { ...node, left: within(node.left), right: within(node.right) };
		default:
			return node;
	}
}

type Json = Parameters<JMESPath["TreeInterpreter"]["search"]>[1];

/** A deep copy whose objects inherit nothing; undefined for values that are too large. */
export function prepareValues(
	values: Readonly<Record<string, unknown>>,
	{ maxDepth, maxValues, maxCharacters }: ExpressionUse,
): PreparedValues | undefined {
	let count = 0;
	let characters = 0;
	const copy = (value: unknown, depth: number): Json => {
		count += 1;
		if (typeof value === "string") characters += value.length;
		if (count > maxValues || characters > maxCharacters) return null;
		if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
		if (typeof value !== "object" || value === null || depth > maxDepth) return null;
		if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
		// A number that is written with more digits than numbers of JavaScript have.
		if (JSON.isRawJSON(value)) return value as unknown as Json;
		const copied: Record<string, Json> = Object.create(null);
		for (const [key, item] of Object.entries(value)) {
			characters += key.length;
			// On its own objects the library would assign to the prototype.
			if (key !== "__proto__") copied[key] = copy(item, depth + 1);
		}
		return copied;
	};
	const copied = copy(values, 0);
	return count > maxValues || characters > maxCharacters ? undefined : { copied };
}

/** Passes on only the function's name from the library's message, as the operator wrote it. */
function explainFailure(error: unknown, use: ExpressionUse): string {
	if (error instanceof BudgetError) return `it takes too many steps on ${use.values} of this size`;
	const message = error instanceof Error ? error.message : "";
	const [, unknown] = /^Unknown function: (\w+)\(\)$/.exec(message) ?? [];
	if (unknown !== undefined) return `it calls ${unknown}(), which is not a JMESPath function`;
	const [, name] = /^Invalid (?:type|arity): (\w+)\(\)/.exec(message) ?? [];
	if (name !== undefined) return `${name}() was given a value of the wrong type, ${use.whenMissing}`;
	return `a value was not of the type that the expression needs, ${use.whenMissing}`;
}

/** Functions that the expression calls and that do not exist: whatever needs one yields nothing. */
export function unknownFunctions(expression: Expression): readonly string[] {
	const { jmespath } = load();
	const known = new Set(jmespath.getRegisteredFunctions());
	const code = withoutQuoted(expression.text, jmespath);
	const called = Array.from(code.matchAll(/([A-Za-z_]\w*)\s*\(/g), ([, name = ""]) => name);
	// The `in (` of "let … in (…)" is not a call.
	return [...new Set(called)].filter((name) => !known.has(name) && name !== "in");
}
