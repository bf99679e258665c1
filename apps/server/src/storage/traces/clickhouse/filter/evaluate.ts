import type {
	AnnotationField,
	AnnotationName,
	Condition,
	Field,
	Literal,
	Rows,
	Value,
	ValueType,
} from "@spanward/filter-language";
import { toSqlValue } from "#storage/traces/content/attribute-values.ts";
import { castToNumber, castToText, compare } from "#storage/traces/filter/attribute-condition.ts";
import { annotationsIn, promotedColumn } from "#storage/traces/filter/compile.ts";
import { contains, modulo, toText } from "#storage/traces/filter/values.ts";
import { type AnyRow, collectionOf, fieldOf, type Scalar } from "./fields.ts";
import type { AnnotationRow, World } from "./world.ts";

/** Whether a condition is true for a row; what is missing makes it neither true nor false. */
export function isTrueFor(condition: Condition, row: AnyRow, world: World): boolean {
	return new Evaluator(world, [row]).condition(condition) === true;
}

class Evaluator {
	readonly #world: World;
	readonly #rows: readonly AnyRow[];
	/** The annotation that each name stands for within a comparison. */
	readonly #picked: ReadonlyMap<string, AnnotationRow>;

	constructor(world: World, rows: readonly AnyRow[], picked: ReadonlyMap<string, AnnotationRow> = new Map()) {
		this.#world = world;
		this.#rows = rows;
		this.#picked = picked;
	}

	condition(condition: Condition): boolean | null {
		switch (condition.type) {
			case "and":
			case "or": {
				const decisive = condition.type === "or";
				let result: boolean | null = !decisive;
				for (const part of condition.conditions) {
					const found = this.condition(part);
					if (found === decisive) return decisive;
					if (found === null) result = null;
				}
				return result;
			}
			case "not": {
				const result = this.condition(condition.condition);
				return result === null ? null : !result;
			}
			case "compare":
				return this.#overAnnotations([condition.left, condition.right], (inner) =>
					compare(condition.operator, inner.#value(condition.left), inner.#value(condition.right)),
				);
			case "in":
				return this.#overAnnotations([condition.value], (inner) => inner.#isOneOf(condition.value, condition.list));
			case "contains":
				return this.#overAnnotations([condition.text, condition.within], (inner) => inner.#contains(condition));
			case "is_none":
				return this.#overAnnotations([condition.value], (inner) => inner.#value(condition.value) !== null) !== true;
			case "has_tag":
				return this.#world.attributesOf(this.#row(condition.row))?.hasTag(condition.tag) ?? null;
			case "is_root":
				return this.#world.parentOf(this.#span(condition.row)) === undefined;
			case "has_annotation":
				return this.#named(condition.annotation).length > 0;
			case "any":
				return this.#select(condition.rows).some((inner) => inner.condition(condition.condition) === true);
			case "all":
				return this.#select(condition.rows).every((inner) => inner.condition(condition.condition) === true);
		}
	}

	/** Booleans are bigints, as those of attributes. */
	#value(value: Value): Scalar {
		switch (value.type) {
			case "literal":
				return literalOf(value);
			case "field":
				return this.#field(value);
			case "attribute": {
				const row = this.#row(value.row);
				const column = row.kind === "span" ? promotedColumn(value) : undefined;
				if (row.kind === "span" && column !== undefined) return row.row[column as "tokens_total"];
				return toSqlValue(this.#world.attributesOf(row)?.find(value.path), value.as);
			}
			case "annotation":
				return this.#annotation(value);
			case "negative": {
				const number = this.#value(value.value);
				return typeof number === "number" ? -number : null;
			}
			case "arithmetic":
				return arithmetic(value.operator, this.#value(value.left), this.#value(value.right));
			case "cast":
				return this.#cast(value);
			case "count":
				return this.#select(value.rows).length;
			case "sum":
			case "max":
			case "min": {
				const found = this.#select(value.rows).map((inner) => inner.#value(value.value));
				const numbers = found.filter((number) => typeof number === "number");
				if (value.type === "sum") return numbers.reduce((sum, number) => sum + number, 0);
				return numbers.length === 0
					? null
					: numbers.reduce((a, b) => (value.type === "max" ? Math.max(a, b) : Math.min(a, b)));
			}
		}
	}

	#isOneOf(value: Value, list: readonly Literal[]): boolean | null {
		if (list.length === 0) return false;
		const found = this.#value(value);
		return found === null ? null : list.some((literal) => literalOf(literal) === found);
	}

