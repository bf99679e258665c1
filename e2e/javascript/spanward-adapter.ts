import * as own from "@spanward/client";
import type { ClientModules } from "./client-under-test.ts";

/**
 * What the released client offers, on top of our own, so that the same checks run with both: names and forms differ,
 * nothing else. What each function is given and answers is that of the released one, whose types the checks have.
 */
type Given = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: the types are those of the released client, at the end of this file
type Options = Record<string, any> & { readonly client: AdaptedClient };

interface AdaptedClient {
	readonly spanward: own.Spanward;
}

function createClient({ options }: { options: { baseUrl?: string; headers?: Record<string, string> } }) {
	const spanward = new own.Spanward(options);
	return { spanward, GET: calling("get"), POST: calling("post"), PUT: calling("put"), DELETE: calling("delete") };

	function calling(method: "get" | "post" | "put" | "delete") {
		const call = spanward.api[method] as (path: string, parts: Given) => Promise<unknown>;
		return async (path: string, { params = {}, body }: { params?: Given; body?: unknown } = {}) => ({
			data: await call(path, { ...params, ...(body === undefined ? {} : { body }) }),
		});
	}
}

/** `projectName` as `project_name`. */
function toSnake(members: Given): Record<string, unknown> {
	const named = ([name, value]: [string, unknown]) => [name.replace(/[A-Z]/g, (a) => `_${a.toLowerCase()}`), value];
	return Object.fromEntries(Object.entries(members).map(named));
}

function toCamel<T>(members: object): T {
	const named = ([name, value]: [string, unknown]) => [name.replace(/_(\w)/g, (_, a) => a.toUpperCase()), value];
	return Object.fromEntries(Object.entries(members).map(named));
}

function withoutUndefined(members: Given): Record<string, unknown> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function toAnnotation({ label, score, explanation, annotatorKind = "HUMAN", ...rest }: Given): never {
	const result = withoutUndefined({ label, score, explanation });
	return { ...toSnake(rest), annotator_kind: annotatorKind, result } as never;
}

/** Functions that add one annotation, and that log many. */
function annotating(name: "logSpans" | "logTraces" | "logSessions" | "logDocuments", member: string) {
	const log = async ({ client, sync = false }: Options, annotations: Given[]) => {
		const ids = await client.spanward.annotations[name](annotations.map(toAnnotation), { wait: sync });
		return ids.map((id) => ({ id }));
	};
	return {
		add: async (options: Options) => (await log(options, [options[member]]))[0] ?? null,
		log: async (options: Options) => await log(options, options[`${member}s`]),
	};
}

class SpanCreationError extends Error {
	constructor(report: Given) {
		super(String(report["error"]));
		Object.assign(this, toCamel<object>(report));
	}
}

const spans = {
	SpanCreationError,
	async getSpans({ client, project, cursor, limit = 100, ...filters }: Options) {
		const { parentId, spanKind, statusCode, name, attributes = {}, traceIds, startTime } = filters;
		const { data, next_cursor: nextCursor } = await client.spanward.api.get("/v1/projects/{project_identifier}/spans", {
			path: { project_identifier: project.projectName },
			query: withoutUndefined({
				cursor,
				limit,
				name,
				parent_id: parentId === null ? "null" : parentId,
				span_kind: spanKind,
				status_code: statusCode,
				trace_id: traceIds,
				start_time: startTime,
				attribute: Object.entries(attributes).map(([key, value]) => `${key}:${JSON.stringify(value)}`),
			}),
		});
		return { spans: data, nextCursor };
	},
	async logSpans({ client, project, spans: given }: Options) {
		try {
			const totalQueued = await client.spanward.spans.create(project.projectName, given);
			return { totalReceived: given.length, totalQueued };
		} catch (error) {
			throw error instanceof own.ApiError && error.report ? new SpanCreationError(error.report) : error;
		}
	},
	async deleteSpan({ client, spanIdentifier }: Options) {
		await client.spanward.spans.delete(spanIdentifier);
	},
	addSpanAnnotation: annotating("logSpans", "spanAnnotation").add,
	logSpanAnnotations: annotating("logSpans", "spanAnnotation").log,
	addDocumentAnnotation: annotating("logDocuments", "documentAnnotation").add,
	logDocumentAnnotations: annotating("logDocuments", "documentAnnotation").log,
	async addSpanNote({ client, spanNote: { spanId, note, ...options } }: Options) {
		return { id: await client.spanward.annotations.noteSpan(spanId, note, options) };
	},
	async getSpanAnnotations({ client, project, spanIds, limit, ...names }: Options) {
		const read = client.spanward.annotations.ofSpans(project.projectName, spanIds, {
			names: names["includeAnnotationNames"],
			excludeNames: names["excludeAnnotationNames"],
		});
		return { annotations: await read.toArray(limit) };
	},
};

