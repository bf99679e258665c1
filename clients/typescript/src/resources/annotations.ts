import type { Client } from "../client.ts";
import type { Operations } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type Post<Path extends keyof Operations["post"]> = Operations["post"][Path] extends { body: infer Body } ? Body : never;
type Data<Response> = Response extends { data: infer Value } ? Value : never;
type Item<Response> = Response extends { data: (infer Value)[] } ? Value : never;
type Get<Path extends keyof Operations["get"]> = Operations["get"][Path]["response"];

export type NewSpanAnnotation = Post<"/v1/span_annotations">["data"][number];
export type NewTraceAnnotation = Post<"/v1/trace_annotations">["data"][number];
export type NewSessionAnnotation = Post<"/v1/session_annotations">["data"][number];
export type NewDocumentAnnotation = Post<"/v1/document_annotations">["data"][number];

interface LogOptions {
	/**
	 * Answer once they are stored, with their ids, and refuse what is about nothing that is stored (the default); with
	 * `false` an annotation may come before its span and waits for it.
	 */
	wait?: boolean;
}

interface ListOptions {
	names?: string[];
}

type ProjectAnnotations<Target extends "span" | "trace" | "session"> = Item<
	Get<`/v1/projects/{project_identifier}/${Target}_annotations`>
>;

/**
 * What people and programs say about spans, traces, sessions and documents. The same name and identifier on the same
 * target is written over.
 */
export class Annotations {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logSpans(data: readonly NewSpanAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		const answer = await this.#api.post("/v1/span_annotations", { query: { sync: wait }, body: { data: [...data] } });
		return answer.data.map(({ id }) => id);
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logTraces(data: readonly NewTraceAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		const answer = await this.#api.post("/v1/trace_annotations", { query: { sync: wait }, body: { data: [...data] } });
		return answer.data.map(({ id }) => id);
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logSessions(data: readonly NewSessionAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		const answer = await this.#api.post("/v1/session_annotations", {
			query: { sync: wait },
			body: { data: [...data] },
		});
		return answer.data.map(({ id }) => id);
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logDocuments(data: readonly NewDocumentAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		const answer = await this.#api.post("/v1/document_annotations", {
			query: { sync: wait },
			body: { data: [...data] },
		});
		return answer.data.map(({ id }) => id);
	}

	/** @returns the id */
	async noteSpan(spanId: string, note: string): Promise<string> {
		return (await this.#api.post("/v1/span_notes", { body: { data: { span_id: spanId, note } } })).data.id;
	}

	/** @returns the id */
	async noteTrace(traceId: string, note: string): Promise<string> {
		return (await this.#api.post("/v1/trace_notes", { body: { data: { trace_id: traceId, note } } })).data.id;
	}

	/** @returns the id */
	async noteSession(sessionId: string, note: string): Promise<string> {
		return (await this.#api.post("/v1/session_notes", { body: { data: { session_id: sessionId, note } } })).data.id;
	}

	ofSpans(project: string, spanIds: string[], { names }: ListOptions = {}): Paged<ProjectAnnotations<"span">> {
		const query = { span_ids: spanIds, limit: 1_000, ...(names && { include_annotation_names: names }) };
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/span_annotations", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	ofTraces(project: string, traceIds: string[], { names }: ListOptions = {}): Paged<ProjectAnnotations<"trace">> {
		const query = { trace_ids: traceIds, limit: 1_000, ...(names && { include_annotation_names: names }) };
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/trace_annotations", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	ofSessions(project: string, sessionIds: string[], { names }: ListOptions = {}): Paged<ProjectAnnotations<"session">> {
		const query = { session_ids: sessionIds, limit: 1_000, ...(names && { include_annotation_names: names }) };
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/session_annotations", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	async get(annotationId: string): Promise<Data<Get<"/v1/annotations/{annotation_id}">>> {
		return (await this.#api.get("/v1/annotations/{annotation_id}", { path: { annotation_id: annotationId } })).data;
	}

	/** What is not given stays. */
	async update(
		annotationId: string,
		body: Operations["patch"]["/v1/annotations/{annotation_id}"]["body"],
	): Promise<Data<Get<"/v1/annotations/{annotation_id}">>> {
		const path = { annotation_id: annotationId };
		return (await this.#api.patch("/v1/annotations/{annotation_id}", { path, body })).data;
	}

	async delete(annotationId: string): Promise<void> {
		await this.#api.delete("/v1/annotations/{annotation_id}", { path: { annotation_id: annotationId } });
	}

	/** Those whose target has not come yet. */
	waiting(): Paged<Item<Get<"/v1/waiting_annotations">>> {
		return new Paged((cursor) =>
			this.#api.get("/v1/waiting_annotations", { query: { limit: 100, ...(cursor && { cursor }) } }),
		);
	}
}

type Config = Data<Get<"/v1/annotation_configs/{config_identifier}">>;

/** What people annotate with, by id or name. */
export class AnnotationConfigs {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	list(): Paged<Config> {
		return new Paged((cursor) =>
			this.#api.get("/v1/annotation_configs", { query: { limit: 100, ...(cursor && { cursor }) } }),
		);
	}

	async get(config: string): Promise<Config> {
		const path = { config_identifier: config };
		return (await this.#api.get("/v1/annotation_configs/{config_identifier}", { path })).data;
	}

	async create(body: Post<"/v1/annotation_configs">): Promise<Config> {
		return (await this.#api.post("/v1/annotation_configs", { body })).data;
	}

	async delete(configId: string): Promise<void> {
		await this.#api.delete("/v1/annotation_configs/{config_id}", { path: { config_id: configId } });
	}
}
