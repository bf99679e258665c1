import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import { defaultBaseUrl } from "../presets.ts";
import { wireOf } from "./wire.ts";

/** Where the requests of a connection begin: the library adds the path of the call. */
export interface Address {
	readonly baseUrl: string;
	/** Added to every request. */
	readonly query: Readonly<Record<string, string>>;
}

/** The address for calls of a model. */
export function addressOf(connection: OpenConnection, model: string): Address {
	const base = baseUrlOf(connection);
	switch (connection.kind) {
		case "azure_openai":
			return azureAddress(connection, base, model);
		case "google":
			return { baseUrl: base, query: {} };
		case "google_vertex":
			return { baseUrl: vertexBase(connection, base), query: {} };
		default:
			return { baseUrl: base, query: {} };
	}
}

export function baseUrlOf({ kind, baseUrl, settings }: OpenConnection): string {
	const base = baseUrl === "" ? defaultBaseUrl(kind, settings) : baseUrl;
	if (base !== undefined) return base.replace(/\/+$/, "");
	throw new ModelError(
		"bad_request",
		"The connection has no address. Give it a base_url, or the region or location that its address is made of.",
	);
}

/** With a version the paths of deployments, without one those that Azure has had since, which need none. */
function azureAddress(connection: OpenConnection, base: string, model: string): Address {
	const { api_version: version } = connection.settings;
	const root = base.replace(/\/openai(\/v1)?$/, "");
	if (version === undefined) return { baseUrl: `${root}/openai/v1`, query: {} };
	const query = { "api-version": version };
	if (wireOf(connection) === "responses") return { baseUrl: `${root}/openai`, query };
	return { baseUrl: `${root}/openai/deployments/${encodeURIComponent(model)}`, query };
}

function vertexBase({ settings: { project = "", location = "" } }: OpenConnection, base: string): string {
	const path = ["projects", project, "locations", location].map(encodeURIComponent).join("/");
	return `${base.replace(/\/v1$/, "")}/v1/${path}/publishers/google`;
}

/** The name of a model as the library puts it into a path, from which it must not lead away. */
export function modelInPath({ kind }: OpenConnection, model: string): string {
	if (kind !== "google" && kind !== "google_vertex") return model;
	const parts = model.split("/");
	if (parts.some((part) => /^\.{0,2}$/.test(part))) {
		throw new ModelError("model_not_found", "The name of the model is none of Gemini's.");
	}
	return parts.map(encodeURIComponent).join("/");
}
