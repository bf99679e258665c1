import type { ArithmeticOperator } from "./condition.ts";
import { FilterError } from "./filter-error.ts";
import type { ComparisonPart, PathPart, Place, ReductionName, Syntax, WrittenOperator } from "./syntax.ts";
import { type Token, tokenize } from "./tokens.ts";

export const MAX_LENGTH = 10_000;
/** Nesting of brackets, `not`s and signs, and of chained operators. */
const MAX_DEPTH = 64;
/** Number of fields, literals and the like, without the items of lists. */
const MAX_TERMS = 300;

const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const KEYWORDS: ReadonlySet<string> = new Set([..."and or not in is if for else lambda None True False".split(" ")]);
const CASTS: Readonly<Record<string, "number" | "text">> = { float: "number", int: "number", str: "text" };
const REDUCTIONS: ReadonlySet<string> = new Set(["any", "all", "sum", "max", "min", "len"]);
const CONSTANTS: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null };
const FOREIGN_CONSTANTS: ReadonlyMap<string, string> = new Map([
	["true", "True"],
	["false", "False"],
	["null", "None"],
	["none", "None"],
	["undefined", "None"],
]);

/** @throws FilterError */
export function parseSyntax(input: string): Syntax {
	if (input.length > MAX_LENGTH)
		throw problem(`a filter has at most ${MAX_LENGTH} characters`, { position: MAX_LENGTH, length: 1 });
	return new Parser(tokenize(input)).parse();
}

class Parser {
	readonly #tokens: readonly Token[];
	#next = 0;
	#depth = 0;
	#terms = 0;

	constructor(tokens: readonly Token[]) {
		this.#tokens = tokens;
	}

	parse(): Syntax {
		const syntax = this.#or();
		if (this.#token.type !== "end") throw this.#unexpected(this.#token);
		return syntax;
	}

	get #token(): Token {
		// The last token is the end token, beyond which the parser never advances.
		return this.#tokens[this.#next] as Token;
	}

