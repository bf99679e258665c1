import type { ConnectionKind } from "./model-queries.ts";

export type CredentialField =
	| "api_key"
	| "tenant_id"
	| "client_id"
	| "client_secret"
	| "service_account"
	| "access_key_id"
	| "secret_access_key"
	| "session_token";
export type SettingField = "region" | "project" | "location" | "api_version" | "organization";
export type ConnectionApi = "responses" | "chat_completions";

/** What the dialog asks for; the server checks all of it. */
export interface KindFields {
	readonly needsAddress: boolean;
	/** The first one is the server's choice. */
	readonly apis: readonly ConnectionApi[];
	readonly settings: readonly { readonly field: SettingField; readonly needed: boolean }[];
	/** Sets of credentials, of which one is given; the first field of each names it. */
	readonly ways: readonly (readonly CredentialField[])[];
	readonly optional: readonly CredentialField[];
}

const NO_SETTINGS = { settings: [], optional: [] } as const;

export const KINDS: Readonly<Record<ConnectionKind, KindFields>> = {
	openai: {
		needsAddress: false,
		apis: ["responses", "chat_completions"],
		settings: [
			{ field: "organization", needed: false },
			{ field: "project", needed: false },
		],
		ways: [["api_key"]],
		optional: [],
	},
	openai_compatible: {
		needsAddress: true,
		apis: ["chat_completions", "responses"],
		settings: [],
		ways: [["api_key"]],
		optional: ["api_key"],
	},
	azure_openai: {
		needsAddress: true,
		apis: ["responses", "chat_completions"],
		settings: [{ field: "api_version", needed: false }],
		ways: [["api_key"], ["tenant_id", "client_id", "client_secret"]],
		optional: [],
	},
	anthropic: { needsAddress: false, apis: [], ways: [["api_key"]], ...NO_SETTINGS },
	google: { needsAddress: false, apis: [], ways: [["api_key"]], ...NO_SETTINGS },
	google_vertex: {
		needsAddress: false,
		apis: [],
		settings: [
			{ field: "project", needed: true },
			{ field: "location", needed: true },
		],
		ways: [["service_account"]],
		optional: [],
	},
	aws_bedrock: {
		needsAddress: false,
		apis: [],
		settings: [{ field: "region", needed: true }],
		ways: [["access_key_id", "secret_access_key", "session_token"], ["api_key"]],
		optional: ["session_token"],
	},
};

/** Kinds without a preset of their own. */
export const KINDS_BY_FORM = [
	"azure_openai",
	"google_vertex",
	"aws_bedrock",
] as const satisfies readonly ConnectionKind[];
