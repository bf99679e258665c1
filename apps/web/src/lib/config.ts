/** What the server says about itself in the page: where it is reached from, and its version. */
export interface AppConfig {
	/** Path below which the app is served, without a slash at the end; empty at the root. */
	readonly basePath: string;
	/** Address to send to and to show in snippets. */
	readonly origin: string;
	readonly version: string | undefined;
	/** Port of OTLP/gRPC, when the server tells. */
	readonly grpcPort: number | undefined;
}

function readMeta(): Record<string, unknown> {
	const content = document.querySelector('meta[name="spanward-config"]')?.getAttribute("content");
	const value: unknown = JSON.parse(content || "{}");
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function readConfig(): AppConfig {
	const meta = readMeta();
	const base = document.querySelector("base")?.getAttribute("href") ?? "/";
	const url = new URL(base, location.origin);
	const basePath = url.pathname.replace(/\/+$/, "");
	return {
		basePath,
		origin: `${location.origin}${basePath}`,
		version: typeof meta["version"] === "string" ? meta["version"] : undefined,
		grpcPort: typeof meta["grpcPort"] === "number" ? meta["grpcPort"] : undefined,
	};
}

export const config: AppConfig = readConfig();