const traces = {
	async getTraces({ client, project, sessionId, ...options }: Options) {
		const query = withoutUndefined({ ...toSnake(options), session_identifier: sessionId });
		return { traces: await client.spanward.traces.list(project.projectName, query).toArray() };
	},
	addTraceAnnotation: annotating("logTraces", "traceAnnotation").add,
	logTraceAnnotations: annotating("logTraces", "traceAnnotation").log,
	async addTraceNote({ client, traceNote: { traceId, note } }: Options) {
		return { id: await client.spanward.annotations.noteTrace(traceId, note) };
	},
};

const sessions = {
	async listSessions({ client, projectName }: Options) {
		const listed = await client.spanward.sessions.list(projectName, { order: "asc" }).toArray();
		return listed.map((session) => toCamel(session));
	},
	async getSession({ client, sessionId }: Options) {
		return toCamel(await client.spanward.sessions.get(sessionId));
	},
	async getSessionTurns({ client, sessionId }: Options) {
		const turns = await client.spanward.sessions.turns(sessionId);
		return turns.map((turn) => ({ ...turn, input: { value: turn.input }, output: { value: turn.output } }));
	},
	async deleteSession({ client, sessionId }: Options) {
		await client.spanward.sessions.delete(sessionId);
	},
	async deleteSessions({ client, sessionIds }: Options) {
		await client.spanward.sessions.deleteMany(sessionIds);
	},
	addSessionAnnotation: annotating("logSessions", "sessionAnnotation").add,
	logSessionAnnotations: annotating("logSessions", "sessionAnnotation").log,
	async addSessionNote({ client, sessionNote: { sessionId, note } }: Options) {
		return { id: await client.spanward.annotations.noteSession(sessionId, note) };
	},
};

function nameOf({ datasetId, datasetName }: { datasetId?: string; datasetName?: string }): string {
	return datasetId ?? datasetName ?? "";
}

async function readExamples({ client, dataset }: Options) {
	const { versionId, splits } = dataset;
	const examples = await client.spanward.datasets.examples(nameOf(dataset), { versionId, splits });
	const [newest] = await client.spanward.datasets.versions(nameOf(dataset));
	return {
		examples: examples.map((example) => ({ ...toCamel<Given>(example), updatedAt: new Date(example.updated_at) })),
		versionId: versionId ?? newest?.version_id,
	};
}

const datasets = {
	async createDataset({ client, name, description, examples }: Options) {
		const { id } = await client.spanward.datasets.create({ name, description, examples });
		return { datasetId: id };
	},
	async appendDatasetExamples({ client, dataset, examples }: Options) {
		const { id } = await client.spanward.datasets.append(nameOf(dataset), examples);
		return { datasetId: id, versionId: (await client.spanward.datasets.versions(id))[0]?.version_id };
	},
	async getDatasetInfo({ client, dataset }: Options) {
		return await client.spanward.datasets.get(nameOf(dataset));
	},
	getDatasetExamples: readExamples,
	async getDataset(options: Options) {
		const info = await options.client.spanward.datasets.get(nameOf(options["dataset"]));
		return { ...info, ...(await readExamples(options)) };
	},
};

