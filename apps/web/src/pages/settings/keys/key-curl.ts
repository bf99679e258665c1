import type { KeyLimits } from "./key-sentence.ts";

export interface KeyCurls {
	/** A request that the key may send; undefined where it may send none. */
	readonly works: string | undefined;
	/** One that is refused; undefined where only the owner's role refuses any. */
	readonly refused: string | undefined;
}

/**
 * Commands that show what a key can do.
 * @param origin address of this server, without a slash at the end
 * @param apiKey a placeholder when absent
 */
export function keyCurls(
	{ permissions, projects }: Pick<KeyLimits, "permissions" | "projects">,
	origin: string,
	apiKey = "<your API key>",
): KeyCurls {
	const authorization = `-H 'Authorization: Bearer ${apiKey}'`;
	const read = `curl ${authorization} ${origin}/v1/projects`;
	const json = `${authorization} -H 'Content-Type: application/json'`;
	const send = `curl ${json} -d '{"resourceSpans":[]}' ${origin}/v1/traces`;
	const annotate = `curl ${json} -d '{"data":[]}' ${origin}/v1/span_annotations`;
	const may = (...any: readonly ("read" | "ingest" | "annotate" | "write")[]) =>
		permissions === null || any.some((each) => permissions.includes(each));
	const commands = [
		{ command: read, works: may("read") },
		{ command: send, works: may("ingest", "write") },
		{ command: annotate, works: may("annotate", "write") },
		{ command: `curl ${authorization} ${origin}/v1/user/api_keys`, works: permissions === null && projects === null },
	];
	return {
		works: commands.find(({ works }) => works)?.command,
		refused: commands.find(({ works }) => !works)?.command,
	};
}
