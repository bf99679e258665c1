import type { Client } from "./client.ts";

/** What was read, and the entity tag that says which state of it that is: for the `ifMatch` of a change. */
export interface Tagged<T> {
	readonly data: T;
	readonly etag: string;
}

/** What is below a path whose names are encoded. */
export async function getTagged<T>(api: Client, path: string): Promise<Tagged<T>> {
	const response = await api.fetch(path, { headers: { accept: "application/json, application/problem+json" } });
	const { data } = (await response.json()) as { data: T };
	const etag = response.headers.get("etag");
	if (etag === null) throw new Error(`the answer to ${path} came without its ETag`);
	return { data, etag };
}

export interface ChangeOptions {
	/** The `etag` of what was read: if somebody else changed it since, nothing is changed, and `PreconditionFailedError` thrown. */
	ifMatch?: string;
}

export function toHeaders({ ifMatch }: ChangeOptions): { headers?: Record<string, string> } {
	return ifMatch === undefined ? {} : { headers: { "if-match": ifMatch } };
}
