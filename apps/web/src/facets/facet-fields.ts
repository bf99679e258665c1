import type { FilterTarget } from "@spanward/filter-language";
import { quoted } from "../filtering/conditions.ts";

/** The lists that have facets. */
export type FacetRows = "spans" | "traces" | "sessions" | "errors" | "users";

/** What the filter of a list is about. */
export const TARGETS = {
	spans: "span",
	traces: "trace",
	sessions: "session",
	errors: "span",
	users: "trace",
} as const satisfies Record<FacetRows, FilterTarget>;

/** The rows whose values are counted: users have those of their traces. */
export const COUNTED = {
	spans: "spans",
	traces: "traces",
	sessions: "sessions",
	errors: "errors",
	users: "traces",
} as const satisfies Record<FacetRows, string>;
export type CountedRows = (typeof COUNTED)[FacetRows];

/** A field whose values are counted, and how filters say it. */
export interface FacetField {
	/** As the server names it. */
	readonly name: string;
	/** What is compared in filters; tags are looked for in a list instead. */
	readonly compared: string | "tags";
	/** Rows always have a value. */
	readonly isNeverMissing: boolean;
	/** The parameter of the address that lists values of it, too. */
	readonly parameter?: "name" | "user" | "session" | "model" | "kind" | undefined;
}

const field = (
	name: string,
	compared: string,
	{ parameter, isNeverMissing = false }: Partial<Pick<FacetField, "parameter" | "isNeverMissing">> = {},
): FacetField => ({ name, compared, isNeverMissing, parameter });

const NAME = field("name", "name", { parameter: "name", isNeverMissing: true });
const STATUS = field("status", "status_code", { isNeverMissing: true });
const ROOT_KIND = field("kind", "root_kind");
const USER = field("user", "user_id", { parameter: "user" });
const SESSION = field("session", "session_id", { parameter: "session" });
const DEPLOYMENTS = [field("environment", "environment"), field("release", "release")] as const;
const TAG = field("tag", "tags");

/** The facets of each list that are there unless somebody pins others. */
export const FACETS: Readonly<Record<FacetRows, readonly FacetField[]>> = {
	spans: [
		field("kind", "span_kind", { parameter: "kind", isNeverMissing: true }),
		STATUS,
		field("model", "model", { parameter: "model" }),
		NAME,
		USER,
		...DEPLOYMENTS,
		TAG,
	],
	traces: [STATUS, NAME, ROOT_KIND, USER, SESSION, ...DEPLOYMENTS, TAG],
	sessions: [STATUS, USER],
	errors: [
		field("error_kind", "error_kind", { isNeverMissing: true }),
		field("tool", "error_tool"),
		field("model", "model"),
		NAME,
		USER,
		...DEPLOYMENTS,
	],
	users: [STATUS, NAME, ROOT_KIND, ...DEPLOYMENTS, TAG],
};

/** An attribute that somebody pinned. */
export function pinnedField(key: string): FacetField {
	const metadata = /^metadata\.(.+)$/s.exec(key)?.[1];
	const compared = metadata === undefined ? `attributes[${quoted(key)}]` : `metadata[${quoted(metadata)}]`;
	return field(compared, compared);
}
