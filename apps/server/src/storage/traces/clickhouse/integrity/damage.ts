import type { ContentKey } from "../text/sign-contents.ts";

/** A thing that is wrong in the tables, by what a repair needs to find it; `says` is a sentence for people. */
export type Damage = { readonly says: string } & (
	| {
			/** The row or place of a trace, or what rows of its spans say of it. */
			readonly kind: "trace";
			readonly projectId: number;
			/** Hex digits. */
			readonly traceId: string;
	  }
	/** Spans, or the row, of a trace are in two projects. */
	| { readonly kind: "move"; readonly traceId: string }
	/** Content that no span has. */
	| { readonly kind: "content"; readonly projectId: number; readonly startMicros: number; readonly id: number }
	| { readonly kind: "hour"; readonly projectId: number; readonly hour: number }
	/** The ledger does not say what the spans of an hour have spent. */
	| { readonly kind: "spend"; readonly projectId: number; readonly hour: number }
	/** Rows of a project that the metadata database does not have. */
	| { readonly kind: "project"; readonly projectId: number }
	/** ClickHouse does not have the name of a project. */
	| { readonly kind: "name"; readonly projectId: number }
	| {
			readonly kind: "reference";
			readonly table: ReferringTable;
			readonly id: number;
			/** What it refers to is there, but elsewhere; else it is gone. */
			readonly isMisplaced: boolean;
	  }
	| {
			/** Contents that are in the text index with no signature, or with some that do not have all of their texts. */
			readonly kind: "unsigned" | "wrong signature";
			readonly projectId: number;
			/** Of one day. */
			readonly contents: readonly ContentKey[];
	  }
	/** Nothing is left from which it could be made good. */
	| { readonly kind: "lost" }
);

/** A table of the metadata database whose rows refer to spans, traces and sessions. */
export type ReferringTable = "annotations" | "dataset_examples" | "error_occurrences";

/** Damage, or how many traces, hours, rows or references were looked at meanwhile. */
export type Looked = Damage | { readonly kind: "looked"; readonly count: number };

/** What is looked at; everything without it. */
export interface Scope {
	readonly projectId?: number;
	/** Inclusive, of spans, microseconds. */
	readonly startMicros?: number;
	/** Exclusive. */
	readonly endMicros?: number;
}

/** The same text for damage that one repair makes good. */
export function keyOfDamage(damage: Damage): string {
	switch (damage.kind) {
		case "trace":
			return `trace ${damage.projectId} ${damage.traceId}`;
		case "move":
			return `move ${damage.traceId}`;
		case "content":
			return `content ${damage.projectId} ${damage.id}`;
		case "unsigned":
		case "wrong signature":
			return `${damage.kind} ${damage.projectId} ${damage.contents[0]?.id}`;
		case "hour":
		case "spend":
			return `${damage.kind} ${damage.projectId} ${damage.hour}`;
		case "project":
		case "name":
			return `${damage.kind} ${damage.projectId}`;
		case "reference":
			return `${damage.table} ${damage.id}`;
		default:
			return damage.says;
	}
}
