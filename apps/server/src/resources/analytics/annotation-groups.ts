import { FilterError, parseFilter } from "@spanward/filter-language";
import type {
	AnalyticsQuery,
	AnalyticsRows,
	AnnotationGroupField,
	GroupValue,
	LabelGroup,
} from "#storage/traces/analytics/analytics-query.ts";
import { TARGETS } from "#storage/traces/analytics/analyze-lists.ts";
import { COUNTS_OF_TARGETS } from "#storage/traces/analytics/list-annotations.ts";
import type { Measure } from "#storage/traces/analytics/measures.ts";
import { literal } from "./literal.ts";

/** What annotations can be grouped by, besides the groups of what they are about. */
export const ANNOTATION_GROUPS: Readonly<Record<AnnotationGroupField, { readonly description: string }>> = {
	annotation_name: { description: "Name of the annotation." },
	label: { description: "Label of the annotation." },
	annotator_kind: { description: "LLM, CODE, HUMAN, AGENT or DECISION." },
	identifier: { description: "Identifier, which tells annotations of one name on one thing apart." },
	target: { description: "What the annotation is about: span, trace or session." },
};

export function isAnnotationGroup(text: string): text is AnnotationGroupField {
	return Object.hasOwn(ANNOTATION_GROUPS, text);
}

const LISTS = ["spans", "traces", "sessions"] as const;
type List = (typeof LISTS)[number];

/** Measures that a question gets behind its own, so that {@link listOfTargets} knows what its annotations are about. */
export const TARGET_COUNTS: readonly Measure[] = LISTS.map((of) => ({ type: "sum", of: COUNTS_OF_TARGETS[of] }));

/**
 * The list that has all that the annotations of a group are about; undefined where they are about different things.
 * @param counts those of {@link TARGET_COUNTS}
 */
export function listOfTargets(counts: readonly (number | null)[]): List | undefined {
	const found = LISTS.filter((_of, index) => (counts[index] ?? 0) > 0);
	return found.length === 1 ? found[0] : undefined;
}

const COLLECTIONS = { spans: "annotations", traces: "trace_annotations", sessions: "session_annotations" } as const;

/** The rows whose annotations a label is read from, by the name of the collection. */
const ON: Readonly<Record<string, List>> = {
	annotations: "spans",
	evals: "spans",
	trace_annotations: "traces",
	session_annotations: "sessions",
};

/** `annotations['quality'].label` as filters read it; undefined for anything else, and where rows have no such annotations. */
export function readLabel(of: AnalyticsRows, text: string): LabelGroup | undefined {
	const [, collection = ""] = /^(\w+)\[.*\]\.label$/s.exec(text) ?? [];
	const on = Object.hasOwn(ON, collection) ? ON[collection] : undefined;
	if (on === undefined || (on !== "spans" && of !== "traces" && of !== "sessions")) return undefined;
	try {
		const { condition } = parseFilter(TARGETS[on], `${text} is None`);
		if (condition?.type !== "is_none" || condition.value.type !== "annotation") return undefined;
		return { type: "label", on, name: condition.value.annotation.name };
	} catch (error) {
		if (error instanceof FilterError) return undefined;
		throw error;
	}
}

/** The names of groups by label. */
export function labelGroups(of: AnalyticsRows): { readonly name: string; readonly description: string }[] {
	const group = (on: List, what: string) => ({
		name: `${COLLECTIONS[on]}['…'].label`,
		description: `Each label of the annotations of that name on ${what}; a row may be in several groups.`,
	});
	if (of === "traces")
		return [group("traces", "the trace"), group("spans", "its root span"), group("sessions", "its session")];
	if (of === "sessions")
		return [
			group("sessions", "the session"),
			group("traces", "its first trace"),
			group("spans", "the root span of that trace"),
		];
	return [
		group(
			"spans",
			of === "spans" || of === "errors" ? "the span" : "the span, or the root span of the trace or session",
		),
	];
}

/** The filter of the rows with a label; undefined where it is one of other rows. */
export function filterOfLabel(of: AnalyticsRows, { on, name }: LabelGroup, label: GroupValue): string | undefined {
	if (of !== on) return undefined;
	const field = `${COLLECTIONS[on]}[${literal(name)}].label`;
	return label === null ? `${field} is None` : `${field} == ${literal(label)}`;
}

const FIELDS: Readonly<Record<AnnotationGroupField, string | undefined>> = {
	annotation_name: "name",
	label: "label",
	annotator_kind: "annotator_kind",
	identifier: "identifier",
	target: undefined,
};

/** The filter of what has an annotation that the question and the group are about. */
export function filterOfAnnotated(
	of: List,
	{ annotationNames, annotatorKinds, groupBy }: AnalyticsQuery,
	group: readonly GroupValue[] | undefined,
): string {
	const parts = [
		...(annotationNames === undefined ? [] : [isOneOf("x.name", annotationNames)]),
		...(annotatorKinds === undefined ? [] : [isOneOf("x.annotator_kind", annotatorKinds)]),
	];
	for (const [index, by] of groupBy.entries()) {
		const field = by.type === "annotation" && group !== undefined ? FIELDS[by.name] : undefined;
		const value = group?.[index] ?? null;
		if (field !== undefined) parts.push(value === null ? `x.${field} is None` : `x.${field} == ${literal(value)}`);
	}
	if (parts.length === 0) parts.push("x.name is not None");
	return `any(${parts.join(" and ")} for x in ${COLLECTIONS[of]})`;
}

function isOneOf(field: string, values: readonly string[]): string {
	const [first = "", ...others] = values;
	return others.length === 0 ? `${field} == ${literal(first)}` : `${field} in [${values.map(literal).join(", ")}]`;
}
