/**
 * A checked filter expression: names are resolved, types agree, chained comparisons are split. Plain data, so that it
 * can be posted to another thread.
 *
 * A value may be missing. A comparison with it is then neither true nor false, nor is its `not`; only true conditions
 * select.
 */

/** The kind of rows that a filter selects. */
export type FilterTarget = "span" | "trace" | "session";

/** Kinds of rows, of the target and of collections. */
export type RowKind = FilterTarget | "annotation" | "cost_detail";

export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Condition =
	| { readonly type: "and" | "or"; readonly conditions: readonly Condition[] }
	| { readonly type: "not"; readonly condition: Condition }
	/**
	 * Both values have the same type, or both are attributes of any type: with different types, it is as if one were
	 * missing.
	 */
	| { readonly type: "compare"; readonly operator: CompareOperator; readonly left: Value; readonly right: Value }
	/** Equal to one of the literals. */
	| { readonly type: "in"; readonly value: Value; readonly list: readonly Literal[] }
	/** Case-insensitive substring. */
	| { readonly type: "contains"; readonly text: Value; readonly within: Value }
	/** One of the tags of a span, or of a trace's root span, is this text; missing where there are no tags. */
	| { readonly type: "has_tag"; readonly row: number; readonly tag: string }
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
	/** 0 is the filtered row; others are those of the enclosing `any`, `all`, …, numbered from the outermost. */
	readonly row: number;
	/** The field is that of the span's parent instead. */
	readonly ofParent: boolean;
	readonly name: string;
	readonly valueType: ValueType;
}

/** The first segment of paths to attributes of a resource; no filter can write it. */
export const RESOURCE = "\0resource";

/** The path to the prompt version that a span names, in one of several attributes. */
export const PROMPT_VERSION: readonly string[] = ["\0prompt_version"];

/** An attribute of a span, of a trace's root span, or of the root span of a session's first trace. */
export interface Attribute {
	readonly type: "attribute";
	readonly row: number;
	/** Segments of the dotted path; {@link RESOURCE} before those of an attribute of the span's resource. */
	readonly path: readonly string[];
	/**
	 * The attribute is missing when it has another type. `any` accepts all types; `searched` is the text, or the JSON
	 * text of any other value.
	 */
	readonly as: "text" | "number" | "boolean" | "any" | "searched";
}

export interface AnnotationName {
	readonly row: number;
	/** What the row is. */
	readonly target: FilterTarget;
	readonly name: string;
}

/** If several annotations have the name, any of them may match. */
export interface AnnotationField {
	readonly type: "annotation";
	readonly annotation: AnnotationName;
	readonly name: "score" | "label" | "explanation" | "identifier";
	readonly valueType: "text" | "number";
}

/** `for x in collection if condition` */
export interface Rows {
	/** The number by which fields refer to these rows. */
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
