import { mayHaveHeader } from "#base/model-connections/kinds.ts";
import type { OpenConnection } from "#models/connection.ts";
import { type AwsRequest, signAwsRequest } from "./sign-aws.ts";

/** Where the libraries put keys. They are given none, and none that they find elsewhere goes on. */
const OF_CREDENTIALS = ["authorization", "x-api-key", "x-goog-api-key", "api-key"] as const;

/** Gives a request the credentials and own headers of its connection, and takes away any other. */
export function authorize(connection: OpenConnection, request: AwsRequest, token: string | undefined): void {
	const { headers } = request;
	for (const name of OF_CREDENTIALS) headers.delete(name);
	headers.set("user-agent", "spanward");
	const own = headersOf(connection, token);
	const hasCredentials = Object.keys(connection.credentials).length > 0;
	for (const [name, value] of Object.entries(connection.headers)) {
		if (!mayHaveHeader(name, connection.kind, hasCredentials)) continue;
		// A list, in which the library may have asked for what the request needs.
		if (name === "anthropic-beta") headers.append(name, value);
		else headers.set(name, value);
	}
	for (const [name, value] of Object.entries(own)) headers.set(name, value);
	sign(connection, request);
}

/** Headers that the kind sets, in lower case. */
function headersOf({ kind, credentials, settings }: OpenConnection, token: string | undefined): Record<string, string> {
	const { api_key: key } = credentials;
	const bearer = token ?? key;
	const authorization: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
	switch (kind) {
		case "openai":
			return {
				...authorization,
				...(settings.organization === undefined ? {} : { "openai-organization": settings.organization }),
				...(settings.project === undefined ? {} : { "openai-project": settings.project }),
			};
		case "openai_compatible":
		case "google_vertex":
		case "aws_bedrock":
			return authorization;
		case "azure_openai":
			return token === undefined && key !== undefined ? { "api-key": key } : authorization;
		case "anthropic":
			return key === undefined ? {} : { "x-api-key": key };
		case "google":
			return key === undefined ? {} : { "x-goog-api-key": key };
	}
}

function sign({ kind, credentials, settings }: OpenConnection, request: AwsRequest): void {
	const { api_key: key, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = credentials;
	if (kind !== "aws_bedrock" || key !== undefined) return;
	if (accessKeyId === undefined || secretAccessKey === undefined) return;
	signAwsRequest(
		request,
		{ accessKeyId, secretAccessKey, sessionToken: credentials.session_token },
		{ region: settings.region ?? "us-east-1", service: "bedrock", now: new Date() },
	);
}
