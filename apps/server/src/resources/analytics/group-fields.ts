import { type Attribute, PROMPT_VERSION, parseFilter, RESOURCE, suggest } from "@spanward/filter-language";
import type { AnalyticsRows, GroupBy, GroupField, GroupValue } from "#storage/traces/analytics/analytics-query.ts";
import { TARGETS } from "#storage/traces/analytics/analyze-lists.ts";
import { ANNOTATION_GROUPS, filterOfLabel, isAnnotationGroup, labelGroups, readLabel } from "./annotation-groups.ts";
import { EXPORT_GROUPS, readExportGroup } from "./export-groups.ts";
import { literal } from "./literal.ts";
import { filterOfOccurrence, isOccurrenceGroup, OCCURRENCE_GROUPS } from "./occurrence-groups.ts";
import { refuseValue } from "./refuse-value.ts";
import { readSpendGroup, SPEND_GROUPS } from "./spend-groups.ts";

/** What rows can be grouped by, and how a group is written as a filter of the list of these rows. */

export interface GroupFieldInfo {
	readonly description: string;
	/** The field of filters that has the same values; undefined where filters have none. */
	readonly filterField: Readonly<Partial<Record<AnalyticsRows, string>>>;
}

const OF_ALL = (field: string) => ({ spans: field, traces: field, sessions: field });

export const GROUP_FIELDS: Readonly<Record<GroupField, GroupFieldInfo>> = {
	project: { description: "Project.", filterField: {} },
	model: {
		description: "Model that answered; of a trace or session, that of its root span.",
		filterField: { spans: "model" },
	},
	provider: {
		description: "Provider of the model; of a trace or session, that of its root span.",
		filterField: { spans: "provider" },
	},
	kind: {
		description: "Kind of span; of a trace or session, that of its root span.",
		filterField: { spans: "span_kind", traces: "root_kind" },
	},
	name: {
		description: "Name; of a trace or session, that of its root span.",
		filterField: { spans: "name", traces: "name" },
	},
	status: {
		description: "UNSET, OK or ERROR; a trace or session with an error anywhere is ERROR.",
		filterField: OF_ALL("status_code"),
	},
	user: { description: "User, of a span its own or else its trace's.", filterField: OF_ALL("user_id") },
	session: { description: "Session, of a span its own or else its trace's.", filterField: OF_ALL("session_id") },
	release: {
		description: "Version of what sent it; of a trace that of its root, of a session that of its first trace.",
		filterField: { spans: "release", traces: "release" },
	},
	environment: {
		description: "Where that runs; of a trace that of its root, of a session that of its first trace.",
		filterField: { spans: "environment", traces: "environment" },
	},
	api_key: {
		description: "API key that it came with, deleted ones too; of a trace or session, that of its root span.",
		filterField: { spans: "api_key" },
	},
	error_group: {
		description:
			"Group of errors of a span that failed, or of the root span: its fingerprint, with its title as label.",
		filterField: { spans: "error_group" },
	},
};

interface NamedGroup {
	readonly name: string;
	readonly description: string;
}

/** All that rows can be grouped by. */
export function groupsOf(of: AnalyticsRows): NamedGroup[] {
	if (of === "ingest") return named(EXPORT_GROUPS);
	if (of === "spend") return named(SPEND_GROUPS);
	return [
		...(of === "annotations" ? named(ANNOTATION_GROUPS) : []),
		...(of === "errors" ? named(OCCURRENCE_GROUPS) : []),
		...named(GROUP_FIELDS).filter(({ name }) => of !== "errors" || !isOccurrenceGroup(name)),
		{ name: "tag", description: "Each tag of a span, or of the root span; a row may be in several groups." },
		{ name: "attributes['…']", description: "An attribute of a span, or of the root span." },
		{ name: "metadata['…']", description: "The attribute below `metadata`." },
		{ name: "resource['…']", description: "An attribute of the resource of a span, or of the root span." },
		{ name: "prompt_version", description: "Id of the prompt version that a span, or the root span, names." },
		...labelGroups(of),
	];
}

function named(groups: Readonly<Record<string, { readonly description: string }>>): NamedGroup[] {
	return Object.entries(groups).map(([name, { description }]) => ({ name, description }));
}

