export type {
	AnnotationField,
	AnnotationName,
	ArithmeticOperator,
	Attribute,
	Collection,
	CompareOperator,
	Condition,
	Field,
	FilterTarget,
	Literal,
	RowKind,
	Rows,
	Value,
	ValueType,
} from "./condition.ts";
export { PROMPT_VERSION, RESOURCE } from "./condition.ts";
export { FilterError, type FilterProblem } from "./filter-error.ts";
export { isPlainText, type ParsedFilter, parseFilter } from "./parse-filter.ts";
export { ANNOTATION_FIELDS, type FieldSchema, ROW_SCHEMAS, type RowSchema } from "./schemas.ts";
export { splitFilter } from "./split-filter.ts";
export { suggest } from "./suggestions.ts";
