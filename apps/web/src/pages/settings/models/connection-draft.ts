import { modelsTexts as TEXTS } from "../../../texts/models-en.ts";
import { type ConnectionApi, type CredentialField, KINDS, type SettingField } from "./connection-kinds.ts";
import type { ConnectionKind, ModelConnection, ModelConnectionPreset } from "./model-queries.ts";

type Who = "members" | "admins";

export const LIMITS = ["max_concurrency", "requests_per_minute", "tokens_per_minute", "timeout_seconds"] as const;
export type Limit = (typeof LIMITS)[number];

/** The values of the form. */
export interface ConnectionDraft {
	readonly kind: ConnectionKind;
	readonly name: string;
	/** Empty for the kind's own. */
	readonly address: string;
	readonly api: ConnectionApi | undefined;
	readonly settings: Readonly<Partial<Record<SettingField, string>>>;
	/** Which set of credentials, by its position. */
	readonly way: number;
	/** Empty for those that stay as they are. */
	readonly credentials: Readonly<Partial<Record<CredentialField, string>>>;
	/** The stored secret that is the key; undefined where it is entered. */
	readonly secret: string | undefined;
	/** One a line. */
	readonly models: string;
	readonly defaultModel: string;
	readonly useBy: Who;
	readonly rulesBy: Who;
	readonly limits: Readonly<Record<Limit, string>>;
	readonly budget: string;
	/** A stored one keeps its value while `value` is empty. */
	readonly headers: readonly { readonly name: string; readonly value: string; readonly isStored: boolean }[];
}

const NO_LIMITS: ConnectionDraft["limits"] = {
	max_concurrency: "8",
	requests_per_minute: "",
	tokens_per_minute: "",
	timeout_seconds: "120",
};

const EMPTY: Omit<ConnectionDraft, "kind" | "name" | "address" | "api"> = {
	settings: {},
	way: 0,
	credentials: {},
	secret: undefined,
	models: "",
	defaultModel: "",
	useBy: "members",
	rulesBy: "admins",
	limits: NO_LIMITS,
	budget: "",
	headers: [],
};

/** A new connection of a kind, with the address and the stored key of a preset. */
export function newDraft(kind: ConnectionKind, preset?: ModelConnectionPreset): ConnectionDraft {
	return {
		...EMPTY,
		kind,
		name: preset?.id ?? kind,
		// A kind's own address may change with the server.
		address: preset !== undefined && KINDS[kind].needsAddress ? preset.base_url : "",
		api: KINDS[kind].apis[0],
		secret: preset?.secret?.is_stored ? preset.secret.key : undefined,
	};
}

export function draftOf(connection: ModelConnection): ConnectionDraft {
	const { kind, credentials = {} } = connection;
	const { ways } = KINDS[kind];
	const way = ways.findIndex(([first]) => first !== undefined && first in credentials);
	return {
		kind,
		name: connection.name,
		address: connection.base_url ?? "",
		api: connection.api ?? undefined,
		settings: connection.settings ?? {},
		way: Math.max(way, 0),
		credentials: {},
		secret: undefined,
		models: (connection.models ?? []).join("\n"),
		defaultModel: connection.default_model ?? "",
		useBy: connection.use_by,
		rulesBy: connection.rules_by,
		limits: {
			max_concurrency: String(connection.max_concurrency ?? ""),
			requests_per_minute: String(connection.requests_per_minute ?? ""),
			tokens_per_minute: String(connection.tokens_per_minute ?? ""),
			timeout_seconds: String(connection.timeout_seconds ?? ""),
		},
		budget: String(connection.monthly_budget_usd ?? ""),
		headers: (connection.headers ?? []).map((name) => ({ name, value: "", isStored: true })),
	};
}

/** The names of models, without empty lines. */
export function modelsOf({ models }: ConnectionDraft): readonly string[] {
	return models
		.split(/[\n,]/)
		.map((name) => name.trim())
		.filter((name) => name !== "");
}

function originOf(text: string): string | undefined {
	return URL.parse(text)?.origin;
}

/** Whether what is stored would go elsewhere, so that the server wants all of it again. */
export function asksAgain(draft: ConnectionDraft, stored: ModelConnection | undefined): boolean {
	if (stored === undefined) return false;
	const address = draft.address.trim();
	const before = originOf(stored.address ?? "");
	const after = address === "" ? (stored.base_url === null ? before : undefined) : originOf(address);
	const isSame = (field: SettingField) => (draft.settings[field] ?? "").trim() === (stored.settings?.[field] ?? "");
	return before !== after || !(["region", "location", "api_version"] as const).every(isSame);
}

export type DraftField = "name" | "base_url" | "default_model" | SettingField | CredentialField | Limit | "budget";

const WHOLE = /^\d+$/;
const DOLLARS = /^\d+(\.\d+)?$/;

