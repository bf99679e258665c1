import { z } from "zod";
import { CONNECTION_APIS, CONNECTION_KINDS } from "#base/model-connections/kinds.ts";
import { pageSchema } from "#http/cursors.ts";
import { wireTime } from "#http/wire-times.ts";
import { CONNECTION_STATES } from "#models/connections/connection-state.ts";

const who = z.enum(["members", "admins"]);

const Failing = z
	.object({ code: z.string(), reason: z.string(), since: wireTime })
	.describe("Why the provider refuses every call.");

const Spending = z
	.object({
		month: z.string().describe("UTC, such as `2026-11`."),
		spent_usd: z.number(),
		reserved_usd: z.number().describe("What calls under way may cost at most."),
	})
	.describe("Of this month.");

/** What only admins see; absent for others. */
const FOR_ADMINS = z
	.object({
		origin: z.enum(["api", "settings"]).describe("`settings`: declared by SERVICE_MODEL_CONNECTIONS, and read-only."),
		base_url: z.string().nullable().describe("Null where it is the kind's own."),
		address: z.string().nullable().describe("Where requests go."),
		api: z.enum(CONNECTION_APIS).nullable(),
		settings: z.object({
			region: z.string().optional(),
			project: z.string().optional(),
			location: z.string().optional(),
			api_version: z.string().optional(),
			organization: z.string().optional(),
		}),
		credentials: z
			.record(z.string(), z.object({ secret: z.string().nullable(), updated_at: wireTime.nullable() }))
			.describe("Which there are, never their values; `secret` is the name of a stored secret."),
		headers: z.array(z.string()).describe("Names of its own headers."),
		confirmed: z.boolean().describe("False for what was made or changed while authentication was off."),
		failing: Failing.nullable(),
		max_concurrency: z.int(),
		requests_per_minute: z.int().nullable(),
		tokens_per_minute: z.int().nullable(),
		monthly_budget_usd: z.number().nullable(),
		timeout_seconds: z.int(),
		spending: Spending,
		user_id: z.string().nullable(),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.partial();

export const ModelConnection = z
	.object({
		id: z.string(),
		name: z.string(),
		kind: z.enum(CONNECTION_KINDS),
		models: z.array(z.string()).nullable().describe("Names that may be used; null: all."),
		default_model: z.string().nullable(),
		enabled: z.boolean(),
		state: z.enum(CONNECTION_STATES),
		use_by: who,
		rules_by: who.describe("Who may switch on a rule that sends live traffic through it."),
		...FOR_ADMINS.shape,
	})
	.describe("Admins see all of it, others how it can be used.")
	.meta({ id: "ModelConnection" });

export const OneModelConnection = z.object({ data: ModelConnection });
export const ModelConnectionPage = pageSchema(ModelConnection).meta({ id: "ModelConnectionPage" });

export const ModelConnectionPreset = z
	.object({
		id: z.string(),
		name: z.string(),
		kind: z.enum(CONNECTION_KINDS),
		base_url: z.string(),
		needs_key: z.boolean(),
		secret: z
			.object({ key: z.string(), is_stored: z.boolean() })
			.nullable()
			.describe("The name under which its key is usually stored, and whether there is such a secret."),
	})
	.meta({ id: "ModelConnectionPreset" });

export const ModelConnectionPresets = z.object({ data: z.array(ModelConnectionPreset) });
