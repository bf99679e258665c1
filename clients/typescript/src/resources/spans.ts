import type { Client } from "../client.ts";
import type { NewSpanInput, Operations, Span } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type ListOptions = Omit<
	NonNullable<Operations["get"]["/v1/projects/{project_identifier}/spans"]["query"]>,
	"cursor" | "view"
>;

/** Spans, by their hex id. */
export class Spans {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** `filter` is an expression such as `span_kind == 'LLM' and latency_ms > 1000`, or words to look for. */
	list(project: string, query: ListOptions = {}): Paged<Span> {
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/spans", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	/**
	 * Stores spans that were not sent over OpenTelemetry; none of them when one is no good.
	 * @returns how many
	 */
	async create(project: string, spans: readonly NewSpanInput[]): Promise<number> {
		const answer = await this.#api.post("/v1/projects/{project_identifier}/spans", {
			path: { project_identifier: project },
			body: { data: [...spans] },
		});
		return answer.total_queued;
	}

	/** Its children stay. */
	async delete(spanId: string): Promise<void> {
		await this.#api.delete("/v1/spans/{span_identifier}", { path: { span_identifier: spanId } });
	}
}
