import type {
	AnnotationField,
	AnnotationName,
	Attribute,
	Condition,
	Field,
	FilterTarget,
	RowKind,
	Rows,
	Value,
	ValueType,
} from "@spanward/filter-language";
import { SPAN_KINDS, type SpanKind } from "@spanward/semconv";
import { kindNumber } from "../totals/span-kinds.ts";
import { rowOfAttributes } from "./attribute-condition.ts";
import type { Dialect } from "./dialect.ts";
import {
	fieldSql,
	ofFirstTrace,
	ofLastTrace,
	STATUS_CODES,
	shownText,
	spanOfNumber,
	TOKEN_TYPES,
	traceText,
} from "./fields.ts";
import { join, raw, type Sql, sql } from "./sql.ts";

const TABLES: Readonly<Record<FilterTarget, string>> = { span: "spans", trace: "traces", session: "sessions" };

/** Compiles a condition to a boolean SQL expression on a row of `spans`, `traces` or `sessions`. */
export function compileCondition(target: FilterTarget, condition: Condition, dialect: Dialect): Sql {
	return new Compiler(target, dialect).condition(condition);
}

class Compiler {
	readonly #dialect: Dialect;
	readonly #kinds: RowKind[];
	readonly #target: FilterTarget;
	/** Annotations that the current comparison refers to, with the alias of the row that has their fields. */
	readonly #open = new Map<string, Sql>();
	#annotations = 0;

	constructor(target: FilterTarget, dialect: Dialect) {
		this.#target = target;
		this.#kinds = [target];
		this.#dialect = dialect;
	}

	condition(condition: Condition): Sql {
		return this.#decided(condition) ?? this.#compiled(condition);
	}

