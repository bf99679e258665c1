import type {
	ConnectionApi,
	ConnectionKind,
	ConnectionSettings,
	CredentialField,
} from "#base/model-connections/kinds.ts";

export type {
	ConnectionKind,
	ConnectionSettings,
	CredentialField,
} from "#base/model-connections/kinds.ts";

/** How a provider is reached, with everything that a request needs. Never logged or answered: it has credentials. */
export interface OpenConnection {
	readonly kind: ConnectionKind;
	/** Without a slash at its end; the preset's where none was given. */
	readonly baseUrl: string;
	readonly api: ConnectionApi;
	readonly settings: ConnectionSettings;
	readonly credentials: Readonly<Partial<Record<CredentialField, string>>>;
	/** Own headers, by name in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Milliseconds until the first byte of an answer. */
	readonly timeoutMs: number;
}
