import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { keyLimited } from "#http/access-policy.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { csvLine } from "#http/csv-line.ts";
import { joinTexts, parseFilter } from "#http/filter-param.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { homesOf } from "#http/principal.ts";
import { sendText } from "#http/text-answers.ts";
import { readSpendState } from "#storage/spend-state.ts";
import type { AnalyticsAnswer, AnalyticsQuery, AnalyticsRows } from "#storage/traces/analytics/analytics-query.ts";
import { TARGETS } from "#storage/traces/analytics/analyze-lists.ts";
import { MEASURE_FUNCTIONS, MEASURES, type Measure } from "#storage/traces/analytics/measures.ts";
import { getProject, listProjects } from "../projects/queries.ts";
import { listDeletedProjects } from "../spend/queries.ts";
import { toCsvLines, toWire, type WireQuestion } from "./analytics-views.ts";
import { TARGET_COUNTS } from "./annotation-groups.ts";
import type { AnalyticsQuestions } from "./ask-analytics.ts";
import { rangeOf } from "./asked-range.ts";
import { autoBucket, BUCKETS, COMPARISONS, comparedEdges, edgesOf, NAMED_RANGES } from "./calendar.ts";
import { groupsOf, readGroupBy } from "./group-fields.ts";
import { findLabels } from "./group-labels.ts";
import { analyzeIngest } from "./ingest-analytics.ts";
import { withKeyIds } from "./key-ids.ts";
import { readDistribution } from "./read-distribution.ts";
import { NUMBER_FIELDS, readMeasure } from "./read-measures.ts";
import { refuseValue } from "./refuse-value.ts";
import {
	Analytics,
	AnalyticsQueryParams,
	AnalyticsSchema,
	OF,
	ProjectAnalyticsQuery,
	type Question,
} from "./schemas.ts";
import { analyzeSpend } from "./spend-analytics.ts";

/** Of one answer: groups, buckets and measures multiplied. */
const MOST_VALUES = 200_000;
const MOST_WITH_BUCKETS = 100;
const MOST_PROJECTS = 10_000;
/** It is kept by quarters of an hour. */
const BUCKETS_OF_SPEND = BUCKETS.slice(BUCKETS.indexOf("15_minutes"));

interface AskedProject {
	readonly id: number;
	readonly name: string;
}

