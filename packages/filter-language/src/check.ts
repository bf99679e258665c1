import type {
	Attribute,
	CompareOperator,
	Condition,
	Field,
	FilterTarget,
	Literal,
	Rows,
	Value,
	ValueType,
} from "./condition.ts";
import { parseDatetime } from "./datetimes.ts";
import type { FilterProblem } from "./filter-error.ts";
import { type FieldSchema, ROW_SCHEMAS } from "./schemas.ts";
import { problem, Scope } from "./scope.ts";
import type { ComparisonPart, Place, Reduction, Syntax } from "./syntax.ts";

/** Nesting of `any`, `all`, …. */
const MAX_NESTED = 3;
/** Annotations in one comparison, all combinations of which are tried. */
const MAX_COMPARED_ANNOTATIONS = 3;
/** Total number of `any`, `all`, … and annotations. */
const MAX_SUBQUERIES = 30;

interface Operand {
	readonly syntax: Syntax;
	readonly value: Value;
	/** `untyped` for attributes. */
	readonly type: ValueType | "untyped";
	/** Present when the value is just a field. */
	readonly schema?: FieldSchema | undefined;
}

type CheckedOperand = Operand | "none" | { readonly parentOf: number } | { readonly exists: Condition };

/** Resolves names and types. @throws FilterError */
export function check(target: FilterTarget, syntax: Syntax, hints: FilterProblem[]): Condition {
	return new Checker(target).condition(syntax, new Scope(target, hints));
}

class Checker {
	readonly #rowKinds: (keyof typeof ROW_SCHEMAS)[];
	#subqueries = 0;

	constructor(target: FilterTarget) {
		this.#rowKinds = [target];
	}

	condition(syntax: Syntax, scope: Scope): Condition {
		switch (syntax.type) {
			case "and":
			case "or":
				return { type: syntax.type, conditions: syntax.operands.map((operand) => this.condition(operand, scope)) };
			case "not":
				return { type: "not", condition: this.condition(syntax.operand, scope) };
			case "comparison":
				return this.#comparison(syntax.first, syntax.rest, scope);
			case "reduction":
				if (syntax.name === "any" || syntax.name === "all") return this.#quantifier(syntax.name, syntax, scope);
				break;
			case "path": {
				const operand = this.#operand(syntax, scope);
				if (operand === "none") break;
				if ("exists" in operand) return operand.exists;
				if ("parentOf" in operand) throw problem("write parent_span is None, or parent_span is not None", syntax);
				if (operand.type === "boolean") return isTrue(operand.value);
				break;
			}
			case "literal":
				if (typeof syntax.value === "boolean") return isTrue(literal(syntax.value, "boolean"));
				break;
		}
		throw problem(
			"this is no condition: compare it with something, as in latency_ms > 1000, or ask whether it is not None",
			syntax,
		);
	}

	#comparison(first: Syntax, rest: readonly ComparisonPart[], scope: Scope): Condition {
		const conditions: Condition[] = [];
		let left = first;
		for (const part of rest) {
			conditions.push(this.#pair(left, part, scope));
			left = part.operand;
		}
		const [only] = conditions;
		return only !== undefined && conditions.length === 1 ? only : { type: "and", conditions };
	}

