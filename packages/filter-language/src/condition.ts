/**
 * A checked filter expression: names are resolved, types agree, chains are taken apart. Plain data, so that it can be
 * posted to another thread.
 *
 * A value may be missing. Then a comparison is neither true nor false, `not` of it neither, and only what is true selects.
 */

/** What a filter selects. */
export type FilterTarget = "span" | "trace" | "session";

/** What the rows of the target and of collections are. */
export type RowKind = FilterTarget | "annotation" | "cost_detail";

export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Condition =
	| { readonly type: "and" | "or"; readonly conditions: readonly Condition[] }
	| { readonly type: "not"; readonly condition: Condition }
	/** Both values are of one type, or one or both are untyped attributes. */
	| { readonly type: "compare"; readonly operator: CompareOperator; readonly left: Value; readonly right: Value }
	/** Equal to one of the literals. */
	| { readonly type: "in"; readonly value: Value; readonly list: readonly Literal[] }
	/** Case-insensitive substring; of untyped attributes that are no text, in their JSON text. */
	| { readonly type: "contains"; readonly text: Value; readonly within: Value }
	| { readonly type: "is_none"; readonly value: Value }
	/** The span has no parent among the stored spans. */
	| { readonly type: "is_root"; readonly row: number }
	/** A boolean value by itself. */
	| { readonly type: "truth"; readonly value: Value }
	| { readonly type: "has_annotation"; readonly annotation: AnnotationName }
	/** `any`: of the rows that `rows` selects. `all` holds when there are none. */
	| { readonly type: "any" | "all"; readonly rows: Rows; readonly condition: Condition };

export type Value =
	| Literal
	| Field
	| Attribute
	| AnnotationField
	| { readonly type: "arithmetic"; readonly operator: ArithmeticOperator; readonly left: Value; readonly right: Value }
	| { readonly type: "negative"; readonly value: Value }
	| { readonly type: "cast"; readonly to: "number" | "text"; readonly value: Value }
	/** `sum` of nothing is 0; `max` and `min` of nothing are missing. */
	| { readonly type: "sum" | "max" | "min"; readonly rows: Rows; readonly value: Value }
	| { readonly type: "count"; readonly rows: Rows };

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

export type ValueType = "text" | "number" | "boolean" | "datetime";

export interface Literal {
	readonly type: "literal";
	/** Datetimes are microseconds since 1970. */
	readonly value: string | number | boolean;
	readonly valueType: ValueType;
}

/** A field that the kind of the row has; `schemas.ts` lists them. */
export interface Field {
	readonly type: "field";
	/** 0 is the row that is filtered, others are those of the enclosing `any`, `all`, … from the outermost on. */
	readonly row: number;
	/** Of the span's parent instead. */
	readonly ofParent: boolean;
	readonly name: string;
	readonly valueType: ValueType;
}

/** An attribute of a span, of a trace's root span, or of the root span of a session's first trace. */
export interface Attribute {
	readonly type: "attribute";
	readonly row: number;
	readonly path: readonly string[];
}

export interface AnnotationName {
	readonly target: FilterTarget;
	readonly name: string;
}

/** Of several annotations of that name any one may match. */
export interface AnnotationField {
	readonly type: "annotation";
	readonly annotation: AnnotationName;
	readonly name: "score" | "label" | "explanation" | "identifier";
	readonly valueType: "text" | "number";
}

/** `for x in collection if condition` */
export interface Rows {
	/** The number under which the fields of these rows are asked for. */
	readonly row: number;
	readonly kind: RowKind;
	readonly collection: Collection;
	/** The row that has the collection. */
	readonly of: number;
	readonly condition?: Condition;
}

export type Collection =
	| "traces"
	| "spans"
	| "children"
	| "siblings"
	| "annotations"
	| "trace_annotations"
	| "session_annotations"
	| "span_annotations"
	| "cost_details"
	| "span_cost_details";
