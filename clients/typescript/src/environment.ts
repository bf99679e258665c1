const DEFAULT_BASE_URL = "http://localhost:6006";

/** Default address and headers. */
export interface Environment {
	readonly baseUrl: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** Reads `SERVICE_COLLECTOR_ENDPOINT` and `SERVICE_API_KEY` where there is a process; browsers have none. */
export function readEnvironment(): Environment {
	const variables = "process" in globalThis ? globalThis.process.env : {};
	// Exporters use the same variable, some with their path.
	const endpoint = variables["SERVICE_COLLECTOR_ENDPOINT"]?.trim().replace(/\/v1\/traces\/?$/, "");
	const key = variables["SERVICE_API_KEY"]?.trim();
	return { baseUrl: endpoint || DEFAULT_BASE_URL, headers: key ? { authorization: `Bearer ${key}` } : {} };
}
