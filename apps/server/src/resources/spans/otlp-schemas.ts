import { z } from "zod";
import { filteredPageSchema } from "#http/filter-param.ts";

/** Integers are written with all digits; clients without big integers round them. */
const integer = z.int();

export interface WireAnyValue {
	array_value: { values: WireAnyValue[] } | null;
	bool_value: boolean | null;
	bytes_value: string | null;
	double_value: number | string | null;
	int_value: number | null;
	kvlist_value: { values: { key: string; value: WireAnyValue }[] } | null;
	string_value: string | null;
}

/** Every variant is present, and all except one are null; all null is an empty value. */
export const OtlpAnyValue: z.ZodType<WireAnyValue> = z
	.object({
		get array_value() {
			return z.object({ values: z.array(OtlpAnyValue) }).nullable();
		},
		bool_value: z.boolean().nullable(),
		bytes_value: z.string().nullable().describe("Base64."),
		double_value: z.union([z.number(), z.string()]).nullable().describe("NaN, Infinity and -Infinity as strings."),
		int_value: integer.nullable().describe("64 bits, exact digits."),
		get kvlist_value() {
			return z.object({ values: z.array(z.object({ key: z.string(), value: OtlpAnyValue })) }).nullable();
		},
		string_value: z.string().nullable(),
	})
	.meta({ id: "OtlpAnyValue" });

export const OtlpKeyValue = z.object({ key: z.string(), value: OtlpAnyValue }).meta({ id: "OtlpKeyValue" });

export const OtlpSpan = z
	.object({
		trace_id: z.string(),
		span_id: z.string(),
		parent_span_id: z.string().nullable(),
		trace_state: z.string().nullable(),
		flags: integer.nullable(),
		name: z.string(),
		kind: z.string().describe("`SPAN_KIND_CLIENT` and so on."),
		start_time_unix_nano: integer,
		end_time_unix_nano: integer,
		attributes: z.array(OtlpKeyValue),
		dropped_attributes_count: integer.nullable(),
		events: z
			.array(
				z.object({
					name: z.string(),
					time_unix_nano: integer,
					attributes: z.array(OtlpKeyValue),
					dropped_attributes_count: integer,
				}),
			)
			.nullable(),
		dropped_events_count: integer.nullable(),
		links: z
			.array(
				z.object({
					trace_id: z.string(),
					span_id: z.string(),
					trace_state: z.string().nullable(),
					attributes: z.array(OtlpKeyValue),
					dropped_attributes_count: integer,
					flags: integer.nullable(),
				}),
			)
			.nullable(),
		dropped_links_count: integer.nullable(),
		status: z.object({ code: integer, message: z.string().nullable() }),
		resource: z.object({
			attributes: z.array(OtlpKeyValue),
			dropped_attributes_count: integer.nullable(),
			schema_url: z.string().nullable(),
		}),
		scope: z.object({
			name: z.string(),
			version: z.string().nullable(),
			attributes: z.array(OtlpKeyValue),
			dropped_attributes_count: integer.nullable(),
			schema_url: z.string().nullable(),
		}),
	})
	.meta({ id: "OtlpSpan", description: "The span exactly as it was sent (after the limits)." });

export const OtlpSpanPage = filteredPageSchema(OtlpSpan).meta({ id: "OtlpSpanPage" });
