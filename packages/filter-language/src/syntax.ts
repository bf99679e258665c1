import type { ArithmeticOperator, CompareOperator } from "./condition.ts";

export interface Place {
	readonly position: number;
	readonly length: number;
}

/** The expression as written, before names and types are checked. */
export type Syntax = Place &
	(
		| { readonly type: "literal"; readonly value: string | number | boolean | null }
		| { readonly type: "list"; readonly items: readonly Syntax[] }
		| Path
		| { readonly type: "and" | "or"; readonly operands: readonly Syntax[] }
		| { readonly type: "not"; readonly operand: Syntax }
		| { readonly type: "comparison"; readonly first: Syntax; readonly rest: readonly ComparisonPart[] }
		| {
				readonly type: "arithmetic";
				readonly operator: ArithmeticOperator;
				readonly left: Syntax;
				readonly right: Syntax;
		  }
		| { readonly type: "negative"; readonly operand: Syntax }
		| { readonly type: "cast"; readonly to: "number" | "text"; readonly operand: Syntax }
		| Reduction
	);

export type WrittenOperator = CompareOperator | "in" | "not in" | "is" | "is not";

export interface ComparisonPart {
	readonly operator: WrittenOperator;
	readonly operatorPlace: Place;
	readonly operand: Syntax;
}

export interface Path {
	readonly type: "path";
	readonly parts: readonly PathPart[];
}

/** `.name` or `["key"]`; the first part is a name. */
export interface PathPart extends Place {
	readonly isKey: boolean;
	readonly text: string;
}

export type ReductionName = "any" | "all" | "sum" | "max" | "min" | "len";

export interface Reduction {
	readonly type: "reduction";
	readonly name: ReductionName;
	readonly value: Syntax;
	readonly variable: Place & { readonly name: string };
	readonly collection: Syntax;
	readonly condition?: Syntax;
}
