import type { Kysely } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import type { AnalyticsAnswer, GroupValue } from "#storage/traces/analytics/analytics-query.ts";
import { findKeyNames } from "../spend/queries.ts";
import type { Facet } from "./facet-schemas.ts";
import { filterOfGroup } from "./group-fields.ts";

const FIELD = "api_key";
const BY_KEY = [{ type: "field", name: FIELD }] as const;
export const KEY_ID_TYPES = { user: "UserApiKey", system: "SystemApiKey" } as const;

/** An answer with the global ids of keys in place of their row numbers. One whose name is not kept any more has no id. */
export async function withKeyIds(
	db: Kysely<Tables>,
	fields: readonly string[],
	answer: AnalyticsAnswer,
): Promise<AnalyticsAnswer> {
	const place = fields.indexOf(FIELD);
	if (place === -1) return answer;
	const idOf = await findIds(
		db,
		answer.groups.map(({ group }) => group[place] ?? null),
	);
	const named = (group: readonly GroupValue[]) =>
		group.map((value, index) => (fields[index] === FIELD ? idOf(value) : value));
	return { ...answer, groups: answer.groups.map((found) => ({ ...found, group: named(found.group) })) };
}

/** As {@link withKeyIds}, of the values of a facet of keys. */
export async function facetsWithKeyIds(
	db: Kysely<Tables>,
	facets: readonly z.output<typeof Facet>[],
): Promise<z.output<typeof Facet>[]> {
	const ofKeys = facets.flatMap(({ field, values }) => (field === FIELD ? values : []));
	const idOf = await findIds(
		db,
		ofKeys.map(({ value }) => value),
	);
	return facets.map((facet) => {
		if (facet.field !== FIELD) return facet;
		const values = facet.values.map((each) => {
			const value = idOf(each.value);
			return { ...each, value, filter: each.filter && (filterOfGroup("spans", BY_KEY, [value]) ?? null) };
		});
		return { ...facet, values };
	});
}

async function findIds(db: Kysely<Tables>, values: readonly GroupValue[]): Promise<(value: GroupValue) => GroupValue> {
	const numbers = [...new Set(values.filter((value) => value !== null).map(Number))];
	const keys = await findKeyNames(db, numbers);
	return (value) => {
		const key = value === null ? undefined : keys.get(Number(value));
		return key === undefined ? value : encodeGlobalId(KEY_ID_TYPES[key.kind], key.id);
	};
}
