import { randomBytes } from "node:crypto";
import { groupAll } from "#resources/error-grouping/test-grouping.ts";
import type { TestApp } from "#test-app.ts";

/** Ids of a project that has some of everything, and of what is beside it in the library; by names of path parameters. */
export interface Seed {
	/** It is in every text that belongs to the project or to what was made of it, and in nothing else. */
	readonly marker: string;
	readonly project: string;
	readonly projectName: string;
	/** As they were sent. */
	readonly traceId: string;
	readonly spanId: string;
	readonly sessionId: string;
	readonly annotation: string;
	readonly waitingAnnotation: string;
	readonly config: string;
	readonly dataset: string;
	readonly example: string;
	readonly split: string;
	readonly label: string;
	readonly experiment: string;
	readonly run: string;
	readonly prompt: string;
	readonly promptVersion: string;
	readonly otherPromptVersion: string;
	readonly policy: string;
	readonly recomputation: string;
	readonly bulkRun: string;
	readonly view: string;
	readonly price: string;
	readonly connection: string;
	readonly evaluator: string;
	readonly evaluatorVersion: string;
	readonly unusedEvaluator: string;
	readonly job: string;
	readonly errorGroup: string;
	readonly otherErrorGroup: string;
	/** Of the other one. */
	readonly errorFingerprint: string;
	readonly errorComment: string;
	readonly dashboard: string;
	readonly reviewQueue: string;
	/** Of the queue; taken. */
	readonly reviewItem: string;
	readonly goldRun: string;
}

const TIMES = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };

