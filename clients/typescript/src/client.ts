import { toApiError } from "./api-error.ts";
import { readEnvironment } from "./environment.ts";
import type { Operations } from "./generated/api.ts";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

type Method = keyof Operations;

/** The arguments of a call: parameters and body, required where the operation requires them. */
type Parts<Operation> = Omit<Operation, "response"> & { signal?: AbortSignal; headers?: Record<string, string> };

/** The argument may be left out when nothing in it is required. */
type Arguments<Operation> = object extends Parts<Operation> ? [parts?: Parts<Operation>] : [parts: Parts<Operation>];

type Call<M extends Method> = <Path extends keyof Operations[M] & string>(
	path: Path,
	...args: Arguments<Operations[M][Path]>
) => Promise<Operations[M][Path] extends { response: infer Response } ? Response : never>;

interface AnyParts {
	path?: Readonly<Record<string, string>>;
	query?: Readonly<Record<string, unknown>>;
	body?: unknown;
	signal?: AbortSignal;
	headers?: Readonly<Record<string, string>>;
}

export interface ClientOptions {
	/**
	 * Address of the server, including its base path; `""` for the origin of the page. Default: the environment variable
	 * `SERVICE_COLLECTOR_ENDPOINT`, else `http://localhost:6006`.
	 */
	baseUrl?: string;
	/** Sent with every request; without `authorization`, the key in `SERVICE_API_KEY` is sent. */
	headers?: Readonly<Record<string, string>>;
	fetch?: typeof fetch;
}

export interface Client {
	get: Call<"get">;
	post: Call<"post">;
	put: Call<"put">;
	patch: Call<"patch">;
	delete: Call<"delete">;
	/** Server-sent events of a path, until the signal aborts or the server ends them; with a body, the answer to a POST. */
	events(path: string, parts?: AnyParts): AsyncGenerator<ServerSentEvent>;
	/**
	 * Any request below the base address, with the client's headers: for bodies and answers that are no JSON, such as
	 * `/v1/projects/{name}/spans.ndjson`. An answer that is not 2xx or 3xx is thrown as `ApiError`.
	 */
	fetch(path: string, init?: RequestInit): Promise<Response>;
	/** Address of a path, for links and downloads. */
	url(path: string, parts?: Pick<AnyParts, "path" | "query">): string;
}

/**
 * A client of the REST API. Paths, parameters and answers are typed by the server's OpenAPI document; an answer that is
 * not 2xx is thrown as `ApiError`.
 * @example
 * const client = createClient({ headers: { authorization: `Bearer ${key}` } }); // or createClient() and SERVICE_API_KEY
 * const { data } = await client.get("/v1/projects/{project_identifier}/traces", {
 * 	path: { project_identifier: "default" },
 * 	query: { limit: 20 },
 * });
 */
export function createClient(options: ClientOptions = {}): Client {
	const request = options.fetch ?? globalThis.fetch.bind(globalThis);
	const environment = readEnvironment();
	const baseUrl = (options.baseUrl ?? environment.baseUrl).replace(/\/$/, "");

	function url(path: string, { path: names = {}, query = {} }: Pick<AnyParts, "path" | "query"> = {}): string {
		const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ""));
		const search = toSearch(query);
		return `${baseUrl}${filled}${search === "" ? "" : `?${search}`}`;
	}

	async function send(method: Method, path: string, accept: string, parts: AnyParts): Promise<Response> {
		const body = parts.body === undefined ? undefined : JSON.stringify(parts.body);
		return await fetchBelow(url(path, parts), {
			method: method.toUpperCase(),
			headers: {
				accept: `${accept}, application/problem+json`,
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...parts.headers,
			},
			...(body === undefined ? {} : { body }),
			...(parts.signal === undefined ? {} : { signal: parts.signal }),
		});
	}

	async function fetchBelow(address: string, init: RequestInit): Promise<Response> {
		const headers = new Headers(environment.headers);
		headers.set("accept", "*/*, application/problem+json");
		for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
		for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
		const response = await request(address, { ...init, headers });
		if (response.status >= 400) throw await toApiError(response);
		return response;
	}

	function call<M extends Method>(method: M): Call<M> {
		return (async (path: string, parts: AnyParts = {}) => {
			const response = await send(method, path, "application/json", parts);
			if (response.status === 204) return undefined;
			return response.headers.get("content-type")?.includes("json") ? response.json() : response.text();
		}) as Call<M>;
	}

	return {
		get: call("get"),
		post: call("post"),
		put: call("put"),
		patch: call("patch"),
		delete: call("delete"),
		url,
		fetch: (path, init = {}) => fetchBelow(`${baseUrl}${path}`, init),
		async *events(path, parts = {}) {
			const method = parts.body === undefined ? "get" : "post";
			const response = await send(method, path, "text/event-stream", parts);
			if (response.body !== null) yield* readServerSentEvents(response.body);
		},
	};
}

/** Lists repeat their name; undefined is left out. */
function toSearch(query: Readonly<Record<string, unknown>>): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		for (const item of Array.isArray(value) ? value : [value]) {
			if (item !== undefined && item !== null) search.append(name, String(item));
		}
	}
	return search.toString();
}