/** @param stored the connection that is changed; undefined for a new one */
export function draftProblems(
	draft: ConnectionDraft,
	stored: ModelConnection | undefined,
): Partial<Record<DraftField, string>> {
	const problems: Partial<Record<DraftField, string>> = {};
	const { needsAddress, settings, ways, optional } = KINDS[draft.kind];
	if (draft.name.trim() === "") problems.name = TEXTS.nameMissing;
	if (needsAddress && draft.address.trim() === "") problems.base_url = TEXTS.addressMissing;
	for (const { field, needed } of settings) {
		if (needed && (draft.settings[field] ?? "").trim() === "") problems[field] = TEXTS.settingMissing;
	}
	const again = asksAgain(draft, stored);
	for (const field of ways[draft.way] ?? []) {
		const isEmpty = (draft.credentials[field] ?? "").trim() === "" && draft.secret === undefined;
		const isStored = stored?.credentials !== undefined && field in stored.credentials;
		if (isEmpty && again && isStored) problems[field] = TEXTS.again;
		else if (isEmpty && !isStored && !optional.includes(field) && !(draft.address.trim() !== "" && !needsAddress)) {
			problems[field] = TEXTS.credentialMissing;
		}
	}
	const models = modelsOf(draft);
	const model = draft.defaultModel.trim();
	if (model !== "" && models.length > 0 && !models.includes(model)) problems.default_model = TEXTS.defaultModelBad;
	for (const limit of LIMITS) {
		const text = draft.limits[limit].trim();
		if (text !== "" && !WHOLE.test(text)) problems[limit] = TEXTS.numberBad;
	}
	if (draft.budget.trim() !== "" && !DOLLARS.test(draft.budget.trim())) problems.budget = TEXTS.dollarsBad;
	return problems;
}

const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
const numberOrNull = (text: string) => (text.trim() === "" ? null : Number(text.trim()));

/** The body of the request that adds a connection; the draft must have no problems. */
export function newBody(draft: ConnectionDraft) {
	return { kind: draft.kind, ...changedBody(draft, undefined), headers: enteredHeaders(draft) };
}

/** The body of the request that changes a connection; the draft must have no problems. */
export function changedBody(draft: ConnectionDraft, stored: ModelConnection | undefined) {
	const { settings } = KINDS[draft.kind];
	const { max_concurrency: concurrency, timeout_seconds: timeout } = draft.limits;
	const models = modelsOf(draft);
	return {
		name: draft.name.trim(),
		base_url: orNull(draft.address),
		...(draft.api === undefined ? {} : { api: draft.api }),
		settings: Object.fromEntries(settings.map(({ field }) => [field, orNull(draft.settings[field] ?? "")])),
		models: models.length === 0 ? null : [...models],
		default_model: orNull(draft.defaultModel),
		use_by: draft.useBy,
		rules_by: draft.rulesBy,
		...(concurrency.trim() === "" ? {} : { max_concurrency: Number(concurrency) }),
		...(timeout.trim() === "" ? {} : { timeout_seconds: Number(timeout) }),
		requests_per_minute: numberOrNull(draft.limits.requests_per_minute),
		tokens_per_minute: numberOrNull(draft.limits.tokens_per_minute),
		monthly_budget_usd: numberOrNull(draft.budget),
		credentials: credentialsOf(draft, stored),
		headers: headersOf(draft, stored),
	};
}

/** Those that were entered, and null for stored ones of another set. */
function credentialsOf({ kind, way, credentials, secret }: ConnectionDraft, stored: ModelConnection | undefined) {
	const fields = KINDS[kind].ways[way] ?? [];
	const [first] = fields;
	if (secret !== undefined && first !== undefined) return { [first]: { secret } };
	const entered = fields.flatMap((field) => {
		const value = (credentials[field] ?? "").trim();
		return value === "" ? [] : [[field, { value }] as const];
	});
	const left = Object.keys(stored?.credentials ?? {}).filter((field) => !fields.some((own) => own === field));
	return Object.fromEntries([...left.map((field) => [field, null] as const), ...entered]);
}

function enteredHeaders({ headers }: ConnectionDraft): Record<string, string> {
	const entered = headers.filter(({ name, value }) => name.trim() !== "" && value.trim() !== "");
	return Object.fromEntries(entered.map(({ name, value }) => [name.trim(), value.trim()]));
}

/** Those that were entered, and null for stored ones that were removed. */
function headersOf(draft: ConnectionDraft, stored: ModelConnection | undefined): Record<string, string | null> {
	const kept = new Set(draft.headers.map(({ name }) => name.trim().toLowerCase()));
	const removed = (stored?.headers ?? []).filter((name) => !kept.has(name));
	return { ...Object.fromEntries(removed.map((name) => [name, null])), ...enteredHeaders(draft) };
}