/** One question about many spans, traces or sessions. */
export function analyticsRoutes(app: App, context: Context, questions: AnalyticsQuestions): void {
	const { db, config, now } = context;
	const description =
		"Counts, sums, rates and percentiles by group and time, exactly of the range that is asked about, or as far as time allows: then `is_partial` is true. Unknown parameters are refused. `Accept: text/csv` gives the table.";

	const readerOf = (request: Pick<FastifyRequest, "actor">, of: AnalyticsRows) => {
		if (of === "ingest") return { analyze: (query: AnalyticsQuery) => analyzeIngest(db.read, query) };
		if (of === "spend") return { analyze: (query: AnalyticsQuery) => analyzeSpend(db.read, query) };
		return request.actor.traces;
	};

	/** Those that are seen, of what was spent the deleted ones as well, where there is nothing that is not seen. */
	const projectsOf = async (
		{ rights }: FastifyRequest["actor"],
		of: AnalyticsRows,
	): Promise<readonly AskedProject[]> => {
		const there = await listProjects(db.read, rights, { limit: MOST_PROJECTS });
		if (of !== "spend" || rights.projects !== "all") return there;
		return [...there, ...(await listDeletedProjects(db.read, MOST_PROJECTS))];
	};

	const labelsOf = async (
		{ query, groupNames }: WireQuestion,
		{ groups }: AnalyticsAnswer,
		{ rights }: Pick<Actor, "rights">,
	) => {
		const source = { db: db.read, rights, projectIds: query.projectIds };
		return await Promise.all(
			groupNames.map((name, place) =>
				findLabels(
					source,
					name,
					groups.map(({ group }) => group[place] ?? null),
				),
			),
		);
	};

	const answer = async (
		request: Pick<FastifyRequest, "actor" | "principal" | "ip" | "headers">,
		reply: FastifyReply,
		asked: Question,
		projects: readonly AskedProject[],
	) => {
		const begun = performance.now();
		const timeoutMs = config.SERVICE_ANALYTICS_TIMEOUT_SECONDS * 1_000;
		const question = readQuestion(asked, projects, { nowMicros: now(), timeoutMs });
		const answered = await questions.ask(readerOf(request, asked.of), question.query, askerOf(request, reply));
		const found = await withKeyIds(db.read, question.groupNames, answered);
		if (asked.strict && found.isBehind) throw stillGrouped();
		if (asked.strict && found.coveredMicros !== undefined) {
			if (asked.of === "spend" && (await readSpendState(db.read)).isFilling) throw stillCounted();
			throw new UserError(
				503,
				"analytics_too_slow",
				"This cannot be answered completely in the time that a question has; ask about a shorter time, or with a filter.",
			);
		}
		const labels = await labelsOf(question, found, request.actor);
		const data = toWire(question, found, { tookMs: Math.round(performance.now() - begun), labels });
		if (!/\btext\/csv\b/i.test(request.headers.accept ?? "")) return { data };
		return sendText(
			reply,
			[...toCsvLines(data)].map((cells) => csvLine(cells, { escapeFormulas: true })).join(""),
			"text/csv",
		);
	};

	app.get(
		"/v1/projects/:project_identifier/analytics",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectAnalytics",
				tags: ["analytics"],
				summary: "Ask about many spans, traces or sessions of a project",
				description,
				params: z.object({ project_identifier: z.string() }),
				querystring: ProjectAnalyticsQuery,
				response: { 200: z.object({ data: Analytics }) },
			},
		},
		async (request, reply) => {
			if (request.query.of === "ingest")
				throw refuseValue("invalid_parameter", "of", "Input should not be ingest, which GET /v1/analytics answers");
			const project = await getProject(db.read, request.actor, request.params.project_identifier);
			return await answer(request, reply, request.query, [project]);
		},
	);

	app.get(
		"/v1/analytics",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getAnalytics",
				tags: ["analytics"],
				summary: "Ask about many spans, traces or sessions of several projects",
				description,
				querystring: AnalyticsQueryParams,
				response: { 200: z.object({ data: Analytics }) },
			},
		},
		async (request, reply) => {
			const { actor, query } = request;
			const { project: identifiers, ...asked } = query;
			if (asked.of === "ingest") {
				if (identifiers !== undefined) throw refuseOfIngest("project");
				// It is about the service, not about the projects that a key is limited to.
				if (homesOf(request.principal) !== undefined) throw keyLimited();
				return await answer(request, reply, asked, []);
			}
			const projects =
				identifiers === undefined
					? await projectsOf(actor, asked.of)
					: await Promise.all(identifiers.map((identifier) => getProject(db.read, actor, identifier)));
			return await answer(request, reply, asked, [...new Map(projects.map((each) => [each.id, each])).values()]);
		},
	);

	app.get(
		"/v1/analytics/schema",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "getAnalyticsSchema",
				tags: ["analytics"],
				summary: "What can be asked: rows, measures, groups",
				response: { 200: z.object({ data: AnalyticsSchema }) },
			},
		},
		async () => ({ data: SCHEMA }),
	);
}

const SCHEMA: z.output<typeof AnalyticsSchema> = {
	rows: OF.map((of) => ({
		of,
		measures: Object.entries(MEASURES[of]).map(([name, { unit, isApproximate, description }]) => ({
			name,
			unit,
			is_approximate: isApproximate === true,
			description,
		})),
		number_fields: Object.keys(NUMBER_FIELDS[of]),
		groups: groupsOf(of),
	})),
	functions: [...MEASURE_FUNCTIONS],
	buckets: ["none", "auto", ...BUCKETS],
	ranges: [...NAMED_RANGES],
	comparisons: [...COMPARISONS],
};