/** @param headers of an admin */
export async function seedProject(
	server: TestApp,
	headers: Readonly<Record<string, string>>,
	marker: string,
): Promise<Seed> {
	const call = async (method: "POST" | "PUT" | "PATCH", path: string, body?: unknown) => {
		const { status, text, json } = await server.call(method, path, body, headers);
		if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
		return json?.data;
	};
	const get = async (path: string) => {
		const { status, text, json } = await server.get(path, headers);
		if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`);
		return json.data;
	};
	const projectName = `project ${marker}`;
	const { id: project } = await call("POST", "/v1/projects", { name: projectName, description: marker });
	const traceId = randomBytes(16).toString("hex");
	const [spanId, childId] = [randomBytes(8).toString("hex"), randomBytes(8).toString("hex")];
	const sessionId = `session ${marker}`;
	const spanOf = (id: string, attributes: object, parent?: string) => ({
		...{ name: `step ${marker}`, context: { trace_id: traceId, span_id: id }, status_code: "ERROR" },
		...{ span_kind: parent === undefined ? "LLM" : "RETRIEVER", ...TIMES },
		status_message: parent === undefined ? `no answer ${marker}` : `nothing found ${marker}`,
		...(parent === undefined ? {} : { parent_id: parent }),
		attributes: {
			...{ "input.value": `asked ${marker}`, "output.value": `said ${marker}`, "session.id": sessionId },
			...{ "user.id": `user ${marker}`, "llm.model_name": `model ${marker}`, ...attributes },
		},
		events: [{ name: `event ${marker}`, timestamp: TIMES.start_time, attributes: { said: marker } }],
	});
	await call("POST", `/v1/projects/${project}/spans`, {
		data: [
			spanOf(spanId, { "llm.token_count.prompt": 3 }),
			spanOf(childId, { "retrieval.documents.0.document.content": marker }, spanId),
		],
	});

	const result = { score: 1, label: `label ${marker}`, explanation: marker };
	const annotated = { name: `quality ${marker}`, annotator_kind: "HUMAN", result, metadata: { by: marker } };
	const [{ id: annotation }] = await call("POST", "/v1/span_annotations?sync=true", {
		data: [{ ...annotated, span_id: spanId }],
	});
	await call("POST", "/v1/trace_annotations?sync=true", { data: [{ ...annotated, trace_id: traceId }] });
	await call("POST", "/v1/session_annotations?sync=true", { data: [{ ...annotated, session_id: sessionId }] });
	await call("POST", "/v1/document_annotations?sync=true", {
		data: [{ ...annotated, span_id: childId, document_position: 0 }],
	});
	const missing = randomBytes(8).toString("hex");
	await call("POST", `/v1/span_annotations?project=${project}`, { data: [{ ...annotated, span_id: missing }] });
	const waiting = await get("/v1/waiting_annotations?limit=1000");
	const waitingAnnotation = waiting.find((one: { name: string }) => one.name === annotated.name).id;
	const { id: config } = await call("POST", "/v1/annotation_configs", {
		...{ name: `config-${marker}`, type: "FREEFORM", description: `of ${marker}` },
	});
	await call("PUT", `/v1/projects/${project}/annotation_configs/${config}`);

	const { dataset_id: dataset } = await call("POST", "/v1/datasets/upload?sync=true", {
		...{ name: `dataset ${marker}`, description: marker },
		inputs: [{ messages: [{ role: "user", content: marker }] }],
		outputs: [{ messages: [{ role: "assistant", content: marker }] }],
		...{ metadata: [{ m: marker }], splits: [`split ${marker}`], span_ids: [spanId] },
	});
	const [example] = (await get(`/v1/datasets/${dataset}/examples`)).examples;
	const [split] = await get(`/v1/datasets/${dataset}/splits`);
	const { id: label } = await call("POST", "/v1/dataset_labels", { name: `label-${marker}`, color: "#123456" });
	await call("PUT", `/v1/datasets/${dataset}/labels/${label}`);
	const { id: experiment } = await call("POST", `/v1/datasets/${dataset}/experiments`, {
		...{ name: `experiment ${marker}`, description: marker, metadata: { m: marker } },
	});
	const { id: run } = await call("POST", `/v1/experiments/${experiment}/runs`, {
		...{ dataset_example_id: example.id, output: marker, repetition_number: 1, error: marker, ...TIMES },
	});
	await call("POST", "/v1/experiment_evaluations", {
		...{ experiment_run_id: run, name: `evaluation ${marker}`, annotator_kind: "CODE", result, ...TIMES },
	});
	await call("POST", `/v1/experiments/${experiment}/tags`, { name: "kept", description: marker });

	const version = {
		...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "MUSTACHE" },
		...{ template: { type: "chat", messages: [{ role: "user", content: `say ${marker}` }] }, description: marker },
		invocation_parameters: { type: "openai", openai: {} },
	};
	const promptName = `prompt-${marker}`;
	const { id: promptVersion } = await call("POST", "/v1/prompts", {
		...{ prompt: { name: promptName, description: marker }, version },
	});
	const { id: otherPromptVersion } = await call("POST", `/v1/prompts/${promptName}/versions`, {
		version: { ...version, template: { type: "chat", messages: [{ role: "user", content: `other ${marker}` }] } },
	});
	await call("POST", `/v1/prompt_versions/${promptVersion}/tags`, { name: "kept", description: marker });

	await groupAll(server.context);
	const [group, otherGroup] = await get(`/v1/projects/${project}/error_groups`);
	const { id: errorComment } = await call("POST", `/v1/error_groups/${group.id}/comments`, { text: marker });
	const { id: policy } = await call("POST", "/v1/retention_policies", { name: `policy ${marker}`, max_days: 36_500 });
	await call("PATCH", `/v1/projects/${project}/retention`, { policy_id: policy });
	await call("POST", `/v1/retention_policies/${policy}/run`);
	const { id: recomputation } = await call("POST", `/v1/projects/${project}/cost_recomputations`, {});
	const { id: bulkRun } = await call("POST", `/v1/projects/${project}/bulk_runs`, {
		...{ action: "annotate", kind: "span", selection: { ids: [spanId] } },
		annotation: { name: `bulk ${marker}`, annotator_kind: "HUMAN", result },
	});
	const { id: view } = await call("POST", "/v1/views", {
		...{ name: `view ${marker}`, page: "spans", project, state: { filter: `name == 'step ${marker}'` } },
	});
	const { id: price } = await call("POST", "/v1/model_prices", {
		...{ name: `price ${marker}`, pattern: `model ${marker}`, prices: { input: 1 } },
	});
	const { id: connection } = await call("POST", "/v1/model_connections", {
		...{ name: `connection ${marker}`, kind: "openai_compatible", base_url: "https://models.example.com/v1" },
	});
	const evaluator = await call("POST", "/v1/evaluators", {
		...{ name: `evaluator-${marker}`, description: marker },
		version: {
			kind: "BUILT_IN",
			builtin: { key: "contains", parameters: { texts: [marker] } },
		},
	});
	await call("PUT", `/v1/datasets/${dataset}/evaluators/${evaluator.id}`, {});
	const unused = await call("POST", "/v1/evaluators", {
		...{ name: `unused-${marker}`, version: { kind: "BUILT_IN", builtin: { key: "valid_json", parameters: {} } } },
	});
	const { id: job } = await call("POST", "/v1/experiment_jobs", {
		...{ kind: "evaluate", experiment_id: experiment, evaluators: [{ evaluator_id: evaluator.id }] },
	});
	const { id: dashboard } = await call("POST", "/v1/dashboards", {
		...{ name: `dashboard ${marker}`, project_id: project },
		widgets: [{ key: "t", kind: "text", title: "", text: marker, layout: { x: 0, y: 0, w: 6, h: 2 } }],
	});
	const { id: compared } = await call("POST", "/v1/annotation_configs", {
		...{ name: `verdict-${marker}`, type: "CATEGORICAL", optimization_direction: "NONE" },
		values: [{ label: "good" }, { label: "bad" }],
	});
	const { id: reviewQueue } = await call("POST", "/v1/review_queues", {
		...{ name: `queue ${marker}`, target: "span" },
		questions: [{ annotation_config_id: config }, { annotation_config_id: compared, required: false }],
	});
	await call("POST", `/v1/review_queues/${reviewQueue}/items`, { targets: [{ span_id: spanId, project }] });
	await call("PUT", `/v1/review_queues/${reviewQueue}/rule`, { project, filter: "", enabled: false });
	const { item: reviewItem } = await call("POST", `/v1/review_queues/${reviewQueue}/next`);
	const { id: goldRun } = await call("POST", `/v1/review_queues/${reviewQueue}/gold_runs`, {
		dataset_name: `gold of ${marker}`,
	});
	return {
		...{ marker, project, projectName, traceId, spanId, sessionId, annotation, waitingAnnotation, config },
		...{ dataset, example: example.id, split: split.id, label, experiment, run, prompt: promptName },
		...{ promptVersion, otherPromptVersion, policy, recomputation, bulkRun, view, price, connection },
		...{ evaluator: evaluator.id, evaluatorVersion: evaluator.latest_version.id, unusedEvaluator: unused.id, job },
		...{ errorGroup: group.id, otherErrorGroup: otherGroup.id, errorFingerprint: otherGroup.fingerprint, errorComment },
		...{ dashboard, reviewQueue, reviewItem: reviewItem.id, goldRun },
	};
}
