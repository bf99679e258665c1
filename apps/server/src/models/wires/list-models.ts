import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import { baseUrlOf } from "./address.ts";
import { AccessTokens } from "./credentials/access-tokens.ts";
import { authorize } from "./credentials/authorize.ts";
import { cancellation } from "./errors/cancellation.ts";
import { type Hide, hiderOf } from "./errors/hide-credentials.ts";
import { ofOutgoing } from "./errors/of-outgoing.ts";
import { errorOfResponse, notOfProtocol } from "./errors/provider-error.ts";
import { isJsonObject, type JsonObject, objectAt, parseJson } from "./json-object.ts";
import { MAX_ERROR_BYTES, readText } from "./read-text.ts";

export interface ListOptions {
	/** The guarded one. */
	readonly fetch: typeof fetch;
	readonly signal: AbortSignal;
	readonly tokens?: AccessTokens;
}

const MAX_MODELS = 1_000;
const MAX_NAME_LENGTH = 200;

/** Names of the models that the provider tells, in order. Nothing that it says becomes an address. */
export async function listModels(connection: OpenConnection, options: ListOptions): Promise<readonly string[]> {
	const { tokens = new AccessTokens(), fetch, signal } = options;
	try {
		const token = await tokens.tokenOf(connection, { fetch, signal });
		const found = await namesOf(connection, new Lister(connection, options, token));
		const names = found.filter((name) => name !== "" && name.length <= MAX_NAME_LENGTH);
		return [...new Set(names)].sort().slice(0, MAX_MODELS);
	} catch (error) {
		if (error instanceof ModelError && error.code === "authentication") tokens.forget(connection);
		throw signal.aborted ? cancellation(signal) : ofOutgoing(error);
	}
}

async function namesOf(connection: OpenConnection, lister: Lister): Promise<readonly string[]> {
	const base = baseUrlOf(connection);
	switch (connection.kind) {
		case "openai":
		case "openai_compatible":
			return (await lister.list(`${base}/models`, "data")).map(textAt("id"));
		case "azure_openai":
			return await azureNames(base.replace(/\/openai(\/v1)?$/, ""), lister);
		case "anthropic":
			return (await lister.list(`${base}/models?limit=1000`, "data")).map(textAt("id"));
		case "google": {
			const models = await lister.list(`${base}/models?pageSize=1000`, "models");
			return models.filter(generatesContent).map((model) => textAt("name")(model).replace(/^models\//, ""));
		}
		case "google_vertex": {
			const root = base.replace(/\/v1$/, "");
			const models = await lister.list(`${root}/v1beta1/publishers/google/models?pageSize=1000`, "publisherModels");
			return models
				.map((model) => textAt("name")(model).replace(/^.*\//, ""))
				.filter((name) => /^gem(ini|ma)/.test(name));
		}
		case "aws_bedrock":
			return await bedrockNames(base, lister);
	}
}

/** Calls name deployments, which only an older version lists, and not everywhere. */
async function azureNames(root: string, lister: Lister): Promise<readonly string[]> {
	try {
		return (await lister.list(`${root}/openai/deployments?api-version=2023-03-15-preview`, "data")).map(textAt("id"));
	} catch (error) {
		if (!(error instanceof ModelError && error.status === 404)) throw error;
		return (await lister.list(`${root}/openai/v1/models`, "data")).map(textAt("id"));
	}
}

/** Models are named by themselves where they can be called so, the others by profiles of regions. */
async function bedrockNames(base: string, lister: Lister): Promise<readonly string[]> {
	const root = base.replace("//bedrock-runtime.", "//bedrock.");
	const models = await lister.list(`${root}/foundation-models?byOutputModality=TEXT`, "modelSummaries");
	const direct = models.filter(
		({ inferenceTypesSupported: types }) => !Array.isArray(types) || types.includes("ON_DEMAND"),
	);
	return [...direct.map(textAt("modelId")), ...(await bedrockProfiles(root, lister))];
}

async function bedrockProfiles(root: string, lister: Lister): Promise<readonly string[]> {
	try {
		const profiles = await lister.list(`${root}/inference-profiles?maxResults=1000`, "inferenceProfileSummaries");
		return profiles.map(textAt("inferenceProfileId"));
	} catch (error) {
		// It is a right of its own, which not everybody has who may call models.
		if (error instanceof ModelError && error.code === "authentication") return [];
		throw error;
	}
}

function generatesContent({ supportedGenerationMethods: methods }: JsonObject): boolean {
	return !Array.isArray(methods) || methods.includes("generateContent");
}

function textAt(member: string): (object: JsonObject) => string {
	return (object) => {
		const value = object[member];
		return typeof value === "string" ? value : "";
	};
}

class Lister {
	readonly #connection: OpenConnection;
	readonly #options: ListOptions;
	readonly #token: string | undefined;
	readonly #hide: Hide;

	constructor(connection: OpenConnection, options: ListOptions, token: string | undefined) {
		this.#connection = connection;
		this.#options = options;
		this.#token = token;
		this.#hide = hiderOf(connection, token === undefined ? [] : [token]);
	}

	/** The objects of the list that an answer has as this member. */
	async list(address: string, member: string): Promise<readonly JsonObject[]> {
		const { response, text } = await this.#get(new URL(address));
		if (!response.ok) throw errorOfResponse(response, text, this.#hide);
		const value = parseJson(text)?.value;
		// Some servers answer the list alone.
		const found = Array.isArray(value) ? value : objectAt(value)[member];
		if (!Array.isArray(found)) throw notOfProtocol("The provider's answer is not a list of models.", text, this.#hide);
		return found.filter(isJsonObject);
	}

	async #get(url: URL): Promise<{ readonly response: Response; readonly text: string }> {
		const { fetch, signal } = this.#options;
		const headers = new Headers({ accept: "application/json" });
		if (this.#connection.kind === "anthropic") headers.set("anthropic-version", "2023-06-01");
		authorize(this.#connection, { method: "GET", url, headers, body: "" }, this.#token);
		const response = await fetch(url, { headers, redirect: "manual", signal });
		const text = await readText(response, response.ok ? Number.POSITIVE_INFINITY : MAX_ERROR_BYTES);
		return { response, text };
	}
}
