import type { Keyset } from "../trace-store.ts";
import type { AnalyticsQuery, Range } from "./analytics-query.ts";
import {
	type AnalyticsLists,
	type AskedPage,
	type AskedRow,
	ROWS,
	ROWS_WITH_CONTENT,
	RowReaders,
} from "./analyze-lists.ts";
import type { OccurrenceRow } from "./occurrence-reader.ts";
import { AnalyticsPlan } from "./plan.ts";
import type { SpanFacts } from "./row-numbers.ts";

/**
 * The occurrences of errors of a project as rows, at the start of their spans; the newest first. They end where older
 * ones are still to be noted.
 */
export async function* listErrors<Span extends SpanFacts>(
	lists: AnalyticsLists<Span>,
	plan: AnalyticsPlan,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> {
	const { occurrences } = lists;
	const notedFrom = (await occurrences.notedFrom()) ?? range.startMicros;
	const startMicros = Math.min(Math.max(range.startMicros, notedFrom), range.endMicros);
	const noted = { startMicros, endMicros: range.endMicros };
	const ofSpans = planOfSpans(plan.query);
	const combine = combiner(plan, ofSpans);
	const limit = plan.needsContent ? ROWS_WITH_CONTENT : ROWS;
	for (let before: Keyset | undefined; ; ) {
		const found = await occurrences.list(projectId, noted, { limit, ...(before === undefined ? {} : { before }) });
		const spans = await spansOf(lists, plan, { ...noted, projectId, rowIds: found.map((row) => row.span_row_id) });
		const asked = await new RowReaders(lists, ofSpans).spans(spans);
		const bySpan = new Map(found.map((row) => [row.span_row_id, row]));
		const rows = spans.flatMap(({ id }, index) => {
			const [row, occurrence] = [asked[index], bySpan.get(id)];
			return row === undefined || occurrence === undefined ? [] : [combine(row, occurrence)];
		});
		const last = found.length < limit ? undefined : found.at(-1);
		// Others may start in the same microsecond.
		yield { rows, reachedMicros: last === undefined ? startMicros : Math.max(startMicros, last.start_micros + 1) };
		if (last === undefined) return;
		before = { value: last.start_micros, id: last.id };
	}
}

/** Those of the spans that the question's filter selects. */
async function spansOf<Span extends SpanFacts>(
	lists: AnalyticsLists<Span>,
	{ query: { condition, text } }: AnalyticsPlan,
	{ rowIds, ...rest }: Range & { readonly projectId: number; readonly rowIds: readonly number[] },
): Promise<readonly Span[]> {
	const found: Span[] = [];
	if (rowIds.length === 0) return found;
	for (let from: Keyset | undefined; ; ) {
		const page = await lists.spans({
			...{ ...rest, rowIds, sort: "start_time", order: "desc", limit: rowIds.length },
			...(condition === undefined ? {} : { condition }),
			...(text === undefined ? {} : { text }),
			...(from === undefined ? {} : { from }),
		});
		found.push(...page.items);
		from = page.next;
		if (from === undefined) return found;
	}
}

/** Measures that count the same of occurrences and of their spans. */
const OF_SPANS: ReadonlySet<string> = new Set(["unique_traces", "unique_sessions", "unique_users"]);

/** What is asked of the spans. */
function planOfSpans(query: AnalyticsQuery): AnalyticsPlan {
	return new AnalyticsPlan({
		...query,
		of: "spans",
		groupBy: query.groupBy.filter(({ type }) => type !== "occurrence"),
		measures: query.measures.filter((measure) => measure.type === "function" || isOfSpans(measure)),
	});
}

function isOfSpans(measure: AnalyticsQuery["measures"][number]): boolean {
	return measure.type === "named" && OF_SPANS.has(measure.name);
}

/** How an occurrence and its span are seen as one row. */
function combiner(
	{ query, parts }: AnalyticsPlan,
	ofSpans: AnalyticsPlan,
): (row: AskedRow, occurrence: OccurrenceRow) => AskedRow {
	const groups = query.groupBy.map((by) => {
		if (by.type === "occurrence") return (_row: AskedRow, occurrence: OccurrenceRow) => occurrence[by.name];
		const place = ofSpans.query.groupBy.indexOf(by);
		return (row: AskedRow) => row.groups[place] ?? null;
	});
	const quantities = parts.quantities.map((name) => ofSpans.parts.quantities.indexOf(name));
	const identities = parts.identities.map((name) => {
		if (name === "group") return (_row: AskedRow, occurrence: OccurrenceRow) => occurrence.group_id;
		const place = ofSpans.parts.identities.indexOf(name);
		return (row: AskedRow) => row.identities[place] ?? null;
	});
	return (row, occurrence) => ({
		micros: row.micros,
		groups: groups.map((read) => read(row, occurrence)),
		quantities: quantities.map((place) => row.quantities[place] ?? null),
		identities: identities.map((read) => read(row, occurrence)),
	});
}
