import { type Kysely, sql } from "kysely";
import type { z } from "zod";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { GroupValue } from "#storage/traces/analytics/analytics-query.ts";
import { findKeyNames } from "../spend/queries.ts";
import type { Facet } from "./facet-schemas.ts";
import { shownValue } from "./group-fields.ts";
import { KEY_ID_TYPES } from "./key-ids.ts";

/** What values of a group mean to people, by value. */
export type GroupLabels = ReadonlyMap<string, string>;

interface LabelSource {
	readonly db: Kysely<Tables>;
	readonly rights: Actor["rights"];
	readonly projectIds: readonly number[];
}

/**
 * Labels of values that say nothing by themselves: titles of groups of errors, names and last characters of keys, names and numbers of prompt versions that
 * the caller sees. Values of other groups are their own labels.
 */
export async function findLabels(
	source: LabelSource,
	group: string,
	values: readonly GroupValue[],
): Promise<GroupLabels> {
	const known = values.filter((value) => typeof value === "string");
	if (known.length === 0) return new Map();
	if (group === "error_group") return await findTitles(source, known);
	if (group === "api_key") return await findKeys(source, known);
	return group === "prompt_version" ? await findVersions(source, known) : new Map();
}

async function findTitles({ db, projectIds }: LabelSource, fingerprints: readonly string[]): Promise<GroupLabels> {
	const rows = await db
		.selectFrom("error_group_fingerprints")
		.select(["fingerprint", "title"])
		.where("project_id", "in", listed(projectIds))
		.where("fingerprint", "in", listed(fingerprints))
		.orderBy("project_id", "desc")
		.execute();
	return new Map(rows.map(({ fingerprint, title }) => [fingerprint, title]));
}

/** @param ids those of keys whose name is not kept any more are row numbers */
async function findKeys({ db }: LabelSource, ids: readonly string[]): Promise<GroupLabels> {
	const numberOf = (id: string) => decodeGlobalId(id, KEY_ID_TYPES.user) ?? decodeGlobalId(id, KEY_ID_TYPES.system);
	const numbers = new Map(ids.map((id) => [id, numberOf(id)]));
	const keys = await findKeyNames(
		db,
		[...numbers.values()].filter((number) => number !== undefined),
	);
	return new Map(
		Array.from(numbers, ([id, number]) => {
			const key = keys.get(number ?? 0);
			return [id, key === undefined ? "deleted key" : `${key.name} (…${key.last_characters})`] as const;
		}),
	);
}

async function findVersions({ db, rights }: LabelSource, versions: readonly string[]): Promise<GroupLabels> {
	const ids = versions.flatMap((version) => decodeGlobalId(version, "PromptVersion") ?? []);
	const rows = await db
		.selectFrom("prompt_versions as version")
		.innerJoin("prompts", "prompts.id", "version.prompt_id")
		.select(["version.id", "prompts.name"])
		.select(
			sql<number>`(select count(*) from prompt_versions as older
				where older.prompt_id = version.prompt_id and older.id <= version.id)`.as("number"),
		)
		.where("version.id", "in", listed(ids))
		.where(isSeenHome("prompts.project_id", rights))
		.execute();
	return new Map(
		rows.map(({ id, name, number }) => [encodeGlobalId("PromptVersion", id), `${name}, version ${number}`]),
	);
}

/** A value as the wire has it, with its label. */
export function labelled(value: GroupValue, labels: GroupLabels): ReturnType<typeof shownValue> {
	const shown = shownValue(value);
	return { ...shown, label: labels.get(String(value)) ?? shown.label };
}

/** The same facets with labels. */
export async function withLabels(
	source: LabelSource,
	facets: readonly z.output<typeof Facet>[],
): Promise<z.output<typeof Facet>[]> {
	return await Promise.all(
		facets.map(async (facet) => {
			const labels = await findLabels(
				source,
				facet.field,
				facet.values.map(({ value }) => value),
			);
			return { ...facet, values: facet.values.map((each) => ({ ...each, ...labelled(each.value, labels) })) };
		}),
	);
}
