import { z } from "zod";
import { filterParam } from "#http/filter-param.ts";
import { limitParam, onlyParams, textParam } from "#http/query-params.ts";
import { groupValue, LISTS, rangeParams } from "./schemas.ts";

const MOST_FIELDS = 20;
const MOST_VALUES = 100;

export const FacetsQuery = onlyParams({
	of: z
		.enum([...LISTS, "errors"])
		.default("spans")
		.describe("What is counted."),
	field: z
		.preprocess(
			(value) => (value === undefined || Array.isArray(value) ? value : [value]),
			z.array(textParam, `Input should have 1 to ${MOST_FIELDS} fields`).min(1).max(MOST_FIELDS),
		)
		.describe(`1 to ${MOST_FIELDS} of the groups that \`GET /v1/analytics/schema\` lists, other than \`project\`.`),
	filter: filterParam.optional().describe("As in the list of these rows; for errors as in the list of spans."),
	...rangeParams("24h"),
	limit: limitParam(10, MOST_VALUES).describe("Values of each field."),
	value_contains: z.string().max(500).optional().describe("Part of the values as text, in any case."),
});

export const Facet = z
	.object({
		field: z.string(),
		values: z
			.array(
				z.object({
					value: groupValue,
					label: z.string(),
					count: z.int(),
					filter: z.string().nullable().describe("Selects the rows with this value; null where filters cannot say it."),
				}),
			)
			.describe("The most frequent first; null stands for rows without a value."),
		distinct: z.int().describe("Different values, null among them; of those that contain `value_contains`."),
		is_partial: z
			.boolean()
			.describe("Time was up before all was read, or some errors are still to be grouped: counts say at least."),
	})
	.meta({ id: "Facet" });

export const AttributeKeysQuery = onlyParams({
	of: z.enum(LISTS).default("spans").describe("Of traces and sessions, what their root spans have."),
	prefix: textParam.optional().describe("What keys begin with, in any case."),
});

export const AttributeKey = z
	.object({
		key: z.string(),
		in: z.enum(["attributes", "metadata", "resource", "annotations"]),
		types: z.array(z.enum(["string", "number", "boolean", "list"])),
		share: z.number().describe("Of the rows that were looked at, 0 to 1."),
	})
	.meta({ id: "AttributeKey" });
