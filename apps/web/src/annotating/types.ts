/** The kinds of targets that can be annotated by hand. */
export type TargetKind = "span" | "trace" | "session";

export interface AnnotationTarget {
	readonly kind: TargetKind;
	/** Hex id of a span or trace, or the session's id as it was sent. */
	readonly id: string;
	readonly name: string;
}

export interface AnnotationResult {
	readonly label?: string | null;
	readonly score?: number | null;
	readonly explanation?: string | null;
}

/** An annotation of a span, a trace or a session. */
export interface Annotation {
	readonly id: string;
	readonly name: string;
	readonly annotator_kind: "HUMAN" | "LLM" | "CODE" | "AGENT" | "DECISION";
	readonly result?: AnnotationResult | null;
	readonly identifier?: string;
	readonly metadata?: unknown;
	readonly source: "API" | "APP";
	readonly user_id: string | null;
	readonly created_at: string;
	readonly updated_at: string;
}

interface ConfigBase {
	readonly id: string;
	readonly name: string;
	readonly description?: string | null;
}

export type OptimizationDirection = "MINIMIZE" | "MAXIMIZE" | "NONE";

export interface CategoricalConfig extends ConfigBase {
	readonly type: "CATEGORICAL";
	readonly optimization_direction: OptimizationDirection;
	readonly values: readonly { readonly label: string; readonly score?: number | null }[];
}

export interface ContinuousConfig extends ConfigBase {
	readonly type: "CONTINUOUS";
	readonly optimization_direction: OptimizationDirection;
	readonly lower_bound?: number | null;
	readonly upper_bound?: number | null;
}

export interface FreeformConfig extends ConfigBase {
	readonly type: "FREEFORM";
	readonly optimization_direction?: OptimizationDirection | null;
	readonly threshold?: number | null;
	readonly lower_bound?: number | null;
	readonly upper_bound?: number | null;
}

/** The labels, or the range of numbers, for annotations with a name. */
export type AnnotationConfig = CategoricalConfig | ContinuousConfig | FreeformConfig;

/** The name of annotations that are notes. */
export const NOTE = "note";