	#contains({ text, within }: Condition & { type: "contains" }): boolean | null {
		const needle = this.#value(text);
		if (needle === null) return null;
		if (within.type === "field" && (within.name === "any_input" || within.name === "any_output")) {
			const row = this.#row(within.row);
			if (row.kind !== "session") throw new Error(`a ${row.kind} has no ${within.name}`);
			const side = within.name === "any_input" ? "input" : "output";
			return this.#world.tracesOf(row).some((trace) => {
				const shown = this.#world.textOf(trace, side);
				return shown !== null && contains(String(needle), shown);
			});
		}
		const found = this.#value(within);
		return found === null || typeof found === "object" ? null : contains(String(needle), String(found));
	}

	#cast({ to, value }: Value & { type: "cast" }): Scalar {
		const inner = this.#value(value);
		if (to === "number") return castToNumber(inner);
		return typeOf(value) === "datetime" ? toText(inner, "datetime") : castToText(inner);
	}

	#field(field: Field): Scalar {
		const row = this.#row(field.row);
		if (!field.ofParent) return fieldOf(row, field.name, this.#world);
		const parent = this.#world.parentOf(this.#span(field.row));
		return parent === undefined ? null : fieldOf(parent, field.name, this.#world);
	}

	#annotation({ annotation, name }: AnnotationField): Scalar {
		return this.#picked.get(keyOf(annotation))?.[name] ?? null;
	}

	/** True when the comparison is true for any choice of annotations; missing when it is for each. */
	#overAnnotations(values: readonly Value[], decide: (inner: Evaluator) => boolean | null): boolean | null {
		const next = values.flatMap(annotationsIn).find((annotation) => !this.#picked.has(keyOf(annotation)));
		if (next === undefined) return decide(this);
		let result: boolean | null = null;
		for (const annotation of this.#named(next)) {
			const picked = new Map([...this.#picked, [keyOf(next), annotation]]);
			const found = new Evaluator(this.#world, this.#rows, picked).#overAnnotations(values, decide);
			if (found === true) return true;
			if (found === false) result = false;
		}
		return result;
	}

	#named({ row, name }: AnnotationName): readonly AnnotationRow[] {
		return this.#world.annotationsOf(this.#row(row)).filter((annotation) => annotation.name === name);
	}

	/** Evaluators for the rows of a collection that fulfil its own condition. */
	#select({ row, of, collection, condition }: Rows): Evaluator[] {
		const inner = collectionOf(this.#row(of), collection, this.#world).map((item) => {
			const rows = [...this.#rows];
			rows[row] = item;
			return new Evaluator(this.#world, rows);
		});
		return condition === undefined ? inner : inner.filter((evaluator) => evaluator.condition(condition) === true);
	}

	#row(row: number): AnyRow {
		const found = this.#rows[row];
		if (found === undefined) throw new Error(`a filter asks for row ${row}, which is not there`);
		return found;
	}

	#span(row: number) {
		const found = this.#row(row);
		if (found.kind !== "span") throw new Error(`a filter asks for the parent of a ${found.kind}`);
		return found;
	}
}

function keyOf({ row, name }: AnnotationName): string {
	return `${row} ${name}`;
}

function literalOf({ value }: Literal): Scalar {
	return typeof value === "boolean" ? BigInt(value) : value;
}

function arithmetic(operator: string, a: Scalar, b: Scalar): number | null {
	if (typeof a !== "number" || typeof b !== "number") return null;
	if (operator === "%") return modulo(a, b);
	if (operator === "/" && b === 0) return null;
	const result = operator === "+" ? a + b : operator === "-" ? a - b : operator === "*" ? a * b : a / b;
	return Number.isNaN(result) ? null : result;
}

function typeOf(value: Value): ValueType | undefined {
	return value.type === "field" || value.type === "max" || value.type === "min" ? value.valueType : undefined;
}