	/** A condition on the attributes of one span alone, where the database's SQL cannot read content. */
	#decided(condition: Condition): Sql | undefined {
		const { decided } = this.#dialect;
		if (decided === undefined) return undefined;
		const row = rowOfAttributes(condition, (value) => this.#columnOf(value) !== undefined);
		return row === undefined ? undefined : decided(this.#spanWithAttributes(row), condition);
	}

	#compiled(condition: Condition): Sql {
		switch (condition.type) {
			case "and":
			case "or": {
				const parts = condition.conditions.map((part) => this.condition(part));
				return sql`(${join(parts, ` ${condition.type} `)})`;
			}
			case "not":
				return sql`(not ${this.condition(condition.condition)})`;
			case "compare":
				return this.#withAnnotations([condition.left, condition.right], () => this.#compare(condition));
			case "in":
				return this.#withAnnotations([condition.value], () => this.#in(condition));
			case "contains":
				return this.#withAnnotations([condition.text, condition.within], () => this.#contains(condition));
			case "has_tag":
				return this.#dialect.hasTag(this.#spanWithAttributes(condition.row), condition.tag);
			case "is_none":
				return this.#isNone(condition.value);
			case "is_root":
				return this.#isRoot(condition.row);
			case "has_annotation":
				return sql`exists (select 1 from ${this.#annotationRows(condition.annotation, raw("named"))})`;
			case "any":
				return this.#rows(
					condition.rows,
					(from) => sql`exists (select 1 from ${from} and ${this.condition(condition.condition)})`,
				);
			case "all":
				return this.#rows(
					condition.rows,
					(from) => sql`(not exists (select 1 from ${from} and (${this.condition(condition.condition)}) is not true))`,
				);
		}
	}

	/** A comparison with annotations is true if it is for any annotation of each name. */
	#withAnnotations(values: readonly Value[], compile: () => Sql): Sql {
		const [next] = values.flatMap(annotationsIn).filter((annotation) => !this.#open.has(keyOf(annotation)));
		if (next === undefined) return compile();
		this.#annotations += 1;
		const row = raw(`annotation_${this.#annotations}`);
		this.#open.set(keyOf(next), row);
		const inner = this.#withAnnotations(values, compile);
		this.#open.delete(keyOf(next));
		return sql`(select ${this.#dialect.anyOf(inner)} from ${this.#annotationRows(next, row)} and ${this.#dialect.isInTime()})`;
	}

	#annotationRows({ row, target, name }: AnnotationName, alias: Sql): Sql {
		return sql`annotations as ${alias} where ${alias}.target = ${target} and ${alias}.target_row_id = ${this.#row(row)}.id
			and ${alias}.document_position = -1 and ${alias}.name = ${name}`;
	}

	#compare({ operator, left, right }: Condition & { type: "compare" }): Sql {
		const sqlOperator = raw(operator === "==" ? "=" : operator === "!=" ? "<>" : operator);
		if (isUntyped(left) || isUntyped(right))
			return this.#dialect.comparePair(this.#value(left), operator, this.#value(right));
		if (operator === "==" || operator === "!=") {
			const coded = this.#coded(left, [right]) ?? this.#coded(right, [left]);
			const [code] = coded?.codes ?? [];
			if (coded !== undefined) return sql`(${coded.column} ${sqlOperator} ${code ?? -1})`;
		}
		const own = this.#value(left);
		return sql`(${typeOf(left) === "text" ? this.#dialect.byBytes(own) : own} ${sqlOperator} ${this.#value(right)})`;
	}

	#in({ value, list }: Condition & { type: "in" }): Sql {
		const { isOneOf } = this.#dialect;
		const coded = this.#coded(value, list);
		if (coded !== undefined) return sql`(${isOneOf(coded.column, coded.codes)})`;
		const literals = list.map((literal) =>
			typeof literal.value === "boolean" ? Number(literal.value) : literal.value,
		);
		return sql`(${isOneOf(this.#value(value), literals)})`;
	}

	/** Kinds and status codes are stored as numbers. */
	#coded(value: Value, others: readonly Value[]): { column: Sql; codes: number[] } | undefined {
		if (value.type !== "field" || value.ofParent || this.#kinds[value.row] !== "span") return undefined;
		const codeOf = value.name === "span_kind" ? kindCode : value.name === "status_code" ? statusCode : undefined;
		if (codeOf === undefined) return undefined;
		const codes: number[] = [];
		for (const other of others) {
			if (other.type !== "literal") return undefined;
			codes.push(codeOf(String(other.value)));
		}
		return { column: sql`${this.#row(value.row)}.${raw(value.name === "span_kind" ? "kind" : "status_code")}`, codes };
	}

	#contains({ text, within }: Condition & { type: "contains" }): Sql {
		const side = within.type === "field" ? TEXT_SIDES[within.name] : undefined;
		if (within.type !== "field" || side === undefined || this.#kinds[within.row] === "span")
			return this.#dialect.contains(this.#value(text), this.#value(within));
		const row = this.#row(within.row);
		if (this.#kinds[within.row] === "trace") return this.#traceContains(row, side, text);
		const found = this.#traceContains(raw("member"), side, text);
		if (within.name === "first_input") return ofFirstTrace(row, found);
		if (within.name === "last_output") return ofLastTrace(row, found);
		return sql`exists (select 1 from traces as member where member.session_row_id = ${row}.id
			and ${this.#dialect.isInTime()} and ${found})`;
	}

	/** Where SQL cannot read the root span's content, the search is a condition on its attributes instead. */
	#traceContains(row: Sql, side: "input" | "output", text: Value): Sql {
		const { decided, contains } = this.#dialect;
		const needle = this.#value(text);
		if (decided === undefined || text.type !== "literal") return contains(needle, traceText(row, this.#dialect, side));
		const within: Value = { type: "attribute", row: 0, path: [side, "value"], as: "searched" };
		const inRoot = decided(spanOfNumber(sql`${row}.root_span`), { type: "contains", text, within });
		return sql`coalesce(${inRoot}, ${contains(needle, shownText(row, this.#dialect, side))})`;
	}

	#isNone(value: Value): Sql {
		const annotations = annotationsIn(value);
		if (annotations.length === 0) return sql`(${this.#value(value)} is null)`;
		return sql`(not coalesce(${this.#withAnnotations([value], () => sql`(${this.#value(value)} is not null)`)}, false))`;
	}

	#isRoot(row: number): Sql {
		const span = this.#row(row);
		return sql`(${span}.parent_span_id is null or not exists (select 1 from ${parentOf(span)}))`;
	}

	#value(value: Value): Sql {
		switch (value.type) {
			case "literal":
				return this.#dialect.literal(value.value, value.valueType);
			case "field":
				return this.#field(value);
			case "attribute":
				return (
					this.#columnOf(value) ?? this.#dialect.attribute(this.#spanWithAttributes(value.row), value.path, value.as)
				);
			case "annotation":
				return this.#annotationField(value);
			case "arithmetic":
				return this.#dialect.arithmetic(value.operator, this.#value(value.left), this.#value(value.right));
			case "negative":
				return sql`(- ${this.#value(value.value)})`;
			case "cast":
				return this.#cast(value);
			case "count":
				return this.#rows(value.rows, (from) => sql`(select count(*) from ${from})`);
			case "sum":
				return sql`coalesce(${this.#aggregate(value)}, 0)`;
			case "max":
			case "min":
				return this.#aggregate(value);
		}
	}

	/**
	 * The inner select names the values: SQL would assign an aggregate without columns of the collection to the outer
	 * query.
	 */
	#aggregate({ type, rows, value }: Value & { type: "sum" | "max" | "min" }): Sql {
		return this.#rows(
			rows,
			(from) =>
				sql`(select ${raw(type)}(item.value) from (select ${this.#value(value)} as value from ${from}) as item)`,
		);
	}

	#field(field: Field): Sql {
		const kind = this.#kind(field.row);
		const row = this.#row(field.row);
		if (!field.ofParent) return fieldSql(kind, field, row, this.#dialect);
		const value = fieldSql("span", field, raw("parent"), this.#dialect);
		return sql`(select ${value} from ${parentOf(row)} order by parent.start_micros, parent.start_nanos limit 1)`;
	}

	#spanWithAttributes(row: number): { id: Sql; block: Sql; ordinal: Sql } {
		const alias = this.#row(row);
		switch (this.#kind(row)) {
			case "trace":
				return spanOfNumber(sql`${alias}.root_span`);
			case "session":
				return spanOfNumber(ofFirstTrace(alias, raw("member.root_span")));
			default:
				return { id: sql`${alias}.id`, block: sql`${alias}.block_id`, ordinal: sql`${alias}.ordinal` };
		}
	}

	#annotationField({ annotation, name }: AnnotationField): Sql {
		const row = this.#open.get(keyOf(annotation));
		if (row === undefined) throw new Error("a filter asks for an annotation outside a comparison");
		return sql`${row}.${raw(name)}`;
	}

	/** The column of an attribute that was read when the span was received. */
	#columnOf(value: Value): Sql | undefined {
		if (value.type !== "attribute" || this.#kind(value.row) !== "span") return undefined;
		const column = promotedColumn(value);
		return column === undefined ? undefined : sql`${this.#row(value.row)}.${raw(column)}`;
	}

	#cast({ to, value }: Value & { type: "cast" }): Sql {
		const type = typeOf(value);
		if (value.type === "attribute" && type === "any")
			return this.#dialect.castAttribute(this.#spanWithAttributes(value.row), value.path, to);
		const inner = this.#value(value);
		if (to === "number") return type === "text" ? this.#dialect.toNumber(inner) : inner;
		if (type === "text") return inner;
		if (type === "number") return this.#dialect.numberToText(inner);
		if (type === "datetime") return this.#dialect.datetimeToText(inner);
		if (type === "boolean") return this.#dialect.booleanToText(inner);
		throw new Error(`a filter casts a ${value.type} of no known type`);
	}

	/** `<table> as <row> … where …`, to which conditions can be appended with `and`. */
	#rows(rows: Rows, use: (from: Sql) => Sql): Sql {
		this.#kinds[rows.row] = rows.kind;
		const source = this.#source(rows);
		const condition = rows.condition === undefined ? sql`` : sql` and ${this.condition(rows.condition)}`;
		return use(sql`${source} and ${this.#dialect.isInTime()}${condition}`);
	}

	#source({ row, of, collection }: Rows): Sql {
		const alias = this.#row(row);
		const owner = this.#row(of);
		const isOfSession = this.#kind(of) === "session";
		const byTrace = this.#dialect.indexedBy("annotations_by_trace");
		switch (collection) {
			case "traces":
				return sql`traces as ${alias} where ${alias}.session_row_id = ${owner}.id`;
			case "spans":
				return isOfSession
					? sql`traces as ${alias}_trace ${this.#dialect.join} spans as ${alias} on ${alias}.trace_row_id = ${alias}_trace.id
						where ${alias}_trace.session_row_id = ${owner}.id`
					: sql`spans as ${alias} where ${alias}.trace_row_id = ${owner}.id`;
			case "children":
				return sql`spans as ${alias} where ${alias}.trace_row_id = ${owner}.trace_row_id
					and ${alias}.parent_span_id = ${owner}.span_id and ${alias}.parent_span_id <> ${alias}.span_id`;
			case "siblings":
				return sql`spans as ${alias} where ${alias}.trace_row_id = ${owner}.trace_row_id
					and ${alias}.parent_span_id = ${owner}.parent_span_id and ${alias}.id <> ${owner}.id`;
			case "annotations":
				return annotationsOf(alias, "span", owner);
			case "trace_annotations":
				return annotationsOf(alias, "trace", owner);
			case "session_annotations":
				return annotationsOf(alias, "session", owner);
			case "span_annotations":
				return isOfSession
					? sql`traces as ${alias}_trace ${this.#dialect.join} annotations as ${alias} ${byTrace}
						on ${alias}.trace_row_id = ${alias}_trace.id
						where ${alias}_trace.session_row_id = ${owner}.id and ${alias}.target = 'span'`
					: sql`annotations as ${alias} ${byTrace}
						where ${alias}.trace_row_id = ${owner}.id and ${alias}.target = 'span'`;
			case "cost_details":
				return this.#costDetails(alias, sql`spans as ${alias}_span`, sql`${alias}_span.id = ${owner}.id`);
			case "span_cost_details":
				return isOfSession
					? this.#costDetails(
							alias,
							sql`traces as ${alias}_trace ${this.#dialect.join} spans as ${alias}_span on ${alias}_span.trace_row_id = ${alias}_trace.id`,
							sql`${alias}_trace.session_row_id = ${owner}.id`,
						)
					: this.#costDetails(alias, sql`spans as ${alias}_span`, sql`${alias}_span.trace_row_id = ${owner}.id`);
		}
	}

	#costDetails(alias: Sql, spans: Sql, where: Sql): Sql {
		const types = raw(TOKEN_TYPES.map((type) => `select '${type}' as token_type`).join(" union all "));
		const cost = fieldSql(
			"cost_detail",
			{ type: "field", row: 0, ofParent: false, name: "cost", valueType: "number" },
			alias,
			this.#dialect,
		);
		return sql`${spans} cross join (${types}) as ${alias} where ${where} and ${cost} is not null`;
	}

	#row(row: number): Sql {
		return raw(row === 0 ? TABLES[this.#target] : `row_${row}`);
	}

	#kind(row: number): RowKind {
		const kind = this.#kinds[row];
		if (kind === undefined) throw new Error(`a filter asks for row ${row}, which is not there`);
		return kind;
	}
}