	#pair(
		leftSyntax: Syntax,
		{ operator, operatorPlace, operand: rightSyntax }: ComparisonPart,
		scope: Scope,
	): Condition {
		if (operator === "in" || operator === "not in") {
			const condition = this.#membership(leftSyntax, rightSyntax, scope);
			return operator === "in" ? condition : { type: "not", condition };
		}
		const left = this.#operand(leftSyntax, scope);
		const right = this.#operand(rightSyntax, scope);
		const isEquality = operator === "==" || operator === "is";
		if (isEquality || operator === "!=" || operator === "is not") {
			const none = left === "none" ? right : right === "none" ? left : undefined;
			if (none !== undefined) {
				const condition = this.#isNone(none);
				return isEquality ? condition : { type: "not", condition };
			}
		}
		const [a, b] = [this.#plain(left, leftSyntax), this.#plain(right, rightSyntax)];
		limitAnnotations(a, b);
		if (operator === "is" || operator === "is not") {
			const wanted = b.value.type === "literal" ? b.value.value : undefined;
			if (typeof wanted !== "boolean")
				throw problem(`write ${operator === "is" ? "==" : "!="} instead of ${operator}`, operatorPlace, [
					operator === "is" ? "==" : "!=",
				]);
			const [value, other] = agree(a, b, operatorPlace);
			if (operator === "is") return { type: "compare", operator: "==", left: value, right: other };
			const differs: Condition = { type: "compare", operator: "!=", left: value, right: other };
			return { type: "or", conditions: [{ type: "is_none", value }, differs] };
		}
		return compare(operator, a, b, operatorPlace);
	}

	#isNone(operand: CheckedOperand): Condition {
		if (operand === "none") return isTrue(literal(true, "boolean"));
		if (isValue(operand)) {
			limitAnnotations(operand);
			return { type: "is_none", value: operand.value };
		}
		if ("parentOf" in operand) return { type: "is_root", row: operand.parentOf };
		return { type: "not", condition: operand.exists };
	}

	#membership(leftSyntax: Syntax, rightSyntax: Syntax, scope: Scope): Condition {
		const left = this.#plain(this.#operand(leftSyntax, scope), leftSyntax);
		limitAnnotations(left);
		if (rightSyntax.type === "list") return isOneOf(left, rightSyntax.items, scope);
		const right = this.#plain(this.#operand(rightSyntax, scope, true), rightSyntax);
		if (right.value.type === "field" && right.schema?.content === "tags") return hasTag(left, right.value);
		limitAnnotations(left, right);
		if (left.type !== "text" && left.type !== "untyped") {
			const written = left.value.type === "literal" ? [`'${left.value.value}'`] : [];
			throw problem("only a text can be part of a text", leftSyntax, written);
		}
		if (right.value.type === "literal" && left.value.type !== "literal")
			throw problem("write [ ] around the values on the right of in, or the text on its left", rightSyntax, [
				`[${JSON.stringify(right.value.value)}]`,
			]);
		if (right.type !== "text" && right.type !== "untyped")
			throw problem("on the right of in belongs a text, an attribute or a list such as ['a', 'b']", rightSyntax);
		const within = right.value.type === "attribute" ? { ...right.value, as: "searched" as const } : right.value;
		return { type: "contains", text: coerce(left, "text").value, within };
	}

	#operand(syntax: Syntax, scope: Scope, isSearched = false): CheckedOperand {
		switch (syntax.type) {
			case "literal":
				if (syntax.value === null) return "none";
				return { syntax, ...literalOperand(syntax.value) };
			case "path": {
				const named = scope.resolve(syntax);
				if (named.type === "parent") return { parentOf: named.row };
				if (named.type === "annotation") {
					this.#countSubquery(syntax);
					return { exists: { type: "has_annotation", annotation: named.annotation } };
				}
				const { value } = named;
				if (value.type === "annotation") this.#countSubquery(syntax);
				const schema = value.type === "field" ? this.#schemaOf(value) : undefined;
				if (!isSearched && value.type === "field" && schema?.onlySearched)
					throw problem(`${value.name} stands only on the right of in: 'text' in ${value.name}`, syntax);
				return { syntax, value, type: value.type === "attribute" ? "untyped" : value.valueType, schema };
			}
			case "arithmetic": {
				const left = this.#number(syntax.left, scope);
				const right = this.#number(syntax.right, scope);
				return { syntax, type: "number", value: { type: "arithmetic", operator: syntax.operator, left, right } };
			}
			case "negative": {
				const value = this.#number(syntax.operand, scope);
				return { syntax, type: "number", value: { type: "negative", value } };
			}
			case "cast": {
				const { value, type } = this.#plain(this.#operand(syntax.operand, scope), syntax.operand);
				if (type === "datetime" && syntax.to === "number")
					throw problem("a time is no number; compare it with a time", syntax.operand);
				return { syntax, type: syntax.to, value: { type: "cast", to: syntax.to, value } };
			}
			case "reduction":
				return this.#aggregate(syntax, scope);
			case "list":
				throw problem("a list belongs on the right of in", syntax);
			default:
				throw problem("a condition cannot be compared; put and, or or not around it", syntax);
		}
	}

	#schemaOf({ row, name, ofParent }: Field) {
		const kind = ofParent ? "span" : this.#rowKinds[row];
		return kind === undefined ? undefined : ROW_SCHEMAS[kind].fields[name];
	}

	/** Rejects None, and annotations or parents as a whole. */
	#plain(operand: CheckedOperand, syntax: Syntax): Operand {
		if (operand === "none") throw problem("write is None or is not None to compare with None", syntax);
		if (isValue(operand)) return operand;
		if ("parentOf" in operand)
			throw problem(
				"a parent can only be compared with is None or is not None; compare one of its fields instead",
				syntax,
			);
		throw problem("ask for the label or the score of the annotation", syntax, ["label", "score"]);
	}

	#number(syntax: Syntax, scope: Scope): Value {
		const operand = this.#plain(this.#operand(syntax, scope), syntax);
		if (operand.type === "untyped") return coerce(operand, "number").value;
		if (operand.type === "number") return operand.value;
		const hint = operand.type === "text" ? "; float(…) makes one of a text" : "";
		throw problem(`a number is needed here, this is a ${operand.type}${hint}`, syntax);
	}

	#quantifier(type: "any" | "all", syntax: Reduction & Place, scope: Scope): Condition {
		const { rows, inner } = this.#rows(syntax, scope);
		return { type, rows, condition: this.condition(syntax.value, inner) };
	}

	#aggregate(syntax: Reduction & Place, scope: Scope): Operand & { syntax: Syntax } {
		const whole: Syntax = syntax;
		if (syntax.name === "any" || syntax.name === "all")
			throw problem(`${syntax.name}(…) is a condition and cannot be compared`, syntax);
		const { rows, inner } = this.#rows(syntax, scope);
		if (syntax.name === "len") {
			const { value } = syntax;
			const isVariable =
				value.type === "path" && value.parts.length === 1 && value.parts[0]?.text === syntax.variable.name;
			if (!isVariable) throw problem(`write ${syntax.variable.name} here: the rows are counted`, value);
			return { syntax: whole, type: "number", value: { type: "count", rows } };
		}
		const operand = this.#plain(this.#operand(syntax.value, inner), syntax.value);
		const value = operand.type === "datetime" ? operand.value : this.#number(syntax.value, inner);
		if (annotationCount(value) > 0) throw problem("annotations are compared, not added up", syntax.value);
		if (syntax.name === "sum") {
			if (operand.type === "datetime") throw problem("times cannot be added up", syntax.value);
			return { syntax: whole, type: "number", value: { type: "sum", rows, value } };
		}
		const valueType = operand.type === "datetime" ? "datetime" : "number";
		return { syntax: whole, type: valueType, value: { type: syntax.name, rows, value, valueType } };
	}

	#rows(syntax: Reduction & Place, scope: Scope): { rows: Rows; inner: Scope } {
		if (scope.depth >= MAX_NESTED) throw problem(`at most ${MAX_NESTED} of these can be nested`, syntax);
		this.#countSubquery(syntax);
		const { collection, kind, of } = scope.collection(syntax.collection);
		const { name } = syntax.variable;
		if (scope.isVariable(name)) throw problem(`${name} is taken by the expression around it`, syntax.variable);
		const row = this.#rowKinds.push(kind) - 1;
		const inner = scope.with(name, kind, row);
		const condition = syntax.condition === undefined ? undefined : this.condition(syntax.condition, inner);
		return { rows: { row, kind, collection, of, ...(condition === undefined ? {} : { condition }) }, inner };
	}

	#countSubquery(place: Place): void {
		this.#subqueries += 1;
		if (this.#subqueries > MAX_SUBQUERIES)
			throw problem(`a filter looks into at most ${MAX_SUBQUERIES} collections and annotations`, place);
	}
}

