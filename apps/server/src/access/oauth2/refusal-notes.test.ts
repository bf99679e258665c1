import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { Steps } from "../sign-in/steps.ts";
import { ProviderFault } from "./provider-fault.ts";
import { RefusalNotes } from "./refusal-notes.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
afterAll(() => server[Symbol.asyncDispose]());
const REQUEST = { id: "1", ip: "192.0.2.1", headers: {} };

/** The log entries about a refusal with this cause: their levels, and all of their text. */
async function noted(cause: Error) {
	const lines: string[] = [];
	const log = pino({}, { write: (line) => lines.push(line) });
	const refusal = new Steps().refuse("tokens", "oauth_error", "It does not work.", { cause });
	await new RefusalNotes({ ...server.context, log }).note(REQUEST, refusal, "acme");
	return { levels: lines.map((line) => JSON.parse(line).level), text: lines.join("") };
}

test("an error that is not expected is logged with where it was thrown, and nothing of its message", async () => {
	const { levels, text } = await noted(new TypeError("about the token s3cret\n    at s3cret"));
	expect(levels).toEqual([50, 40]);
	expect(text).toContain("refusal-notes.test.ts");
	expect(text).toContain("TypeError");
	expect(text).not.toContain("s3cret");
});

test("a fault of the provider is one line of the log", async () => {
	const fault = new ProviderFault("tokens", "It does not work.", { code: "oauth_error", cause: new Error("s3cret") });
	expect((await noted(fault)).levels).toEqual([40]);
});
