import { z } from "zod";
import { notFound } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { booleanParam, countParam, daysParam } from "#http/query-params.ts";
import type { Rights } from "#http/rights.ts";
import { formatTime } from "#http/wire-times.ts";
import { getProject } from "../projects/queries.ts";
import { DEFAULT_POLICY, findPolicy, getPolicy, type Policy, type RetentionLimits } from "./queries.ts";
import { ruleOf } from "./rule.ts";
import { ProjectRetention, RetentionAnswer, RetentionPreview, SetRetentionBody } from "./schemas.ts";
import { toRetentionPolicy } from "./to-retention.ts";

const params = z.object({ project_identifier: z.string() });

/** The retention policy of a project. */
export function projectRetentionRoutes(app: App, { config, db, now }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/retention",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectRetention",
				tags: ["projects"],
				summary: "Fetch the retention policy of a project",
				params,
				response: { 200: z.object({ data: ProjectRetention }) },
			},
		},
		async ({ actor, params }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const policy = await getPolicyOf(project.retention_policy_id, actor.rights);
			return { data: { ...toAnswer(project), policy: toRetentionPolicy(policy, now()) } };
		},
	);

	app.patch(
		"/v1/projects/:project_identifier/retention",
		{
			config: { access: "admin", home: "project", whenFull: "allowed" },
			schema: {
				operationId: "setProjectRetentionPolicy",
				tags: ["projects"],
				summary: "Set the retention policy of a project",
				params,
				body: SetRetentionBody,
				response: { 200: RetentionAnswer },
			},
		},
		async ({ params, body, actor }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const set = await actor.change(async (transaction) => {
				const policy = body.policy_id === null ? undefined : await getPolicy(transaction, config, body.policy_id);
				const policyId = policy === undefined || policy.id === DEFAULT_POLICY ? null : policy.id;
				return await transaction
					.updateTable("projects")
					.set({ retention_policy_id: policyId })
					.where("id", "=", project.id)
					.returning(["id", "retention_policy_id"])
					.executeTakeFirst();
			});
			if (set === undefined) throw notFound("project_not_found", `Project ${project.name} was deleted`);
			return { data: toAnswer(set) };
		},
	);

	app.get(
		"/v1/projects/:project_identifier/retention/preview",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "previewProjectRetention",
				tags: ["projects"],
				summary: "Say which traces a retention policy would delete now; nothing is deleted",
				description: "Without parameters it is about the policy that the project has, else about what they say.",
				params,
				querystring: z.object({
					max_days: daysParam.optional(),
					max_traces: countParam(1_000_000_000_000).optional(),
					keep_annotated: booleanParam.optional(),
				}),
				response: { 200: z.object({ data: RetentionPreview }) },
			},
		},
		async ({ actor, params, query }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const limits = Object.values(query).every((value) => value === undefined)
				? await getPolicyOf(project.retention_policy_id, actor.rights)
				: given(query);
			const rule = ruleOf(project.id, limits, now());
			const preview = await actor.traces.previewRetention(rule);
			return {
				data: {
					project_id: encodeGlobalId("Project", project.id),
					max_days: limits.max_days,
					max_traces: limits.max_traces,
					keep_annotated: limits.keep_annotated,
					deleted_traces: preview.expired,
					kept_traces: preview.kept,
					remaining_traces: preview.total - preview.expired,
					oldest: preview.oldestMicros === null ? null : formatTime(preview.oldestMicros),
					newest: preview.newestMicros === null ? null : formatTime(preview.newestMicros),
					traces: preview.first.map((trace) => ({
						id: encodeGlobalId("Trace", trace.id),
						trace_id: trace.traceId,
						root_name: trace.rootName,
						start_time: formatTime(trace.start.micros),
						span_count: trace.spanCount,
					})),
				},
			};
		},
	);

	/** Falls back to the default policy when the policy was deleted meanwhile. */
	async function getPolicyOf(policyId: number | null, rights: Rights): Promise<Policy> {
		const policy = await findPolicy(db.read, config, policyId ?? DEFAULT_POLICY, rights);
		return policy ?? (await getPolicyOf(null, rights));
	}
}

function toAnswer({ id, retention_policy_id: policyId }: { id: number; retention_policy_id: number | null }) {
	return {
		project_id: encodeGlobalId("Project", id),
		policy_id: policyId === null ? null : encodeGlobalId("ProjectTraceRetentionPolicy", policyId),
	};
}

function given(query: {
	max_days?: number | undefined;
	max_traces?: number | undefined;
	keep_annotated?: boolean | undefined;
}): RetentionLimits {
	return {
		max_days: query.max_days ?? null,
		max_traces: query.max_traces ?? null,
		keep_annotated: query.keep_annotated ?? false,
	};
}
