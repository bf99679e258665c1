import { z } from "zod";
import { mayCall } from "#access/auth/may-call.ts";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { ambiguous } from "#http/ambiguous-id.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId, isGlobalId } from "#http/global-ids.ts";
import { fromJsonText } from "#http/json-values.ts";
import { Variant } from "#models/variant.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type { StoredSpan } from "#storage/traces/trace-store.ts";
import { getExperiment } from "../experiments/queries.ts";
import { getProject } from "../projects/queries.ts";
import { toVersion } from "../prompts/to-prompt.ts";
import { getVersion } from "../prompts/versions.ts";
import { getSpan } from "../spans/queries.ts";
import { PlaygroundSource, PlaygroundSourceQuery } from "./schemas.ts";

type Source = z.output<typeof PlaygroundSource>;
type Query = z.output<typeof PlaygroundSourceQuery>;

/** What an experiment that the server ran has of its own; the rest of it is about the job. */
const Task = z.object({ variant: Variant });

/** What reads spans is loaded with the first request. */
export function playgroundSourceRoutes(app: App, { auth, db }: Pick<Context, "auth" | "db">): void {
	app.get(
		"/v1/playground/sources",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getPlaygroundSource",
				tags: ["playground"],
				summary: "A model call, a prompt version or an experiment as a variant of the playground",
				description:
					"Nothing is guessed: what was not recorded of a model call is absent, and `not_captured` says so. Addresses of images are not fetched.",
				querystring: PlaygroundSourceQuery,
				response: { 200: z.object({ data: PlaygroundSource }) },
			},
		},
		async ({ actor, query }) => ({ data: await findSource(actor, query) }),
	);

	async function findSource(actor: Actor, query: Query): Promise<Source> {
		if (query.prompt_version_id !== undefined) return await ofVersion(actor, query.prompt_version_id);
		if (query.experiment_id !== undefined) return await ofExperiment(actor, query.experiment_id);
		return await ofSpan(actor, await findSpan(actor, query));
	}

	async function findSpan(actor: Actor, { span_id: spanId = "", trace_id: traceId, project }: Query) {
		const projectId = project === undefined ? undefined : (await getProject(db.read, actor, project)).id;
		const span =
			traceId === undefined || isGlobalId(spanId)
				? await getSpan(actor.traces, spanId, projectId)
				: await spanOfTrace(actor, { spanId, traceId, projectId });
		actor.enter(span.summary.projectId);
		return span;
	}

	async function ofSpan(actor: Actor, stored: StoredSpan): Promise<Source> {
		const { summary } = stored;
		if (summary.kind !== "LLM") {
			const message = `Only calls of models open in the playground; this span is of the kind ${summary.kind}.`;
			throw new UserError(422, "not_a_model_call", message);
		}
		const { replaySpan } = await import("./replay.ts");
		const { content, model, provider, variables, notCaptured } = replaySpan(understandSpan(stored).input);
		return {
			variant: {
				connection_id: await connectionFor(actor, provider, model),
				model: model ?? null,
				label: null,
				...content,
			},
			variables: { ...variables },
			not_captured: [...notCaptured],
			provider: provider ?? null,
			prompt_version_id: null,
			project_id: encodeGlobalId("Project", summary.projectId),
		};
	}

	async function ofVersion(actor: Actor, versionId: string): Promise<Source> {
		const row = await getVersion(db.read, actor, versionId);
		const version = toVersion(row);
		const { model_provider: provider, model_name: model } = version;
		return {
			variant: {
				connection_id: await connectionFor(actor, provider, model),
				...{ model, label: null, messages: version.template.messages, template_format: version.template_format },
				invocation_parameters: version.invocation_parameters,
				tools: version.tools ?? null,
				response_format: version.response_format ?? null,
			},
			variables: {},
			not_captured: [],
			provider,
			prompt_version_id: version.id,
			project_id: await homeOfPrompt(row.prompt_id),
		};
	}

	async function homeOfPrompt(promptId: number): Promise<string | null> {
		const prompt = await db.read
			.selectFrom("prompts")
			.select("project_id")
			.where("id", "=", promptId)
			.executeTakeFirst();
		const home = prompt?.project_id ?? null;
		return home === null ? null : encodeGlobalId("Project", home);
	}

	async function ofExperiment(actor: Actor, experimentId: string): Promise<Source> {
		const experiment = await getExperiment(db.read, actor, experimentId);
		if (experiment.task === null) {
			const message = "This experiment was run by a program of its own: the server does not know what it called.";
			throw new UserError(422, "experiment_without_task", message);
		}
		const { variant } = Task.parse(fromJsonText(experiment.task));
		const project_id = experiment.home === null ? null : encodeGlobalId("Project", experiment.home);
		const { connection_id, model, label = null, prompt_version_id: versionId, ...content } = variant;
		if (versionId !== undefined) {
			const source = await ofVersion(actor, versionId);
			const own = { connection_id, label, model: model ?? source.variant.model };
			return { ...source, variant: { ...source.variant, ...own }, project_id };
		}
		return {
			variant: {
				...{ connection_id, label, model: model ?? null, messages: content.messages ?? [] },
				template_format: content.template_format ?? "MUSTACHE",
				invocation_parameters: content.invocation_parameters ?? null,
				tools: content.tools ?? null,
				response_format: content.response_format ?? null,
			},
			...{ variables: {}, not_captured: [], provider: null, prompt_version_id: null, project_id },
		};
	}

	async function connectionFor(
		{ principal }: Actor,
		provider: string | undefined,
		model: string | undefined,
	): Promise<string | null> {
		const isAdmin = mayCall(principal, "admin");
		const { findConnection } = await import("./preselect.ts");
		const id = await findConnection(db.read, { provider, model, isAdmin, needsConfirmed: auth.enabled });
		return id === undefined ? null : encodeGlobalId("ModelConnection", id);
	}
}

/** @throws UserError 404; 409 naming the global ids when several projects have it */
async function spanOfTrace(
	{ traces }: Actor,
	{ spanId, traceId, projectId }: { spanId: string; traceId: string; projectId: number | undefined },
): Promise<StoredSpan> {
	const within = projectId === undefined ? { traceId } : { traceId, projectId };
	const found = await traces.findSpansBySpanId(spanId, within);
	const [span] = found;
	const where = `in trace ${traceId.slice(0, 100)}`;
	if (span === undefined) throw notFound("span_not_found", `Span ${spanId.slice(0, 100)} not found ${where}`);
	// The same span may be stored twice with different start times; the first is shown everywhere.
	if (new Set(found.map(({ summary }) => summary.projectId)).size > 1) {
		throw ambiguous(
			"span",
			found.map(({ summary }) => encodeGlobalId("Span", summary.id)),
		);
	}
	return span;
}