const QUIET = { onProgress() {} };

const experiments = {
	asEvaluator: own.createEvaluator,
	asExperimentEvaluator: own.createEvaluator,
	getExperimentEvaluators: (evaluators: readonly own.Evaluator[]) => evaluators,
	async createExperiment({ client, datasetId, experimentName, experimentMetadata, repetitions }: Options) {
		const body = withoutUndefined({ name: experimentName, metadata: experimentMetadata, repetitions });
		return toCamel(await client.spanward.experiments.create({ id: datasetId }, body));
	},
	async runExperiment({ client, dataset, task, evaluators = [], ...options }: Options) {
		const { experiment } = await own.runExperiment({
			client: client.spanward,
			dataset: nameOf(dataset),
			task,
			evaluators,
			...withoutUndefined({
				name: options["experimentName"],
				description: options["experimentDescription"],
				metadata: options["experimentMetadata"],
			}),
			...QUIET,
		});
		return toCamel(experiment);
	},
	async resumeExperiment({ client, experimentId, task }: Options) {
		await own.resumeExperiment({ client: client.spanward, experimentId, task, ...QUIET });
	},
	async resumeEvaluation({ client, experimentId, evaluators }: Options) {
		await own.evaluateExperiment({ client: client.spanward, experimentId, evaluators, ...QUIET });
	},
	async evaluateExperiment({ client, experiment, evaluators }: Options) {
		await own.evaluateExperiment({ client: client.spanward, experimentId: experiment.id, evaluators, ...QUIET });
	},
	async getExperimentInfo({ client, experimentId }: Options) {
		return toCamel(await client.spanward.experiments.get(experimentId));
	},
	async getExperimentRuns({ client, experimentId }: Options) {
		return { runs: await client.spanward.experiments.runs(experimentId).toArray() };
	},
	async getExperiment({ client, experimentId }: Options) {
		const runs = await client.spanward.experiments.runs(experimentId).toArray();
		const info = toCamel<Given>(await client.spanward.experiments.get(experimentId));
		return { ...info, runs: Object.fromEntries(runs.map((run) => [run.id, run])) };
	},
	async listExperiments({ client, datasetId }: Options) {
		return (await client.spanward.experiments.list({ datasetId }).toArray()).map((one) => toCamel(one));
	},
	async deleteExperiment({ client, experimentId }: Options) {
		await client.spanward.experiments.delete(experimentId);
	},
};

const prompts = {
	promptVersion({ template, invocationParameters = {}, ...version }: Omit<Options, "client">) {
		const { modelProvider, modelName } = version as Pick<own.NewChatVersion, "modelProvider" | "modelName">;
		return own.promptVersion({ modelProvider, modelName, messages: template, parameters: invocationParameters });
	},
	async createPrompt({ client, version, ...prompt }: Options) {
		return await client.spanward.prompts.create({ prompt: prompt as never, version });
	},
	async getPrompt({ client, prompt: { versionId, name, tag } }: Options) {
		try {
			if (versionId !== undefined) return await client.spanward.prompts.getVersion(versionId);
			return await client.spanward.prompts.get(name, tag === undefined ? {} : { tag });
		} catch (error) {
			if (error instanceof own.NotFoundError) return null;
			throw error;
		}
	},
	async listPrompts({ client }: Options) {
		return await client.spanward.prompts.list().toArray();
	},
	toSDK: ({ prompt, variables }: { prompt: own.PromptVersion; variables: Given }) => own.toOpenAI(prompt, variables),
};

export const ADAPTED_MODULES = {
	root: { createClient, HttpError: own.ApiError },
	spans,
	traces,
	sessions,
	datasets,
	experiments,
	prompts,
} as unknown as ClientModules;