	#or(): Syntax {
		return this.#operands("or", () => this.#operands("and", () => this.#not()));
	}

	#operands(type: "and" | "or", operand: () => Syntax): Syntax {
		const operands = [operand()];
		while (this.#takeWord(type)) operands.push(operand());
		const [first] = operands;
		if (operands.length === 1 && first !== undefined) return first;
		return { type, operands, ...this.#since(first) };
	}

	#not(): Syntax {
		const start = this.#token;
		if (!this.#takeWord("not")) return this.#comparison();
		return this.#nested(() => {
			const operand = this.#not();
			return { type: "not", operand, ...this.#since(start) };
		});
	}

	#comparison(): Syntax {
		const first = this.#sum();
		const rest: ComparisonPart[] = [];
		for (;;) {
			const start = this.#token;
			const operator = this.#takeComparison();
			if (operator === undefined) break;
			const operatorPlace = this.#since(start);
			rest.push({ operator, operatorPlace, operand: this.#sum() });
		}
		return rest.length === 0 ? first : { type: "comparison", first, rest, ...this.#since(first) };
	}

	#takeComparison(): WrittenOperator | undefined {
		const { type } = this.#token;
		if (type === "symbol" && COMPARISONS.has(this.#token.text)) return this.#take().text as WrittenOperator;
		if (this.#takeWord("in")) return "in";
		if (this.#takeWord("is")) return this.#takeWord("not") ? "is not" : "is";
		if (this.#isWord("not") && this.#isWord("in", 1)) {
			this.#next += 2;
			return "not in";
		}
		return undefined;
	}

	#sum(): Syntax {
		return this.#arithmetic(["+", "-"], () => this.#arithmetic(["*", "/", "%"], () => this.#sign()));
	}

	#arithmetic(operators: readonly string[], operand: () => Syntax): Syntax {
		let left = operand();
		for (let count = 1; this.#token.type === "symbol" && operators.includes(this.#token.text); count += 1) {
			if (count > MAX_DEPTH) throw problem("this sum is too long", this.#token);
			const operator = this.#take().text as ArithmeticOperator;
			const right = operand();
			left = { type: "arithmetic", operator, left, right, ...this.#since(left) };
		}
		return left;
	}

	#sign(): Syntax {
		const start = this.#token;
		if (this.#takeSymbol("+")) return this.#nested(() => this.#sign());
		if (!this.#takeSymbol("-")) return this.#term();
		const operand = this.#nested(() => this.#sign());
		const place = this.#since(start);
		return operand.type === "literal" && typeof operand.value === "number"
			? { type: "literal", value: -operand.value, ...place }
			: { type: "negative", operand, ...place };
	}

	#term(): Syntax {
		this.#terms += 1;
		const start = this.#token;
		if (this.#terms > MAX_TERMS) throw problem(`a filter has at most ${MAX_TERMS} terms`, start);
		if (start.type === "text" || start.type === "number") {
			this.#next += 1;
			return { type: "literal", value: start.value, position: start.position, length: start.length };
		}
		if (this.#takeSymbol("(")) return this.#nested(() => this.#bracketed(start));
		if (this.#takeSymbol("[")) {
			const items = this.#items("]");
			return { type: "list", items, ...this.#since(start) };
		}
		if (start.type === "name") return this.#named(start);
		throw this.#unexpected(start);
	}

	/** After `(`: an expression, or a list if there is a comma or no item. */
	#bracketed(start: Place): Syntax {
		if (this.#takeSymbol(")")) return { type: "list", items: [], ...this.#since(start) };
		const first = this.#or();
		if (this.#takeSymbol(",")) {
			const items = [first, ...this.#items(")")];
			return { type: "list", items, ...this.#since(start) };
		}
		this.#expect(")");
		return { ...first, ...this.#since(start) };
	}

	/** Literals up to and including the closing bracket. */
	#items(close: string): Syntax[] {
		const items: Syntax[] = [];
		while (!this.#takeSymbol(close)) {
			const before = this.#terms;
			items.push(this.#sign());
			this.#terms = before;
			if (!this.#takeSymbol(",")) {
				if (this.#isWord("for"))
					throw problem("write this inside any(…), all(…), sum(…), max(…), min(…) or len(…)", this.#token);
				this.#expect(close);
				break;
			}
		}
		return items;
	}

	#named(start: Token & { type: "name" }): Syntax {
		const { text } = start;
		if (KEYWORDS.has(text)) {
			const value = CONSTANTS[text];
			if (value === undefined) throw this.#unexpected(start);
			this.#next += 1;
			return { type: "literal", value, position: start.position, length: start.length };
		}
		const following = this.#tokens[this.#next + 1];
		const isCall = following?.type === "symbol" && following.text === "(";
		if (isCall) return this.#nested(() => this.#call(start));
		const isAlone = following?.type !== "symbol" || (following.text !== "." && following.text !== "[");
		const constant = isAlone ? FOREIGN_CONSTANTS.get(text) : undefined;
		if (constant !== undefined) throw problem(`write ${constant} instead of ${text}`, start, [constant]);
		return this.#path();
	}

	#call(start: Token & { type: "name" }): Syntax {
		const { text } = start;
		const to = Object.hasOwn(CASTS, text) ? CASTS[text] : undefined;
		this.#next += 2;
		if (to !== undefined) {
			const operand = this.#sum();
			this.#expect(")");
			return { type: "cast", to, operand, ...this.#since(start) };
		}
		if (!REDUCTIONS.has(text))
			throw problem(`there is no function "${text}"`, start, [...Object.keys(CASTS), ...REDUCTIONS]);
		return this.#reduction(text as ReductionName, start);
	}

	#reduction(name: ReductionName, start: Place): Syntax {
		const hasBracket = this.#takeSymbol("[");
		const example = name === "any" || name === "all" ? "x.latency_ms > 1000" : name === "len" ? "x" : "x.latency_ms";
		const pattern = name === "len" ? `len([${example} for x in spans])` : `${name}(${example} for x in spans)`;
		if (name === "len" && !hasBracket) throw problem(`write ${pattern}`, this.#token);
		const value = this.#or();
		if (!this.#takeWord("for")) throw problem(`"for" is missing, as in ${pattern}`, this.#token);
		const variable = this.#token;
		if (variable.type !== "name" || KEYWORDS.has(variable.text))
			throw problem(`a name is missing, as in ${pattern}`, variable);
		this.#next += 1;
		if (!this.#takeWord("in")) throw problem(`"in" is missing, as in ${pattern}`, this.#token);
		const collection = this.#term();
		const condition = this.#takeWord("if") ? this.#or() : undefined;
		if (this.#isWord("for") || this.#isWord("if")) throw problem("one `for` and one `if` are enough here", this.#token);
		if (hasBracket) this.#expect("]");
		this.#expect(")");
		return {
			type: "reduction",
			name,
			value,
			variable: { name: variable.text, position: variable.position, length: variable.length },
			collection,
			...(condition === undefined ? {} : { condition }),
			...this.#since(start),
		};
	}

	#path(): Syntax {
		const start = this.#token;
		const parts = [this.#pathName()];
		for (;;) {
			if (this.#takeSymbol(".")) parts.push(this.#pathName());
			else if (this.#takeSymbol("[")) parts.push(...this.#keys());
			else break;
		}
		return { type: "path", parts, ...this.#since(start) };
	}

	#pathName(): PathPart {
		const token = this.#token;
		if (token.type !== "name") throw problem("a name is missing after the dot", token);
		this.#next += 1;
		return { isKey: false, text: token.text, position: token.position, length: token.length };
	}

	/** `"key"]`, `0]` or `["key", "key"]]`. */
	#keys(): PathPart[] {
		const isList = this.#takeSymbol("[");
		const keys: PathPart[] = [];
		do {
			const token = this.#token;
			const isIndex = token.type === "number" && Number.isSafeInteger(token.value) && token.value >= 0;
			if (token.type !== "text" && !isIndex) throw problem('a key is missing, as in attributes["key"]', token);
			this.#next += 1;
			keys.push({ isKey: true, text: String(token.value), position: token.position, length: token.length });
		} while (isList && this.#takeSymbol(","));
		if (isList) this.#expect("]");
		this.#expect("]");
		return keys;
	}

	#nested<T>(read: () => T): T {
		this.#depth += 1;
		if (this.#depth > MAX_DEPTH) throw problem("this is nested too deeply", this.#token);
		const result = read();
		this.#depth -= 1;
		return result;
	}

	#isWord(word: string, ahead = 0): boolean {
		const token = this.#tokens[this.#next + ahead];
		return token?.type === "name" && token.text === word;
	}

	#takeWord(word: string): boolean {
		if (!this.#isWord(word)) return false;
		this.#next += 1;
		return true;
	}

	#takeSymbol(text: string): boolean {
		const token = this.#token;
		if (token.type !== "symbol" || token.text !== text) return false;
		this.#next += 1;
		return true;
	}

	#take(): { text: string } {
		const token = this.#token;
		this.#next += 1;
		return { text: "text" in token ? token.text : "" };
	}

	#expect(symbol: string): void {
		if (this.#takeSymbol(symbol)) return;
		if (this.#token.type === "end") throw problem(`a closing "${symbol}" is missing`, this.#token, [symbol]);
		throw this.#unexpected(this.#token, ` where "${symbol}" belongs`);
	}

	#unexpected(token: Token, where = ""): FilterError {
		if (token.type === "end") return problem("the filter ends too early", token);
		if (token.type === "text") return problem(`a text is not expected here${where}`, token);
		if (token.type === "number") return problem(`a number is not expected here${where}`, token);
		const lower = token.text.toLowerCase();
		if (token.type === "name" && lower !== token.text && KEYWORDS.has(lower))
			return problem(`write ${lower} instead of ${token.text}`, token, [lower]);
		return problem(`"${token.text}" is not expected here${where}`, token);
	}

	/** From the start of a token or an expression to the end of the last token taken. */
	#since(start: Place | undefined): Place {
		const last = this.#tokens[this.#next - 1];
		const position = start?.position ?? 0;
		return { position, length: last === undefined ? 0 : last.position + last.length - position };
	}
}

function problem(message: string, { position, length }: Place, suggestions: readonly string[] = []): FilterError {
	return new FilterError({ message, position, length, suggestions });
}
