import { type Client, type ClientOptions, createClient } from "./client.ts";
import { readEnvironment } from "./environment.ts";
import { Analytics } from "./resources/analytics.ts";
import { AnnotationConfigs, Annotations } from "./resources/annotations.ts";
import { Dashboards } from "./resources/dashboards.ts";
import { Datasets } from "./resources/datasets.ts";
import { EndUsers } from "./resources/end-users.ts";
import { ErrorGroups } from "./resources/error-groups.ts";
import { Evaluators } from "./resources/evaluators.ts";
import { ExperimentJobs } from "./resources/experiment-jobs.ts";
import { Experiments } from "./resources/experiments.ts";
import { ModelConnections } from "./resources/model-connections.ts";
import { Projects } from "./resources/projects.ts";
import { Prompts } from "./resources/prompts.ts";
import { ReviewQueues } from "./resources/review-queues.ts";
import { Sessions } from "./resources/sessions.ts";
import { Spans } from "./resources/spans.ts";
import { Traces } from "./resources/traces.ts";
import { ApiKeys, Users } from "./resources/users.ts";
import { Views } from "./resources/views.ts";
import { DEFAULT_RETRIES, type RetryPolicy, retryingFetch } from "./retrying-fetch.ts";

export interface SpanwardOptions extends ClientOptions {
	/** Else `SERVICE_API_KEY`. */
	apiKey?: string;
	/** What does not fit is tried 5 times within some seconds; `attempts: 1` tries once. */
	retries?: Partial<RetryPolicy>;
}

/**
 * Everything that Spanward keeps, by what it is. Asks again when the server cannot be reached or has too much to do.
 * @example
 * const spanward = new Spanward(); // SERVICE_COLLECTOR_ENDPOINT and SERVICE_API_KEY
 * for await (const trace of spanward.traces.list("default", { filter: "error_count > 0" })) console.log(trace.trace_id);
 */
export class Spanward {
	/** Every path of the API, typed; for what has no method of its own. */
	readonly api: Client;
	readonly baseUrl: string;
	/** Sent with every request, also of exporters for experiments. */
	readonly headers: Readonly<Record<string, string>>;
	readonly projects: Projects;
	readonly traces: Traces;
	readonly spans: Spans;
	readonly sessions: Sessions;
	readonly analytics: Analytics;
	readonly endUsers: EndUsers;
	readonly errorGroups: ErrorGroups;
	readonly dashboards: Dashboards;
	readonly views: Views;
	readonly annotations: Annotations;
	readonly annotationConfigs: AnnotationConfigs;
	readonly reviewQueues: ReviewQueues;
	readonly datasets: Datasets;
	readonly experiments: Experiments;
	readonly experimentJobs: ExperimentJobs;
	readonly evaluators: Evaluators;
	readonly modelConnections: ModelConnections;
	readonly prompts: Prompts;
	readonly users: Users;
	readonly apiKeys: ApiKeys;

	constructor({ apiKey, retries, ...options }: SpanwardOptions = {}) {
		const environment = readEnvironment();
		this.baseUrl = (options.baseUrl ?? environment.baseUrl).replace(/\/$/, "");
		this.headers = {
			...environment.headers,
			...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
			...lowerCase(options.headers ?? {}),
		};
		this.api = createClient({
			...options,
			baseUrl: this.baseUrl,
			headers: this.headers,
			fetch: retryingFetch(options.fetch ?? globalThis.fetch.bind(globalThis), { ...DEFAULT_RETRIES, ...retries }),
		});
		this.projects = new Projects(this.api);
		this.traces = new Traces(this.api);
		this.spans = new Spans(this.api);
		this.sessions = new Sessions(this.api);
		this.analytics = new Analytics(this.api);
		this.endUsers = new EndUsers(this.api);
		this.errorGroups = new ErrorGroups(this.api);
		this.dashboards = new Dashboards(this.api);
		this.views = new Views(this.api);
		this.annotations = new Annotations(this.api);
		this.annotationConfigs = new AnnotationConfigs(this.api);
		this.reviewQueues = new ReviewQueues(this.api);
		this.datasets = new Datasets(this.api);
		this.experiments = new Experiments(this.api, this.datasets);
		this.experimentJobs = new ExperimentJobs(this.api);
		this.evaluators = new Evaluators(this.api);
		this.modelConnections = new ModelConnections(this.api);
		this.prompts = new Prompts(this.api);
		this.users = new Users(this.api);
		this.apiKeys = new ApiKeys(this.api);
	}
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
