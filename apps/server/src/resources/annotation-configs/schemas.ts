import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { storedName, storedText } from "#http/stored-text.ts";

const MAX_VALUES = 1_000;
/** Characters of JSON; bounded because a list shows many configs. */
const MAX_VALUES_LENGTH = 65_536;
const MAX_DESCRIPTION = 10_000;

const optimizationDirection = z.enum(["MINIMIZE", "MAXIMIZE", "NONE"]);
const given = { name: storedName, description: storedText(MAX_DESCRIPTION).nullish() };
const bound = z.number().nullish();

/** What people annotate with: a choice of labels, a number, or a text. */
export const AnnotationConfigBody = z
	.discriminatedUnion("type", [
		z.object({
			...given,
			type: z.literal("CATEGORICAL"),
			optimization_direction: optimizationDirection,
			values: z
				.array(z.object({ label: storedText(1_000), score: z.number().nullish() }))
				.max(MAX_VALUES)
				.refine(
					(values) => JSON.stringify(values).length <= MAX_VALUES_LENGTH,
					`their JSON is longer than ${MAX_VALUES_LENGTH} characters`,
				),
		}),
		z.object({
			...given,
			type: z.literal("CONTINUOUS"),
			optimization_direction: optimizationDirection,
			lower_bound: bound,
			upper_bound: bound,
		}),
		z.object({
			...given,
			type: z.literal("FREEFORM"),
			optimization_direction: optimizationDirection.nullish(),
			threshold: bound,
			lower_bound: bound,
			upper_bound: bound,
		}),
	])
	.meta({ id: "AnnotationConfigBody" });

const stored = { id: z.string(), name: z.string(), description: z.string().nullable() };
const storedBound = z.number().nullable();

const CategoricalAnnotationConfig = z
	.object({
		...stored,
		type: z.literal("CATEGORICAL"),
		optimization_direction: optimizationDirection,
		values: z.array(z.object({ label: z.string(), score: z.number().nullable() })),
	})
	.meta({ id: "CategoricalAnnotationConfig" });

const ContinuousAnnotationConfig = z
	.object({
		...stored,
		type: z.literal("CONTINUOUS"),
		optimization_direction: optimizationDirection,
		lower_bound: storedBound,
		upper_bound: storedBound,
	})
	.meta({ id: "ContinuousAnnotationConfig" });

const FreeformAnnotationConfig = z
	.object({
		...stored,
		type: z.literal("FREEFORM"),
		optimization_direction: optimizationDirection.nullable(),
		threshold: storedBound,
		lower_bound: storedBound,
		upper_bound: storedBound,
	})
	.meta({ id: "FreeformAnnotationConfig" });

export const AnnotationConfig = z.discriminatedUnion("type", [
	CategoricalAnnotationConfig,
	ContinuousAnnotationConfig,
	FreeformAnnotationConfig,
]);

export const OneAnnotationConfig = z.object({ data: AnnotationConfig });
export const AnnotationConfigPage = pageSchema(AnnotationConfig).meta({ id: "AnnotationConfigPage" });

export const SetProjectConfigsBody = z.object({ annotation_config_ids: z.array(z.string().max(200)).max(1_000) });
