import type { z } from "zod";
import type { CreateModelConnectionBody, UpdateModelConnectionBody } from "./connection-schemas.ts";
import {
	type ConnectionApi,
	type ConnectionKind,
	type ConnectionSettings,
	type CredentialField,
	credentialsOf,
	KINDS,
	mayHaveHeader,
	SETTING_FIELDS,
} from "./kinds.ts";

/** How a provider is reached and what may be done with it; everything but credentials and the values of headers. */
export interface ConnectionDefinition {
	readonly name: string;
	readonly kind: ConnectionKind;
	/** Null where it is the kind's own. */
	readonly base_url: string | null;
	readonly api: ConnectionApi | null;
	readonly settings: ConnectionSettings;
	readonly models: readonly string[] | null;
	readonly default_model: string | null;
	readonly enabled: boolean;
	readonly use_by: "members" | "admins";
	readonly rules_by: "members" | "admins";
	readonly max_concurrency: number;
	readonly requests_per_minute: number | null;
	readonly tokens_per_minute: number | null;
	readonly monthly_budget_usd: number | null;
	readonly timeout_seconds: number;
}

/** Headers of its own that a connection may have. */
const MAX_HEADERS = 20;

type Given = z.output<typeof UpdateModelConnectionBody>;

const DEFAULTS: Omit<ConnectionDefinition, "name" | "kind" | "api"> = {
	base_url: null,
	settings: {},
	models: null,
	default_model: null,
	enabled: true,
	use_by: "members",
	rules_by: "admins",
	max_concurrency: 8,
	requests_per_minute: null,
	tokens_per_minute: null,
	monthly_budget_usd: null,
	timeout_seconds: 120,
};

/** The definition of a connection that is made. */
export function toDefinition(
	body: Omit<z.output<typeof CreateModelConnectionBody>, "credentials" | "headers">,
): ConnectionDefinition {
	const { name, kind } = body;
	return changeDefinition({ ...DEFAULTS, name, kind, api: KINDS[kind].apis[0] ?? null }, body);
}

/** A definition with what is given; `settings` are merged, and null takes one away. */
export function changeDefinition(
	before: ConnectionDefinition,
	given: Omit<Given, "credentials" | "headers">,
): ConnectionDefinition {
	const kind = given.kind ?? before.kind;
	const { apis } = KINDS[kind];
	const api = given.api === undefined ? before.api : given.api;
	const isOther = kind !== before.kind;
	return {
		...before,
		...withoutUndefined(given),
		kind,
		// What belonged to the former kind goes with it.
		base_url: given.base_url === undefined ? (isOther ? null : before.base_url) : given.base_url,
		api: api === null || (isOther && given.api === undefined) ? (apis[0] ?? null) : api,
		settings: changeSettings(isOther ? {} : before.settings, given.settings),
	};
}

function changeSettings(before: ConnectionSettings, given: Given["settings"]): ConnectionSettings {
	const members = SETTING_FIELDS.flatMap((field) => {
		const of = given?.[field];
		const value = of === undefined ? before[field] : of;
		return value === undefined || value === null ? [] : [[field, value] as const];
	});
	return Object.fromEntries(members);
}

function withoutUndefined(given: Omit<Given, "credentials" | "headers">): Partial<ConnectionDefinition> {
	const { base_url: _url, api: _api, settings: _settings, kind: _kind, ...rest } = given;
	const members = Object.entries(rest).filter(([name, value]) => name in DEFAULTS_WITH_NAME && value !== undefined);
	return Object.fromEntries(members);
}

const DEFAULTS_WITH_NAME = { ...DEFAULTS, name: "" };

/** What is wrong with a connection: the way to the member, and what is expected there. */
export interface ConnectionProblem {
	readonly path: readonly string[];
	readonly message: string;
}

/** What a connection has beside its definition, by name. */
export interface Held {
	readonly credentials: readonly CredentialField[];
	/** In lower case. */
	readonly headers: readonly string[];
}

/** What does not fit together in a connection whose members are each right by themselves. */
export function connectionProblems(definition: ConnectionDefinition, held: Held): readonly ConnectionProblem[] {
	const { kind, base_url: baseUrl, settings, api, models, default_model: model } = definition;
	const { needsBaseUrl, apis, settings: taken, neededSettings } = KINDS[kind];
	const problems: ConnectionProblem[] = [];
	const add = (path: readonly string[], message: string) => problems.push({ path, message });

	if (needsBaseUrl && baseUrl === null) add(["base_url"], `The kind ${kind} needs an address`);
	if (api !== null && !apis.includes(api)) add(["api"], `The kind ${kind} has no choice of API`);
	for (const field of SETTING_FIELDS) {
		if (settings[field] !== undefined && !taken.includes(field))
			add(["settings", field], `The kind ${kind} does not take it`);
	}
	for (const field of neededSettings) {
		if (settings[field] === undefined) add(["settings", field], `The kind ${kind} needs it`);
	}
	if (model !== null && models !== null && !models.includes(model)) {
		add(["default_model"], "Should be one of models");
	}
	problems.push(...credentialProblems(definition, held.credentials));
	if (held.headers.length > MAX_HEADERS) add(["headers"], `At most ${MAX_HEADERS} headers`);
	for (const header of held.headers) {
		if (!mayHaveHeader(header, kind, held.credentials.length > 0)) {
			add(["headers", header], "This header is set by the service itself");
		}
	}
	return problems;
}

function credentialProblems(
	{ kind, base_url: baseUrl }: ConnectionDefinition,
	held: readonly CredentialField[],
): readonly ConnectionProblem[] {
	const { credentials: sets, withoutCredentials } = KINDS[kind];
	const taken = credentialsOf(kind);
	const foreign = held.filter((field) => !taken.includes(field));
	if (foreign.length > 0) {
		return foreign.map((field) => ({
			path: ["credentials", field],
			message: `The kind ${kind} takes ${taken.join(", ")}`,
		}));
	}
	const ways = sets.map(({ needed }) => needed.join(", ")).join(", or ");
	if (held.length === 0) {
		const isFine = withoutCredentials === "always" || (withoutCredentials === "with_base_url" && baseUrl !== null);
		return isFine ? [] : [{ path: ["credentials"], message: `The kind ${kind} needs ${ways}` }];
	}
	const isOneSet = sets.some(
		({ needed, optional = [] }) =>
			needed.every((field) => held.includes(field)) && held.every((field) => [...needed, ...optional].includes(field)),
	);
	return isOneSet ? [] : [{ path: ["credentials"], message: `The kind ${kind} takes ${ways}, and not parts of both` }];
}
