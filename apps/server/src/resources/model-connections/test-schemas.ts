import { z } from "zod";
import { CreateModelConnectionBody } from "#base/model-connections/connection-schemas.ts";
import { TEST_OUTCOMES, TEST_STEPS } from "#models/connection-test/test-steps.ts";

const model = z
	.string()
	.min(1)
	.max(200)
	.nullish()
	.describe("Is called four times, with 16 tokens of output each. When absent, nothing is asked that costs.");

export const TestModelConnectionBody = z.object({ model }).meta({ id: "TestModelConnectionBody" });

export const TestNewModelConnectionBody = CreateModelConnectionBody.partial({ name: true })
	.extend({ model })
	.meta({ id: "TestNewModelConnectionBody" });

export const ModelConnectionTest = z
	.object({
		ok: z.boolean().describe("No step failed."),
		steps: z.array(
			z.object({
				name: z.enum(TEST_STEPS),
				outcome: z.enum(TEST_OUTCOMES),
				message: z.string().describe("What was seen, or why it failed and what to change."),
				setting: z.string().nullable().describe("The variable to change."),
				latency_ms: z.int(),
			}),
		),
	})
	.meta({ id: "ModelConnectionTest" });

export const ModelConnectionModels = z
	.object({
		data: z.array(
			z.object({
				name: z.string(),
				source: z
					.enum(["provider", "by_hand"])
					.describe("`by_hand`: of the connection, and not in the provider's list."),
				price: z
					.object({ input: z.number().nullable(), output: z.number().nullable() })
					.nullable()
					.describe("US dollars for a million tokens; null: no price is known, so limits in dollars refuse it."),
			}),
		),
		problem: z
			.object({ code: z.string(), message: z.string() })
			.nullable()
			.describe("Why there is no list of the provider."),
	})
	.meta({ id: "ModelConnectionModels" });
