import type { Client } from "../client.ts";
import type {
	Analytics as AnalyticsAnswer,
	AnalyticsSchema,
	AttributeKey,
	Facet,
	Operations,
} from "../generated/api.ts";

export type AnalyticsQuestion = NonNullable<Operations["get"]["/v1/projects/{project_identifier}/analytics"]["query"]>;

type FacetOptions = Omit<Operations["get"]["/v1/projects/{project_identifier}/facets"]["query"], "field">;
type KeyOptions = NonNullable<Operations["get"]["/v1/projects/{project_identifier}/attribute_keys"]["query"]>;

/** Counts, sums and percentiles of many spans, traces, sessions, annotations or errors. */
export class Analytics {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/**
	 * The answer to a question; `is_partial` says whether time was up before all was read.
	 * @param project an id or a name, several, or undefined for all that you see
	 * @example
	 * const { series } = await spanward.analytics.query("default", {
	 * 	group_by: ["model"],
	 * 	measure: ["count", "cost_total"],
	 * 	range: "7d",
	 * });
	 */
	async query(
		project: string | readonly string[] | undefined,
		question: AnalyticsQuestion = {},
	): Promise<AnalyticsAnswer> {
		if (typeof project === "string") {
			const path = { project_identifier: project };
			return (await this.#api.get("/v1/projects/{project_identifier}/analytics", { path, query: question })).data;
		}
		const query = { ...question, ...(project === undefined ? {} : { project: [...project] }) };
		return (await this.#api.get("/v1/analytics", { query })).data;
	}

	/**
	 * The most frequent values of up to 20 fields, each with its count and filter. Counted are the rows that fit the filter,
	 * but for what it says about the field itself.
	 */
	async facets(project: string, fields: readonly string[], options: FacetOptions = {}): Promise<Facet[]> {
		const path = { project_identifier: project };
		const query = { ...options, field: [...fields] };
		return (await this.#api.get("/v1/projects/{project_identifier}/facets", { path, query })).data;
	}

	/** The keys of attributes, metadata, resources and annotations of the newest 2,000 rows, the most frequent first. */
	async attributeKeys(project: string, query: KeyOptions = {}): Promise<AttributeKey[]> {
		const path = { project_identifier: project };
		return (await this.#api.get("/v1/projects/{project_identifier}/attribute_keys", { path, query })).data;
	}

	/** All rows, measures and groups, with a sentence about each. */
	async schema(): Promise<AnalyticsSchema> {
		return (await this.#api.get("/v1/analytics/schema")).data;
	}
}
