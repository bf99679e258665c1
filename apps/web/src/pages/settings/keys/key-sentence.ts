import type { UserApiKey } from "@spanward/client";
import { formatInteger } from "../../../lib/format.ts";

/** What limits a key. */
export type KeyLimits = Pick<
	UserApiKey,
	"permissions" | "projects" | "hidden_project_count" | "include_library" | "ip_ranges" | "allowed_origins" | "limits"
>;

const NAMED = 3;

/** The same of a key whose owner may only read, and which therefore does no more, whatever it is permitted. */
export function readingOnly<Limits extends Pick<KeyLimits, "permissions">>(key: Limits): Limits {
	return { ...key, permissions: (key.permissions ?? ["read"]).filter((each) => each === "read") };
}

/**
 * One sentence of what a key, or something limited like one, can do.
 * @param owner as whom it acts: "its owner", "a member"
 */
export function keySentence(key: KeyLimits, owner: string, subject = "This key"): string {
	if (key.permissions?.length === 0) return `${subject} can do nothing, as ${owner} may only read.`;
	const parts = [
		`${subject} can ${doingOf(key.permissions, owner)}`,
		placesOf(key),
		key.ip_ranges === null ? "" : `from ${listOf(key.ip_ranges)} only`,
		key.allowed_origins === null ? "" : `from web pages of ${listOf(key.allowed_origins)}`,
		limitsOf(key.limits),
	];
	const end = key.permissions === null || key.permissions.includes("read") ? "." : "; it can read nothing.";
	return parts.filter((part) => part !== "").join(" ") + end;
}

function doingOf(permissions: KeyLimits["permissions"], owner: string): string {
	if (permissions === null) return `do everything that ${owner} may`;
	const writes = permissions.includes("write");
	const words = [
		permissions.includes("read") ? "read" : "",
		writes ? "write" : "",
		permissions.includes("ingest") && !writes ? "send traces" : "",
		permissions.includes("annotate") && !writes ? "annotate" : "",
	];
	return joined(words.filter((word) => word !== ""));
}

function placesOf({ projects, hidden_project_count: hidden, include_library }: KeyLimits): string {
	if (projects === null) return "";
	const names = projects.map(({ name }) => name);
	const places = [
		...(names.length === 0 ? [] : [`the project${names.length === 1 ? "" : "s"} ${listOf(names)}`]),
		...(hidden === 0 ? [] : [`${hidden === 1 ? "a project" : `${hidden} projects`} that you do not see`]),
		...(include_library ? ["the library"] : []),
	];
	return places.length === 0 ? "in no project any more" : `in ${joined(places)}`;
}

function limitsOf({ requests_per_minute, spans_per_day }: KeyLimits["limits"]): string {
	const limits = [
		...(requests_per_minute === null ? [] : [`${formatInteger(requests_per_minute)} requests a minute`]),
		...(spans_per_day === null ? [] : [`${formatInteger(spans_per_day)} spans a day`]),
	];
	return limits.length === 0 ? "" : `up to ${joined(limits)}`;
}

/** The first few, and how many more there are. */
export function listOf(texts: readonly string[]): string {
	const more = texts.length - NAMED;
	return more > 1 ? `${texts.slice(0, NAMED).join(", ")} and ${more} more` : joined(texts);
}

function joined(texts: readonly string[]): string {
	return texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}