function hasTag({ value, syntax }: Operand, { row }: Field): Condition {
	if (value.type !== "literal" || typeof value.value !== "string")
		throw problem("write a whole tag on the left of in tags", syntax, ["'tag'"]);
	return { type: "has_tag", row, tag: value.value };
}

function compare(operator: CompareOperator, a: Operand, b: Operand, place: Place): Condition {
	const isOrder = operator !== "==" && operator !== "!=";
	const [left, right] = agree(cased(a, b, isOrder), cased(b, a, isOrder), place);
	if (isOrder && (a.type === "boolean" || b.type === "boolean"))
		throw problem(`True and False have no order; write == or !=`, place, ["==", "!="]);
	return { type: "compare", operator, left, right };
}

function isOneOf(left: Operand, items: readonly Syntax[], scope: Scope): Condition {
	const literals = items.map((item): Operand => {
		if (item.type !== "literal" || item.value === null) {
			const isName = item.type === "path" && item.parts.length === 1 && !scope.isVariable(item.parts[0]?.text ?? "");
			const suggestions = isName ? [`'${item.parts[0]?.text}'`] : [];
			throw problem("a list holds texts, numbers, True and False", item, suggestions);
		}
		return { syntax: item, ...literalOperand(item.value) };
	});
	const [first] = literals;
	const other = literals.find((item) => item.type !== first?.type);
	if (other !== undefined) throw problem("the values of a list are of one type", other.syntax);
	if (first === undefined) return { type: "in", value: coerce(left, "text").value, list: [] };
	let value = left.value;
	const list = literals.map((item) => {
		const [agreed, literalValue] = agree(left, cased(item, left, false), item.syntax);
		value = agreed;
		if (literalValue.type !== "literal") throw problem("a list holds texts, numbers, True and False", item.syntax);
		return literalValue;
	});
	return { type: "in", value, list };
}

