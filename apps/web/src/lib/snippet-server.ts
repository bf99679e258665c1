import { config } from "./config.ts";

/** What snippets have to know about the server that they are for. */
export interface SnippetServer {
	/** Its address, with the root path, without a slash at the end. */
	readonly origin: string;
	/** Whether it requires a key with every request. */
	readonly needsKey: boolean;
}

/** The server of this page. */
export function ownServer(): SnippetServer {
	return { origin: config.origin, needsKey: config.auth.enabled };
}
