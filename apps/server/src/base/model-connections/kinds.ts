/** How a provider of models is spoken to. */
export const CONNECTION_KINDS = [
	"openai",
	"openai_compatible",
	"azure_openai",
	"anthropic",
	"google",
	"google_vertex",
	"aws_bedrock",
] as const;
export type ConnectionKind = (typeof CONNECTION_KINDS)[number];

/** Names of credentials; {@link KINDS} says which of them a kind takes. */
export const CREDENTIAL_FIELDS = [
	"api_key",
	"tenant_id",
	"client_id",
	"client_secret",
	"service_account",
	"access_key_id",
	"secret_access_key",
	"session_token",
] as const;
export type CredentialField = (typeof CREDENTIAL_FIELDS)[number];

export const SETTING_FIELDS = ["region", "project", "location", "api_version", "organization"] as const;
export type SettingField = (typeof SETTING_FIELDS)[number];

/** Members of `settings` of a connection; {@link KINDS} says which of them a kind takes. */
export type ConnectionSettings = Readonly<Partial<Record<SettingField, string>>>;

export const CONNECTION_APIS = ["responses", "chat_completions"] as const;
export type ConnectionApi = (typeof CONNECTION_APIS)[number];

export interface KindRules {
	/** Whether an address has to be given: the kind has none of its own. */
	readonly needsBaseUrl: boolean;
	/** The first one is the default; empty where the kind has one alone. */
	readonly apis: readonly ConnectionApi[];
	readonly settings: readonly SettingField[];
	/** Those of `settings` without which there is no address or path. */
	readonly neededSettings: readonly SettingField[];
	/** Sets of credentials that belong together, one of which is given. */
	readonly credentials: readonly {
		readonly needed: readonly CredentialField[];
		readonly optional?: readonly CredentialField[];
	}[];
	/** When it may have no credentials at all. */
	readonly withoutCredentials: "always" | "with_base_url" | "never";
	/** Headers that the kind sets where it has credentials, in lower case. */
	readonly ownHeaders: readonly string[];
}

const API_KEY = { needed: ["api_key"] } as const;
const OPENAI_APIS = ["responses", "chat_completions"] as const;

export const KINDS: Readonly<Record<ConnectionKind, KindRules>> = {
	openai: {
		needsBaseUrl: false,
		apis: OPENAI_APIS,
		settings: ["organization", "project"],
		neededSettings: [],
		credentials: [API_KEY],
		withoutCredentials: "with_base_url",
		ownHeaders: ["authorization", "openai-organization", "openai-project"],
	},
	openai_compatible: {
		needsBaseUrl: true,
		apis: ["chat_completions", "responses"],
		settings: [],
		neededSettings: [],
		credentials: [API_KEY],
		withoutCredentials: "always",
		ownHeaders: ["authorization"],
	},
	azure_openai: {
		needsBaseUrl: true,
		apis: OPENAI_APIS,
		settings: ["api_version"],
		neededSettings: [],
		credentials: [API_KEY, { needed: ["tenant_id", "client_id", "client_secret"] }],
		withoutCredentials: "with_base_url",
		ownHeaders: ["authorization", "api-key"],
	},
	anthropic: {
		needsBaseUrl: false,
		apis: [],
		settings: [],
		neededSettings: [],
		credentials: [API_KEY],
		withoutCredentials: "with_base_url",
		ownHeaders: ["x-api-key", "anthropic-version"],
	},
	google: {
		needsBaseUrl: false,
		apis: [],
		settings: [],
		neededSettings: [],
		credentials: [API_KEY],
		withoutCredentials: "with_base_url",
		ownHeaders: ["x-goog-api-key"],
	},
	google_vertex: {
		needsBaseUrl: false,
		apis: [],
		settings: ["project", "location"],
		neededSettings: ["project", "location"],
		credentials: [{ needed: ["service_account"] }],
		withoutCredentials: "with_base_url",
		ownHeaders: ["authorization"],
	},
	aws_bedrock: {
		needsBaseUrl: false,
		apis: [],
		settings: ["region"],
		neededSettings: ["region"],
		credentials: [{ needed: ["access_key_id", "secret_access_key"], optional: ["session_token"] }, API_KEY],
		withoutCredentials: "with_base_url",
		ownHeaders: ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"],
	},
};

/** The credentials that a kind takes, in any combination. */
export function credentialsOf(kind: ConnectionKind): readonly CredentialField[] {
	return [...new Set(KINDS[kind].credentials.flatMap(({ needed, optional = [] }) => [...needed, ...optional]))];
}

/** Headers of the message itself and of the hop to the next server, in lower case. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set([
	...["host", "content-length", "transfer-encoding", "connection", "cookie", "content-type", "content-encoding"],
	...["accept-encoding", "expect", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "upgrade"],
]);

/** Whether a connection may have a header of this name, in lower case, as one of its own. */
export function mayHaveHeader(name: string, kind: ConnectionKind, hasCredentials: boolean): boolean {
	return !OF_THE_MESSAGE.has(name) && !(hasCredentials && KINDS[kind].ownHeaders.includes(name));
}