/** Converts both to one type. @throws FilterError */
function agree(a: Operand, b: Operand, place: Place): [Value, Value] {
	if (a.type === b.type) return [a.value, b.value];
	if (a.type === "untyped" || b.type === "untyped") {
		const [untyped, typed] = a.type === "untyped" ? [a, b] : [b, a];
		if (typed.type === "untyped" || typed.type === "datetime")
			throw problem("an attribute is no time; compare it with a text", untyped.syntax);
		return [coerce(a, typed.type).value, coerce(b, typed.type).value];
	}
	if (a.type === "datetime" || b.type === "datetime") return [toDatetime(a), toDatetime(b)];
	throw mismatch(a, b, place);
}

function toDatetime(operand: Operand): Value {
	if (operand.type === "datetime") return operand.value;
	const { value, syntax } = operand;
	const example = "'2026-01-31T12:00:00Z'";
	if (value.type !== "literal" || typeof value.value !== "string")
		throw problem(`a time is compared with a time, such as ${example}`, syntax, [example]);
	const micros = parseDatetime(value.value);
	if (micros !== undefined) return literal(micros, "datetime");
	const withZone = parseDatetime(`${value.value}Z`);
	if (withZone !== undefined)
		throw problem("this time has no offset; end it with Z for UTC, or with one such as +02:00", syntax, [
			`'${value.value}Z'`,
		]);
	const day = parseDatetime(`${value.value}T00:00:00Z`);
	throw problem(`this is no time such as ${example}`, syntax, [
		day === undefined ? example : `'${value.value}T00:00:00Z'`,
	]);
}

