import type { Condition } from "@spanward/filter-language";
import type { AnnotatorKind } from "#storage/schema.ts";
import type { Caller } from "../trace-store.ts";
import type { Measure } from "./measures.ts";

/** What is told by traces. */
export type TraceRows = "spans" | "traces" | "sessions";

/** What a question counts. */
export type AnalyticsRows = TraceRows | "annotations" | "errors" | "spend" | "ingest";

/** A value of a group; rows without one are the group of null. The number 3, the text "3" and true are three groups. */
export type GroupValue = string | number | boolean | null;

export type GroupField =
	| "project"
	| "model"
	| "provider"
	| "kind"
	| "name"
	| "status"
	| "user"
	| "session"
	| "release"
	| "environment"
	/** By row number, as text. */
	| "api_key"
	/** Of a span that failed, or of the root span of a row: the fingerprint by which its group of errors is called. */
	| "error_group";

export type GroupBy =
	| { readonly type: "field"; readonly name: GroupField }
	/** Of a span, of a trace's root span, or of the root span of a session's first trace. */
	| { readonly type: "attribute"; readonly path: readonly string[] }
	/** Each of the tags of a span, or of a trace's root span: a row may be in several groups. */
	| { readonly type: "tag" }
	/** Each of the labels that annotations of one name have. */
	| LabelGroup
	/** Of an annotation. */
	| { readonly type: "annotation"; readonly name: AnnotationGroupField }
	/** Of an occurrence of an error. */
	| { readonly type: "occurrence"; readonly name: OccurrenceGroupField }
	/** Of what became of exports. */
	| { readonly type: "export"; readonly name: ExportGroupField };

export type ExportGroupField = "reason" | "server";

export interface LabelGroup {
	readonly type: "label";
	/** What is annotated: a span, or the root span of a row; a trace, or the first one of a session; a session. */
	readonly on: TraceRows;
	readonly name: string;
}

export type AnnotationGroupField = "annotation_name" | "label" | "annotator_kind" | "identifier" | "target";

export type OccurrenceGroupField = "error_group" | "error_kind" | "tool";

/** A number of a row that measures add up. */
export type NumberValue =
	| {
			readonly type: "field";
			/** `start` is microseconds since 1970, `row` the number of the row. */
			readonly name: "latency_ms" | "total_cost" | "token_count_total" | "start" | "row";
	  }
	/** Values that are no numbers are left out. */
	| { readonly type: "attribute"; readonly path: readonly string[] }
	/** Of an annotation. */
	| { readonly type: "score" };

export interface AnalyticsQuery {
	readonly of: AnalyticsRows;
	readonly projectIds: readonly number[];
	/** The server itself when absent. */
	readonly caller?: Caller;
	/** A condition on these rows; for annotations and errors, on the span that they are about. */
	readonly condition?: Condition;
	/** Words, as the list of what the condition is about searches them. */
	readonly text?: string;
	/** Of annotations those with these names; all when absent. */
	readonly annotationNames?: readonly string[];
	readonly annotatorKinds?: readonly AnnotatorKind[];
	/** Rows with higher numbers are left out. */
	readonly lastRow?: number;
	/** Where buckets begin and the last one ends, in ascending order: microseconds since 1970. */
	readonly edges: readonly number[];
	/** Buckets of a time before to compare with, as many. */
	readonly previousEdges?: readonly number[];
	readonly groupBy: readonly GroupBy[];
	readonly measures: readonly Measure[];
	/** The number of a measure, or the values of the groups. */
	readonly sort: { readonly by: number | "group"; readonly descending: boolean };
	/** How the number of the first measure is spread is told, too; then there are no groups and nothing to compare with. */
	readonly distribution?: DistributionQuery;
	/** Groups beyond this many are added up. */
	readonly limit: number;
	/** Where among the sorted groups those begin that are listed. */
	readonly after?: GroupPosition;
	/** Rows without a value are no group: they count in `all` alone. */
	readonly leavesOutNull?: true;
	readonly timeoutMs: number;
}

export interface DistributionQuery {
	/** At most so many. */
	readonly bins: number;
	/** Whether bins are equally wide, or each a multiple of the one before it. */
	readonly scale: DistributionScale;
}

export const DISTRIBUTION_SCALES = ["log", "linear"] as const;
export type DistributionScale = (typeof DISTRIBUTION_SCALES)[number];

/** A place in the order of groups: right behind one of them, or where it would be. */
export interface GroupPosition {
	/** What the group is sorted by. */
	readonly value: number | null;
	/** As of `hashOfGroup`. */
	readonly hash: string;
}

export interface Range {
	readonly startMicros: number;
	/** Exclusive. */
	readonly endMicros: number;
}

/** A number for each measure. */
export type Totals = readonly (number | null)[];

export interface Cells {
	readonly totals: Totals;
	/** For each measure a number for each bucket; null where a bucket was not read as a whole. */
	readonly values: readonly (readonly (number | null)[])[];
}

export interface ComparedCells extends Cells {
	/** Of the time before; present when the query has one. */
	readonly previous?: Cells;
}

export interface AnalyticsGroup extends ComparedCells {
	readonly values: Cells["values"];
	readonly group: readonly GroupValue[];
}

export interface AnalyticsAnswer {
	/** The first ones of the order, at most `limit`. */
	readonly groups: readonly AnalyticsGroup[];
	/** All other groups together; undefined when there are none. */
	readonly others: ComparedCells | undefined;
	/** All rows, each counted once. */
	readonly all: ComparedCells;
	readonly groupCount: number;
	/** Whether a row may be in several groups. */
	readonly isOverlapping: boolean;
	/** The start of what was read, newest first, when time was up before all was; undefined when all was read. */
	readonly coveredMicros: number | undefined;
	/** Present when some traces of the times that are asked about are still to be looked at for errors. */
	readonly isBehind?: true;
	/** Numbers of the measures that had too many different values to be counted, and are null. */
	readonly tooManyDistinct: readonly number[];
	readonly source: "totals" | "rows";
	/** Present when the query asks for it. */
	readonly distribution?: SpreadNumbers;
}

/** How many numbers are in each of some bins. */
export interface SpreadNumbers {
	/** In ascending order, each with its start and without its end, the last one with both. */
	readonly bins: readonly { readonly start: number; readonly end: number }[];
	/** By bin. */
	readonly totals: readonly number[];
	/** For each bucket the same, null where it was not read as a whole. */
	readonly values: readonly (readonly number[] | null)[];
}

/** More groups than can be told apart in memory. */
export class TooManyGroups extends Error {
	override readonly name = "TooManyGroups";
}
