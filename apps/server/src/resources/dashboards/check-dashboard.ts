import { FilterError, parseFilter } from "@spanward/filter-language";
import { type Issue, UserError, ValidationError } from "#base/errors.ts";
import { TARGETS } from "#storage/traces/analytics/analyze-lists.ts";
import { readRange, zoned } from "../analytics/calendar.ts";
import { checkGroupField, checkQuestion } from "../analytics/check-question.ts";
import type { DashboardContent, WidgetBody } from "./schemas.ts";

type Place = readonly (string | number)[];
type Query = Readonly<Record<string, unknown>>;

/** Parameters that may be one value or a list of them, and are stored as a list. */
const LISTS: ReadonlySet<string> = new Set([
	...["measure", "group_by", "projects", "annotation_name", "annotator_kind"],
]);
const DRAWN_OVER_TIME: ReadonlySet<string> = new Set(["time_series", "heatmap"]);
const OF_DISTRIBUTIONS: ReadonlySet<string> = new Set(["histogram", "heatmap"]);

/**
 * Looks at what the schema cannot: widgets that overlap, and whether their questions can be asked.
 * @param isOfProject then widgets name no projects
 * @returns the same as it is stored
 * @throws ValidationError with every place where something is wrong
 */
export function checkDashboard(
	content: DashboardContent,
	{ isOfProject, nowMicros }: { readonly isOfProject: boolean; readonly nowMicros: number },
): DashboardContent {
	const issues: Issue[] = [];
	const zone = zoneOf(content);
	const timeZone = isSound(issues, ["time_zone"], () => zoned(nowMicros, zone)) ? zone : "UTC";
	const hasRange = isSound(issues, ["range"], () => readRange(content.range, nowMicros, timeZone));
	isSound(issues, ["filter"], () => checkFilter(content.filter ?? ""));
	for (const [at, control] of content.controls.entries())
		isSound(issues, ["controls", at], () => checkGroupField(control));
	const context = { isOfProject, nowMicros, timeZone, range: hasRange ? content.range : "24h" };
	const widgets = content.widgets.map((widget, at) => {
		const query = checkWidget(widget, ["body", "widgets", at], context, issues);
		return { ...widget, query: query ?? null, text: widget.text ?? null };
	});
	checkPlaces(content.widgets, issues);
	if (issues.length > 0) throw new ValidationError(issues);
	return { ...content, widgets };
}

function zoneOf({ time_zone }: DashboardContent): string {
	return time_zone === "browser" || time_zone === null || time_zone === undefined ? "UTC" : time_zone;
}

interface WidgetContext {
	readonly isOfProject: boolean;
	readonly nowMicros: number;
	readonly timeZone: string;
	readonly range: string;
}

/** @returns the question as it is stored */
function checkWidget(
	{ kind, query, text }: WidgetBody,
	place: Place,
	{ isOfProject, ...context }: WidgetContext,
	issues: Issue[],
): Query | undefined {
	const refuse = (member: Place, type: string, msg: string) => issues.push({ type, loc: [...place, ...member], msg });
	if (kind === "text") {
		if (typeof text !== "string") refuse(["text"], "missing", "Field required");
		if (query !== null && query !== undefined) refuse(["query"], "extra_forbidden", "A text has no query");
		return undefined;
	}
	if (text !== null && text !== undefined) refuse(["text"], "extra_forbidden", "Only a text has a text");
	if (query === null || query === undefined) {
		refuse(["query"], "missing", "Field required");
		return undefined;
	}
	if (isOfProject && query["projects"] !== undefined)
		refuse(["query", "projects"], "extra_forbidden", "A dashboard of a project is about this project");
	if (isOfProject && query["of"] === "ingest")
		refuse(["query", "of"], "invalid_parameter", "Exports are counted across projects");
	if (query["of"] === "ingest" && query["projects"] !== undefined)
		refuse(["query", "projects"], "invalid_parameter", "Exports are counted across projects");
	const isSpread = query["distribution"] !== undefined;
	if (OF_DISTRIBUTIONS.has(kind) !== isSpread)
		refuse(
			["query", "distribution"],
			isSpread ? "extra_forbidden" : "missing",
			isSpread ? "Only a histogram or heatmap draws a distribution" : "Field required",
		);
	try {
		const { limit, strict } = checkQuestion(query, {
			...context,
			...(DRAWN_OVER_TIME.has(kind) ? { bucket: "auto" } : {}),
		});
		return toStored(query, { limit, strict });
	} catch (error) {
		issues.push(...issuesOf(error, [...place, "query"]));
		return undefined;
	}
}

/** Lists as lists, and numbers and flags as such, however they were written. */
function toStored(query: Query, parsed: Query): Query {
	return Object.fromEntries(
		Object.entries(query).map(([name, value]) => {
			if (LISTS.has(name)) return [name, [value].flat()];
			return [name, Object.hasOwn(parsed, name) ? parsed[name] : value];
		}),
	);
}

/** The filter of a dashboard narrows widgets about different rows: it has to be one of some rows. */
function checkFilter(filter: string): void {
	const failures = Object.values(TARGETS).map((target) => {
		try {
			parseFilter(target, filter);
			return undefined;
		} catch (error) {
			if (error instanceof FilterError) return error;
			throw error;
		}
	});
	const [first] = failures;
	if (first === undefined || failures.includes(undefined)) return;
	throw new UserError(400, "invalid_filter", `${first.message} (at character ${first.position + 1})`);
}

function checkPlaces(widgets: readonly WidgetBody[], issues: Issue[]): void {
	for (const [at, widget] of widgets.entries())
		for (const other of widgets.slice(0, at)) {
			if (widget.key === other.key)
				issues.push({
					type: "duplicate_key",
					loc: ["body", "widgets", at, "key"],
					msg: `Another widget has the key ${widget.key}`,
				});
			else if (overlap(widget, other))
				issues.push({
					type: "widgets_overlap",
					loc: ["body", "widgets", at, "layout"],
					msg: `The widgets ${other.key} and ${widget.key} overlap`,
				});
		}
}

function overlap({ layout: a }: WidgetBody, { layout: b }: WidgetBody): boolean {
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Whether a check does not throw; what it throws is noted as about the place. */
function isSound(issues: Issue[], place: Place, check: () => unknown): boolean {
	try {
		check();
		return true;
	} catch (error) {
		issues.push(...issuesOf(error, []).map((issue) => ({ ...issue, loc: ["body", ...place] })));
		return false;
	}
}

function issuesOf(error: unknown, place: Place): Issue[] {
	if (error instanceof ValidationError)
		return error.issues.map((issue) => ({ ...issue, loc: [...place, ...issue.loc] }));
	if (error instanceof UserError) return [{ type: error.code, loc: place, msg: error.message }];
	throw error;
}
