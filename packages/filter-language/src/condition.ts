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
	/** Both values are of one type, or both are attributes as they are: those of two types are as if one were missing. */
	| { readonly type: "compare"; readonly operator: CompareOperator; readonly left: Value; readonly right: Value }
	/** Equal to one of the literals. */
	| { readonly type: "in"; readonly value: Value; readonly list: readonly Literal[] }
	/** Case-insensitive substring. */
	| { readonly type: "contains"; readonly text: Value; readonly within: Value }
	| { readonly type: "is_none"; readonly value: Value }
	/** The span has no parent among the stored spans. */
	| { readonly type: "is_root"; readonly row: number }
	| { readonly type: "has_annotation"; readonly annotation: AnnotationName }
	/** Never missing: a row counts when the condition is true for it. `all` holds when there are no rows. */
	| { readonly type: "any" | "all"; readonly rows: Rows; readonly condition: Condition };

export type Value =
	| Literal
	| Field
	| Attribute
	| AnnotationField
	| { readonly type: "arithmetic"; readonly operator: ArithmeticOperator; readonly left: Value; readonly right: Value }
	| { readonly type: "negative"; readonly value: Value }
	| { readonly type: "cast"; readonly to: "number" | "text"; readonly value: Value }
	/** Over the values that are not missing; `sum` of none is 0, `max` and `min` of none are missing. */
	| { readonly type: "sum"; readonly rows: Rows; readonly value: Value }
	| {
			readonly type: "max" | "min";
			readonly rows: Rows;
			readonly value: Value;
			readonly valueType: "number" | "datetime";
	  }
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
	/** Segments of the dotted path. */
	readonly path: readonly string[];
	/**
	 * Missing when the attribute is of another type. `any` is the attribute as it is, `searched` its text, or the JSON text
	 * of what is none.
	 */
	readonly as: "text" | "number" | "boolean" | "any" | "searched";
}

export interface AnnotationName {
	readonly row: number;
	/** What the row is. */
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
