import type { Condition } from "@spanward/filter-language";
import type { z } from "zod";
import type { AnalyticsRows, GroupBy, Range } from "#storage/traces/analytics/analytics-query.ts";
import type { ValueCounts } from "#storage/traces/analytics/count-values.ts";
import type { Caller, TraceReader } from "#storage/traces/trace-store.ts";
import type { AnalyticsQuestions } from "./ask-analytics.ts";
import type { Facet } from "./facet-schemas.ts";
import { filterOfGroup, shownValue } from "./group-fields.ts";
import { withoutField } from "./other-parts.ts";

/** What a page asks about the values of some fields of a project's rows. */
export interface FacetsQuestion extends Range {
	readonly of: AnalyticsRows;
	readonly projectId: number;
	readonly condition: Condition | undefined;
	readonly text: string | undefined;
	/** By name. */
	readonly fields: ReadonlyMap<string, GroupBy>;
	readonly contains: string | undefined;
	readonly limit: number;
	readonly timeoutMs: number;
}

/** Fields that are counted by one look at the same rows. */
interface Pass {
	readonly condition: Condition | undefined;
	readonly needsContent: boolean;
	readonly fields: (readonly [name: string, by: GroupBy])[];
}

/**
 * The values of each field, in the order of the fields, of rows that fit all of the filter but what it says about this
 * very field. All looks together have the time of one question.
 */
export async function findFacets(
	questions: AnalyticsQuestions,
	traces: Pick<TraceReader, "countValues">,
	question: FacetsQuestion,
	caller: Caller,
): Promise<z.output<typeof Facet>[]> {
	const deadline = performance.now() + question.timeoutMs;
	const { of, projectId, text, startMicros, endMicros, contains, limit, fields } = question;
	const found = new Map<string, z.output<typeof Facet>>();
	const passes = passesOf(question);
	for (const [index, pass] of passes.entries()) {
		const query = {
			...{ of, projectId, startMicros, endMicros, limit },
			...(pass.condition === undefined ? {} : { condition: pass.condition }),
			...(text === undefined ? {} : { text }),
			...(contains === undefined ? {} : { contains }),
			fields: pass.fields.map(([, by]) => by),
			timeoutMs: Math.max(1, Math.round((deadline - performance.now()) / (passes.length - index))),
		};
		const counts = await questions.countValues(traces, query, caller);
		for (const [place, [name, by]] of pass.fields.entries()) {
			const counted = counts[place];
			if (counted !== undefined) found.set(name, toFacet(of, name, by, counted));
		}
	}
	return Array.from(fields.keys(), (name) => found.get(name)).filter((facet) => facet !== undefined);
}

/** Those that read content last: they may take all the time that is left. */
function passesOf({ of, condition, fields }: FacetsQuestion): Pass[] {
	const passes = new Map<string, Pass>();
	for (const [name, by] of fields) {
		const others = condition === undefined ? undefined : withoutField(filteredBy(of), condition, by);
		const needsContent = by.type !== "field" && by.type !== "occurrence";
		const key = JSON.stringify([needsContent, others]);
		const pass = passes.get(key) ?? { condition: others, needsContent, fields: [] };
		pass.fields.push([name, by]);
		passes.set(key, pass);
	}
	return [...passes.values()].sort((a, b) => Number(a.needsContent) - Number(b.needsContent));
}

/** The rows of whose list a filter is. */
function filteredBy(of: AnalyticsRows): AnalyticsRows {
	return of === "errors" ? "spans" : of;
}

function toFacet(of: AnalyticsRows, field: string, by: GroupBy, counts: ValueCounts): z.output<typeof Facet> {
	return {
		field,
		values: counts.values.map(({ value, rows }) => ({
			...shownValue(value),
			count: rows,
			filter: filterOfGroup(filteredBy(of), [by], [value]) ?? null,
		})),
		distinct: counts.distinct,
		is_partial: counts.isPartial,
	};
}
