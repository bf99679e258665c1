import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { timeParam } from "#http/wire-times.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type { Caller, SpanFilter, StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import { getProject } from "../projects/queries.ts";
import { AttributeCounts, ValueCounts } from "./sampled-values.ts";
import { toAttributes } from "./span-views.ts";

const NEWEST = 200;
/** Older spans are taken at so many row numbers in even distances. */
const PLACES = 5;
const AT_A_PLACE = 20;
/** Of content, read at once. */
const MAX_BYTES = 1_024 * 1_024;
/** Bytes of content decoded between other work of the process. */
const TURN_BYTES = 65_536;

const SampledValue = z.object({ value: z.string(), span_count: z.int() }).meta({ id: "SampledValue" });
const values = z.array(SampledValue);
const SampledValues = z
	.object({
		span_count: z.int().describe("Spans that were looked at."),
		fields: z.object({
			name: values,
			root_name: values.describe("Names of spans without a parent id."),
			model: values,
			provider: values,
			session_id: values,
			user_id: values,
			release: values,
			environment: values,
		}),
		attributes: z.array(
			z.object({
				key: z.string(),
				type: z.enum(["text", "number", "boolean", "other"]).describe("Of most values."),
				span_count: z.int(),
				values: values.describe("The most frequent texts of up to 100 characters; none where all differ."),
			}),
		),
	})
	.meta({ id: "SampledValues" });

export function sampledValuesRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/sampled_values",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getSampledValues",
				tags: ["spans"],
				summary: "What filters may ask for: attributes and frequent values of a sample of spans",
				description: `The ${NEWEST} newest spans, and up to ${PLACES * AT_A_PLACE} older ones from all of the project's time; with the most frequent first.`,
				params: z.object({ project_identifier: z.string() }),
				querystring: z.object({
					start_time: timeParam.optional().describe("Inclusive, on the start of the span."),
					end_time: timeParam.optional().describe("Exclusive, on the start of the span."),
				}),
				response: { 200: SampledValues },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const filter: SpanFilter = {
				...(query.start_time === undefined ? {} : { startMicros: query.start_time }),
				...(query.end_time === undefined ? {} : { endMicros: query.end_time }),
			};
			const spans = await sample(actor.traces, project.id, filter, askerOf(request, reply));
			return await countValues(spans);
		},
	);
}

async function sample(
	traces: TraceReader,
	projectId: number,
	filter: SpanFilter,
	caller: Caller,
): Promise<readonly StoredSpan[]> {
	const shared = { ...filter, caller, projectId, sort: "id", maxContentBytes: MAX_BYTES } as const;
	const { items, next } = await traces.listStoredSpans({ ...shared, order: "desc", limit: NEWEST });
	if (next === undefined) return items;
	const [oldest] = (await traces.listSpans({ ...shared, order: "asc", limit: 1 })).items;
	if (oldest === undefined) return items;
	const all = [...items];
	for (let place = 0; place < PLACES; place += 1) {
		const id = Math.floor(next.id - ((next.id - oldest.id) * place) / PLACES);
		const from = { id, value: id };
		const page = await traces.listStoredSpans({ ...shared, order: "desc", limit: AT_A_PLACE, from });
		all.push(...page.items);
	}
	return [...new Map(all.map((stored) => [stored.summary.id, stored])).values()];
}

async function countValues(spans: readonly StoredSpan[]): Promise<z.output<typeof SampledValues>> {
	const attributes = new AttributeCounts();
	const counts = {
		name: new ValueCounts(),
		root_name: new ValueCounts(),
		model: new ValueCounts(),
		provider: new ValueCounts(),
		session_id: new ValueCounts(),
		user_id: new ValueCounts(),
		release: new ValueCounts(),
		environment: new ValueCounts(),
	};
	let bytes = 0;
	for (const stored of spans) {
		const { summary, content } = stored;
		attributes.add(toAttributes(understandSpan(stored)));
		counts.name.add(summary.name);
		if (summary.parentSpanId === null) counts.root_name.add(summary.name);
		counts.model.add(summary.model);
		counts.provider.add(summary.provider);
		counts.session_id.add(summary.sessionId);
		counts.user_id.add(summary.userId);
		counts.release.add(summary.release);
		counts.environment.add(summary.environment);
		bytes += content.span.length;
		if (bytes < TURN_BYTES) continue;
		bytes = 0;
		await nextTurn();
	}
	return {
		span_count: spans.length,
		fields: {
			name: counts.name.top(),
			root_name: counts.root_name.top(),
			model: counts.model.top(),
			provider: counts.provider.top(),
			session_id: counts.session_id.top(),
			user_id: counts.user_id.top(),
			release: counts.release.top(),
			environment: counts.environment.top(),
		},
		attributes: attributes.top(),
	};
}
