import { AsyncLocalStorage } from "node:async_hooks";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { present } from "#base/present.ts";
import type { OpenConnection } from "../connection.ts";
import { addressOf, modelInPath } from "./address.ts";
import { wireOf } from "./wire.ts";

/** A key where a library would look for one in the environment. It is never sent: `authorize` sets what is. */
const NO_KEY = "none";
/** Models whose library is kept: making it takes longer than a call through it. */
const MOST_KEPT = 100;

interface Options {
	/** Whether usage is asked for in streams. */
	readonly streamsUsage: boolean;
}

const kept = new Map<string, Promise<LanguageModelV4>>();
/** Sends what a call through a library sends, with the credentials of its connection. */
const fetchOfCall = new AsyncLocalStorage<typeof globalThis.fetch>();
const fetch: typeof globalThis.fetch = (input, init) =>
	present(fetchOfCall.getStore(), "what sends the requests of a call")(input, init);

/** Calls a model through the library for its connection, which sends its requests with the given `fetch`. */
export async function withLanguageModel<Result>(
	connection: OpenConnection,
	model: string,
	{ fetch: own, ...options }: Options & { readonly fetch: typeof globalThis.fetch },
	call: (library: LanguageModelV4) => Promise<Result>,
): Promise<Result> {
	const library = await languageModel(connection, model, options);
	return await fetchOfCall.run(own, () => call(library));
}

function languageModel(connection: OpenConnection, model: string, options: Options): Promise<LanguageModelV4> {
	const { kind, settings } = connection;
	const { baseUrl } = addressOf(connection, model);
	const key = JSON.stringify([kind, wireOf(connection), baseUrl, settings.region, model, options.streamsUsage]);
	const known = kept.get(key);
	if (known !== undefined) return known;
	if (kept.size >= MOST_KEPT) kept.clear();
	const made = createLanguageModel(connection, model, options);
	kept.set(key, made);
	made.catch(() => kept.delete(key));
	return made;
}

/** The library is loaded when it is first needed. Each option that it would take from the environment is given here. */
async function createLanguageModel(
	connection: OpenConnection,
	model: string,
	{ streamsUsage }: Options,
): Promise<LanguageModelV4> {
	const { baseUrl: baseURL } = addressOf(connection, model);
	switch (wireOf(connection)) {
		case "responses": {
			const { createOpenAI } = await import("@ai-sdk/openai");
			return createOpenAI({ baseURL, apiKey: NO_KEY, fetch }).responses(model);
		}
		case "chat": {
			if (connection.kind === "openai_compatible") {
				const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
				const options = { name: "compatible", includeUsage: streamsUsage, supportsStructuredOutputs: true };
				return createOpenAICompatible({ ...options, baseURL, fetch }).chatModel(model);
			}
			const { createOpenAI } = await import("@ai-sdk/openai");
			return createOpenAI({ baseURL, apiKey: NO_KEY, fetch }).chat(model);
		}
		case "messages": {
			const { createAnthropic } = await import("@ai-sdk/anthropic");
			return createAnthropic({ baseURL, apiKey: NO_KEY, fetch })(model);
		}
		case "gemini": {
			const { createGoogle } = await import("@ai-sdk/google");
			const name = connection.kind === "google_vertex" ? "google.vertex.chat" : "google.generative-ai";
			return createGoogle({ baseURL, apiKey: NO_KEY, fetch, name })(modelInPath(connection, model));
		}
		case "converse": {
			const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
			const region = connection.settings.region ?? "us-east-1";
			return createAmazonBedrock({ baseURL, region, apiKey: NO_KEY, fetch })(model);
		}
	}
}