function mismatch(a: Operand, b: Operand, place: Place) {
	const names = { text: "string", number: "number", boolean: "boolean", datetime: "time", untyped: "attribute" };
	const literalSide = b.value.type === "literal" ? b : a.value.type === "literal" ? a : undefined;
	const otherSide = literalSide === b ? a : b;
	const message = `cannot compare ${names[otherSide.type]} and ${names[literalSide === undefined ? a.type : literalSide.type]}`;
	if (literalSide === undefined || literalSide.value.type !== "literal") return problem(message, place);
	const { value } = literalSide.value;
	const instead = insteadOf(value, otherSide.type);
	if (instead === undefined) return problem(message, literalSide.syntax);
	const written = typeof value === "string" ? `'${value}'` : typeof value === "boolean" ? shownBoolean(value) : value;
	return problem(`${message}, write ${instead} instead of ${written}`, literalSide.syntax, [instead]);
}

function insteadOf(value: string | number | boolean, wanted: Operand["type"]): string | undefined {
	if (wanted === "number" && typeof value === "string")
		return value.trim() !== "" && Number.isFinite(Number(value)) ? String(Number(value)) : undefined;
	if (wanted === "text") return `'${typeof value === "boolean" ? shownBoolean(value) : value}'`;
	if (wanted === "boolean") {
		const text = String(value).toLowerCase();
		if (text === "true" || text === "1") return "True";
		if (text === "false" || text === "0") return "False";
	}
	return undefined;
}

function shownBoolean(value: boolean): string {
	return value ? "True" : "False";
}

/** Gives an attribute the type of the value that it is compared with. */
function coerce(operand: Operand, as: Attribute["as"]): Operand {
	return operand.value.type === "attribute" ? { ...operand, value: { ...operand.value, as } } : operand;
}

/**
 * Kinds and codes are compared in upper case, OpenTelemetry's ids in lower case, global ids as row numbers. For equality, only a text of full
 * length is such an id: any other text is an id that somebody sent in this form.
 */
function cased(operand: Operand, { schema }: Operand, isOrder: boolean): Operand {
	const { value } = operand;
	if (schema === undefined || value.type !== "literal" || typeof value.value !== "string") return operand;
	const as = (text: string) => ({ ...operand, value: { ...value, value: text } });
	if (schema.casing === "upper") return as(value.value.toUpperCase());
	if (schema.idOf !== undefined) return as(rowNumberOf(value.value, schema.idOf) ?? value.value);
	const isId =
		schema.hexDigits !== undefined &&
		/^[0-9a-f]+$/i.test(value.value) &&
		(isOrder || value.value.length === schema.hexDigits);
	return isId || schema.casing === "lower" ? as(value.value.toLowerCase()) : operand;
}

/** The row number in a global id of one of these types: base64 of its type and number. */
function rowNumberOf(id: string, types: readonly string[]): string | undefined {
	if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(id)) return undefined;
	const [type, number, ...more] = atob(id).split(":");
	const isKnown = type !== undefined && types.includes(type) && more.length === 0;
	return isKnown && number !== undefined && /^[0-9]+$/.test(number) ? number : undefined;
}

function limitAnnotations(...operands: readonly [Operand, Operand?]): void {
	const count = operands.reduce(
		(sum, operand) => sum + (operand === undefined ? 0 : annotationCount(operand.value)),
		0,
	);
	if (count <= MAX_COMPARED_ANNOTATIONS) return;
	throw problem(`at most ${MAX_COMPARED_ANNOTATIONS} annotations can be compared at once`, operands[0].syntax);
}

function annotationCount(value: Value): number {
	switch (value.type) {
		case "annotation":
			return 1;
		case "arithmetic":
			return annotationCount(value.left) + annotationCount(value.right);
		case "negative":
		case "cast":
			return annotationCount(value.value);
		default:
			return 0;
	}
}

function literalOperand(value: string | number | boolean): { value: Literal; type: ValueType } {
	const type = typeof value === "string" ? "text" : typeof value === "number" ? "number" : "boolean";
	return { value: literal(value, type), type };
}

function literal(value: string | number | boolean, valueType: ValueType): Literal {
	return { type: "literal", value, valueType };
}

function isTrue(value: Value): Condition {
	return { type: "compare", operator: "==", left: value, right: literal(true, "boolean") };
}

function isValue(operand: CheckedOperand): operand is Operand {
	return operand !== "none" && "value" in operand;
}
