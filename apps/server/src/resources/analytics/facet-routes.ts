import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { joinTexts, parseFilter } from "#http/filter-param.ts";
import type { AnalyticsRows, GroupBy } from "#storage/traces/analytics/analytics-query.ts";
import { TARGETS } from "#storage/traces/analytics/analyze-lists.ts";
import { getProject } from "../projects/queries.ts";
import type { AnalyticsQuestions } from "./ask-analytics.ts";
import { rangeOf } from "./asked-range.ts";
import { sampleAttributeKeys } from "./attribute-keys.ts";
import { AttributeKey, AttributeKeysQuery, Facet, FacetsQuery } from "./facet-schemas.ts";
import { findFacets } from "./facets.ts";
import { readGroupBy } from "./group-fields.ts";
import { withLabels } from "./group-labels.ts";
import { facetsWithKeyIds } from "./key-ids.ts";
import { refuseValue } from "./refuse-value.ts";

/** What the values and the attributes of a project's rows are, to build filters from. */
export function facetRoutes(app: App, context: Context, questions: AnalyticsQuestions): void {
	const { db, config, now } = context;

	app.get(
		"/v1/projects/:project_identifier/facets",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectFacets",
				tags: ["analytics"],
				summary: "Count the values of fields",
				description:
					"Values are counted in the rows that fit the filter, but for the parts at its top level that compare this very field: so each other value says how many rows it would add.",
				params: z.object({ project_identifier: z.string() }),
				querystring: FacetsQuery,
				response: { 200: z.object({ data: z.array(Facet) }) },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const { of, limit } = query;
			const { condition, text } = parseFilter(TARGETS[of], query.filter);
			const question = {
				...{ of, projectId: project.id, condition, limit },
				...rangeOf(query, now()),
				text: joinTexts(undefined, text),
				fields: new Map(query.field.map((name) => [name, readField(of, name)])),
				contains: query.value_contains === "" ? undefined : query.value_contains,
				timeoutMs: config.SERVICE_ANALYTICS_TIMEOUT_SECONDS * 1_000,
			};
			const facets = await findFacets(questions, actor.traces, question, askerOf(request, reply));
			const source = { db: db.read, rights: actor.rights, projectIds: [project.id] };
			return { data: await withLabels(source, await facetsWithKeyIds(db.read, facets)) };
		},
	);

	app.get(
		"/v1/projects/:project_identifier/attribute_keys",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listProjectAttributeKeys",
				tags: ["analytics"],
				summary: "List the keys of attributes, metadata, resources and annotations",
				description: "What the newest rows have, at most 2,000; at most 500 keys, the most frequent first.",
				params: z.object({ project_identifier: z.string() }),
				querystring: AttributeKeysQuery,
				response: {
					200: z.object({
						data: z.array(AttributeKey),
						sampled: z.int().describe("How many rows were looked at."),
					}),
				},
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const asked = { of: query.of, projectId: project.id, prefix: query.prefix, caller: askerOf(request, reply) };
			return await sampleAttributeKeys(db.read, actor.traces, asked);
		},
	);
}

/** @throws ValidationError `unknown_group` */
function readField(of: AnalyticsRows, name: string): GroupBy {
	const by = readGroupBy(of, name, "field");
	if (by.type === "field" && by.name === "project")
		throw refuseValue("unknown_group", "field", "Input should be a field of rows of one project", name);
	return by;
}
