import { sessionFetch } from "../auth/session-fetch.ts";
import { config } from "../lib/config.ts";
import { toError } from "../lib/exact-json.ts";
import { ownServer } from "../lib/snippet-server.ts";
import { rangeQuery } from "../lib/time-range.ts";
import { askedFor } from "./asked.ts";
import { codeOf } from "./code.ts";
import type { Copied, CopiedForm } from "./copied.ts";

const TOKENS = 4_000;
const BYTES_PER_TOKEN = 4;
const LEAST_TOKENS = 500;

/** What is copied of what the page shows. @throws ApiError; TypeError when the server cannot be reached */
export async function copiedText(copied: Copied, form: CopiedForm): Promise<string> {
	const asked = askedFor(copied, copied.kind === "list" ? rangeQuery(copied.search) : {});
	if (form !== "agent") return codeOf(form, asked, ownServer());
	// A list has no page of its own in the text: this one shows it.
	const link = copied.kind === "list" || copied.kind === "experiments" ? `\nPage: ${location.href}` : "";
	const room = TOKENS - Math.ceil(new TextEncoder().encode(link).length / BYTES_PER_TOKEN);
	const query = new URLSearchParams([
		...asked.args.map(([name, value]) => [name, value]),
		["max_tokens", String(Math.max(LEAST_TOKENS, room))],
	]);
	const response = await sessionFetch(`${config.basePath}/v1/texts/${asked.tool}?${query}`, {
		headers: { accept: "text/plain, application/problem+json" },
	});
	const text = await response.text();
	if (!response.ok) throw toError(response, text);
	return text + link;
}