/** @param parameter that has the text @throws ValidationError `unknown_group` */
export function readGroupBy(of: AnalyticsRows, text: string, parameter = "group_by"): GroupBy {
	const found = readGroup(of, text);
	if (found !== undefined) return found;
	const names = groupsOf(of).map(({ name }) => name);
	const [meant] = suggest(text, names);
	throw refuseValue(
		"unknown_group",
		parameter,
		`Input should be ${names.join(", ")}${meant === undefined ? "" : `; ${meant} is probably meant`}`,
		text.slice(0, 200),
	);
}

function readGroup(of: AnalyticsRows, text: string): GroupBy | undefined {
	if (of === "ingest") return readExportGroup(text);
	return of === "spend" ? readSpendGroup(text) : readRowGroup(of, text);
}

function readRowGroup(of: AnalyticsRows, text: string): GroupBy | undefined {
	if (of === "errors" && isOccurrenceGroup(text)) return { type: "occurrence", name: text };
	if (Object.hasOwn(GROUP_FIELDS, text)) return { type: "field", name: text as GroupField };
	if (text === "tag") return { type: "tag" };
	if (text === "prompt_version") return { type: "attribute", path: PROMPT_VERSION };
	if (of === "annotations" && isAnnotationGroup(text)) return { type: "annotation", name: text };
	const attribute = readAttribute(of, text);
	return attribute === undefined ? readLabel(of, text) : { type: "attribute", path: attribute.path };
}

/** `attributes['a.b']`, `metadata['a']` or `resource['a']` as filters read it; undefined for anything else. */
export function readAttribute(of: AnalyticsRows, text: string): Attribute | undefined {
	if (of === "ingest" || of === "spend" || !/^(attributes|metadata|resource)\[/.test(text)) return undefined;
	try {
		const { condition } = parseFilter(TARGETS[of], `${text} is None`);
		return condition?.type === "is_none" && condition.value.type === "attribute" ? condition.value : undefined;
	} catch {
		return undefined;
	}
}

/** Texts that are longer group by their beginning, and have no drill-down. */
export const LONGEST_VALUE = 1_000;

/** A value as the wire has it, and its label. */
export function shownValue(value: GroupValue): { value: GroupValue; label: string } {
	const shown = typeof value === "string" ? value.slice(0, LONGEST_VALUE) : value;
	return { value: shown, label: value === null ? "none" : String(shown) };
}

/** The filter of the rows of a group; undefined where filters cannot say it. */
export function filterOfGroup(
	of: AnalyticsRows,
	groupBy: readonly GroupBy[],
	group: readonly GroupValue[],
): string | undefined {
	const parts = groupBy.map((by, index) => filterOf(of, by, group[index] ?? null));
	const known = parts.filter((part) => part !== undefined);
	if (known.length < parts.length) return undefined;
	return known.filter((part) => part !== "").join(" and ");
}

function filterOf(of: AnalyticsRows, by: GroupBy, value: GroupValue): string | undefined {
	if (typeof value === "string" && value.length > LONGEST_VALUE) return undefined;
	if (by.type === "tag") return value === null || of === "sessions" ? undefined : `${literal(value)} in tags`;
	if (by.type === "label") return filterOfLabel(of, by, value);
	// Of an annotation, not of what it is about.
	if (by.type === "annotation") return "";
	if (by.type === "occurrence") return filterOfOccurrence(by.name, value);
	if (by.type === "export") return undefined;
	// Its list is that of the project.
	if (by.type === "field" && by.name === "project") return "";
	if (by.type === "attribute") return filterOfAttribute(of, by.path, value);
	const field = GROUP_FIELDS[by.name].filterField[of];
	if (field === undefined) return undefined;
	return value === null ? `${field} is None` : `${field} == ${literal(value)}`;
}

function filterOfAttribute(of: AnalyticsRows, path: readonly string[], value: GroupValue): string | undefined {
	const [first = "", ...rest] = path;
	if (first === PROMPT_VERSION[0]) {
		if (TARGETS[of] !== "span") return undefined;
		return value === null ? "prompt_version is None" : `prompt_version == ${literal(value)}`;
	}
	// A list or an object is the group of null, but has a value.
	if (value === null) return undefined;
	if (first === RESOURCE) return `resource[${literal(rest.join("."))}] == ${literal(value)}`;
	return `attributes[${literal(path.join("."))}] == ${literal(value)}`;
}
