export type Protocol = "http/protobuf" | "grpc";

export interface Destination {
	readonly protocol: Protocol;
	/** With `/v1/traces` for HTTP; scheme, host and port for gRPC. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly projectName: string;
}

export interface DestinationOptions {
	/** Default: `SERVICE_PROJECT_NAME`, else `default`. */
	projectName?: string | undefined;
	/**
	 * Address of the server with its base path, or of its gRPC port. Default: `SERVICE_COLLECTOR_ENDPOINT`, else
	 * `http://localhost:6006` (gRPC: port 4317 of that host).
	 */
	endpoint?: string | undefined;
	/** Default: `SERVICE_API_KEY`. */
	apiKey?: string | undefined;
	/** Sent with every export; they take precedence over the key. */
	headers?: Readonly<Record<string, string>> | undefined;
	protocol?: Protocol | undefined;
}

const DEFAULT_ENDPOINT = "http://localhost:6006";
const GRPC_PORT = "4317";

/**
 * The endpoint, headers and project for sending spans, from the options and the environment.
 * @throws TypeError when the endpoint is not an http address
 */
export function readDestination(options: DestinationOptions = {}, environment = process.env): Destination {
	const endpoint = parseEndpoint(
		options.endpoint ?? (given(environment["SERVICE_COLLECTOR_ENDPOINT"]) || DEFAULT_ENDPOINT),
	);
	const protocol = options.protocol ?? (endpoint.port === GRPC_PORT ? "grpc" : "http/protobuf");
	const key = options.apiKey ?? given(environment["SERVICE_API_KEY"]);
	const headers = new Map<string, string>();
	if (key !== undefined && key !== "") headers.set("authorization", `Bearer ${key}`);
	// gRPC refuses metadata with upper-case names; HTTP accepts lower-case ones.
	for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name.toLowerCase(), value);
	return {
		protocol,
		url: protocol === "grpc" ? grpcUrl(endpoint, options.endpoint !== undefined) : httpUrl(endpoint),
		headers: Object.fromEntries(headers),
		projectName: options.projectName ?? (given(environment["SERVICE_PROJECT_NAME"]) || "default"),
	};
}

function given(text: string | undefined): string | undefined {
	return text?.trim();
}

function parseEndpoint(text: string): URL {
	if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
	throw new TypeError(`the endpoint ${JSON.stringify(text)} has to be an address such as http://localhost:6006`);
}

function httpUrl(endpoint: URL): string {
	const path = endpoint.pathname.replace(/\/+$/, "").replace(/\/v1\/traces$/, "");
	return `${endpoint.origin}${path}/v1/traces`;
}

/** The environment names the HTTP port; an endpoint option with a port is used as it is. */
function grpcUrl(endpoint: URL, isGiven: boolean): string {
	const port = isGiven && endpoint.port !== "" ? endpoint.port : GRPC_PORT;
	return `${endpoint.protocol}//${endpoint.hostname}:${port}`;
}
