import type { GroupValue, OccurrenceGroupField } from "#storage/traces/analytics/analytics-query.ts";
import { literal } from "./literal.ts";

interface OccurrenceGroup {
	readonly description: string;
	/** The field of filters of spans that has the same values. */
	readonly filterField: string;
}

/** What occurrences of errors can be grouped by, besides the groups of their spans. */
export const OCCURRENCE_GROUPS: Readonly<Record<OccurrenceGroupField, OccurrenceGroup>> = {
	error_group: {
		description: "Group of errors: its fingerprint, with its title as label.",
		filterField: "error_group",
	},
	error_kind: {
		description: "How it failed: refusal, provider_error, tool_failure, exception or error.",
		filterField: "error_kind",
	},
	tool: { description: "Tool that failed, or that the span names.", filterField: "error_tool" },
};

/** The filter of the spans that are occurrences of errors. */
export const IS_OCCURRENCE = "error_kind is not None";

export function isOccurrenceGroup(text: string): text is OccurrenceGroupField {
	return Object.hasOwn(OCCURRENCE_GROUPS, text);
}

/** The filter of the spans of a group, among those that are occurrences. */
export function filterOfOccurrence(name: OccurrenceGroupField, value: GroupValue): string {
	const { filterField } = OCCURRENCE_GROUPS[name];
	return value === null ? `${filterField} is None` : `${filterField} == ${literal(value)}`;
}