/** @throws UserError, ValidationError 422; UserError 400 for a filter */
export function readQuestion(
	asked: Question,
	projects: readonly AskedProject[],
	{ nowMicros, timeoutMs }: { readonly nowMicros: number; readonly timeoutMs: number },
): WireQuestion {
	const { of, time_zone: timeZone, limit } = asked;
	if (of === "ingest")
		for (const parameter of ["filter", "distribution"] as const)
			if (asked[parameter] !== undefined) throw refuseOfIngest(parameter);
	if (of === "spend") refuseOfSpend(asked);
	const [first = "count"] = Object.keys(MEASURES[of]);
	const measureNames = [...new Set(asked.measure ?? [first])];
	const spread = readDistribution(asked);
	const measures: Measure[] =
		spread === undefined
			? measureNames.map((name) => readMeasure(of, name))
			: [{ type: "function", function: "count", value: spread.value }];
	const groupNames = asked.group_by ?? [];
	const groupBy = groupNames.map((name) => readGroupBy(of, name));
	const { condition, text: words } = parseFilter(TARGETS[of], asked.filter);
	const text = joinTexts(asked.q, words);
	const range = rangeOf(asked, nowMicros);
	const bucket =
		asked.bucket === "auto" ? autoBucket(range, of === "spend" ? BUCKETS_OF_SPEND : BUCKETS) : asked.bucket;
	const edges = edgesOf(range, bucket, timeZone);
	const isTooMany = bucket !== "none" && groupBy.length > 0 && limit > MOST_WITH_BUCKETS;
	const valuesEach = spread === undefined ? measures.length * (limit + 2) : spread.query.bins;
	if (isTooMany || (edges.length - 1) * valuesEach > MOST_VALUES) {
		throw new UserError(
			422,
			"too_many_values",
			`The answer would have too many values: at most ${MOST_WITH_BUCKETS} groups with buckets, and ${MOST_VALUES} values in all. Take a smaller \`limit\`, fewer measures or a larger \`bucket\`.`,
		);
	}
	for (const parameter of ["annotation_name", "annotator_kind"] as const)
		if (of !== "annotations" && asked[parameter] !== undefined)
			throw refuseValue("invalid_parameter", parameter, "Input should be absent unless `of` is annotations");
	const query: AnalyticsQuery = {
		of,
		...(asked.annotation_name === undefined ? {} : { annotationNames: asked.annotation_name }),
		...(asked.annotator_kind === undefined ? {} : { annotatorKinds: asked.annotator_kind }),
		projectIds: projects.map(({ id }) => id),
		...(condition === undefined ? {} : { condition }),
		...(text === undefined ? {} : { text }),
		edges,
		...(asked.compare === undefined ? {} : { previousEdges: comparedEdges(edges, asked.compare, timeZone) }),
		groupBy,
		measures: of === "annotations" && spread === undefined ? [...measures, ...TARGET_COUNTS] : measures,
		sort: sortOf(asked.sort, measureNames),
		...(spread === undefined ? {} : { distribution: spread.query }),
		limit,
		timeoutMs,
	};
	return {
		query,
		measureNames,
		groupNames,
		distributionOf: asked.distribution,
		bucket,
		timeZone,
		filter: condition === undefined ? undefined : asked.filter?.trim(),
		words: text,
		projects: new Map(projects.map(({ id, name }) => [id, { id: encodeGlobalId("Project", id), name }])),
	};
}

function stillGrouped(): UserError {
	return new UserError(
		503,
		"analytics_too_slow",
		"Some errors of this time are still to be grouped; ask again in a minute.",
		{ retryAfter: 10 },
	);
}

function stillCounted(): UserError {
	return new UserError(
		503,
		"analytics_too_slow",
		"What was spent before the upgrade is still being counted; ask about a later time, or again in some minutes.",
		{ retryAfter: 60 },
	);
}

/** @throws ValidationError for what nothing is kept of */
function refuseOfSpend(asked: Question): void {
	for (const parameter of ["filter", "q", "distribution"] as const)
		if (asked[parameter] !== undefined)
			throw refuseValue("invalid_parameter", parameter, "Input should be absent where `of` is spend");
	const { bucket } = asked;
	if (bucket === "none" || bucket === "auto" || BUCKETS_OF_SPEND.includes(bucket)) return;
	const message = `Input should be none, auto, ${BUCKETS_OF_SPEND.join(", ")} where \`of\` is spend`;
	throw refuseValue("invalid_parameter", "bucket", message);
}

function refuseOfIngest(parameter: string): Error {
	return refuseValue("invalid_parameter", parameter, "Input should be absent where `of` is ingest");
}

function sortOf(text: string | undefined, measures: readonly string[]): AnalyticsQuery["sort"] {
	if (text === undefined) return { by: 0, descending: true };
	const descending = text.startsWith("-");
	const name = descending ? text.slice(1) : text;
	const by = name === "group" ? name : measures.indexOf(name);
	if (by !== -1) return { by, descending };
	throw refuseValue(
		"unknown_sort",
		"sort",
		`Input should be group or a measure of the question, ${measures.join(", ")}, with - before it to descend`,
	);
}