/** Fields that are texts of the root span. */
const TEXT_SIDES: Readonly<Partial<Record<string, "input" | "output">>> = {
	input: "input",
	output: "output",
	first_input: "input",
	last_output: "output",
	any_input: "input",
	any_output: "output",
};

function parentOf(span: Sql): Sql {
	return sql`spans as parent where parent.trace_row_id = ${span}.trace_row_id
		and parent.span_id = ${span}.parent_span_id and parent.span_id <> ${span}.span_id`;
}

function annotationsOf(alias: Sql, target: FilterTarget, owner: Sql): Sql {
	return sql`annotations as ${alias} where ${alias}.target = ${target} and ${alias}.target_row_id = ${owner}.id
		and ${alias}.document_position = -1`;
}

function keyOf({ row, name }: AnnotationName): string {
	return `${row} ${name}`;
}

/** The annotations that a value refers to. */
export function annotationsIn(value: Value): AnnotationName[] {
	switch (value.type) {
		case "annotation":
			return [value.annotation];
		case "arithmetic":
			return [...annotationsIn(value.left), ...annotationsIn(value.right)];
		case "negative":
		case "cast":
			return annotationsIn(value.value);
		default:
			return [];
	}
}

/** Token counts are columns, whatever the convention. */
export function promotedColumn({ path, as }: Attribute): string | undefined {
	if (as !== "number" || path.length !== 3 || path[0] !== "llm" || path[1] !== "token_count") return undefined;
	return TOKEN_COLUMNS[path[2] ?? ""];
}

const TOKEN_COLUMNS: Readonly<Partial<Record<string, string>>> = {
	prompt: "tokens_prompt",
	completion: "tokens_completion",
	total: "tokens_total",
};

function isUntyped(value: Value): boolean {
	return value.type === "attribute" && value.as === "any";
}

function typeOf(value: Value): ValueType | "any" {
	switch (value.type) {
		case "literal":
		case "field":
		case "annotation":
		case "max":
		case "min":
			return value.valueType;
		case "attribute":
			return value.as === "searched" ? "text" : value.as;
		case "cast":
			return value.to;
		default:
			return "number";
	}
}

function kindCode(kind: string): number {
	return (SPAN_KINDS as readonly string[]).includes(kind) ? kindNumber(kind as SpanKind) : -1;
}

function statusCode(code: string): number {
	return STATUS_CODES.indexOf(code);
}
