import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { countParam } from "#http/query-params.ts";
import { toDollars } from "#models/ledger/money.ts";
import { listUsage } from "#models/ledger/usage.ts";
import { getConnection } from "./get-connection.ts";

const ModelUsage = z
	.object({
		month: z.string().describe("`2026-11`, UTC"),
		purpose: z.enum(["playground", "experiment", "evaluator", "chat_completions", "test"]),
		model: z.string().describe("Empty for models that the provider does not know, together."),
		calls: z.int().describe("Each try counts, and what was refused before it was sent."),
		errors: z.record(z.string(), z.int()).describe("Of them, those that failed, by the code of the error."),
		input_tokens: z.int().describe("As the provider counted them."),
		output_tokens: z.int(),
		cost_usd: z.number().describe("As booked; of a call that was cut short, the most that it may have cost."),
	})
	.meta({ id: "ModelUsage" });
type ModelUsage = z.output<typeof ModelUsage>;

const MONTHS = 12;

/** What was called through a connection, and what it cost. */
export function modelUsageRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/model_connections/:connection_id/usage",
		{
			config: { access: "admin", home: "shared_catalogue" },
			schema: {
				operationId: "listModelUsage",
				tags: ["model connections"],
				summary: "List what was called through a model connection by month, purpose and model, the newest month first",
				params: z.object({ connection_id: z.string().max(300) }),
				querystring: z.strictObject({ months: countParam(60).default(MONTHS).describe(`${MONTHS} when absent.`) }),
				response: { 200: z.object({ data: z.array(ModelUsage) }).meta({ id: "ModelUsageList" }) },
			},
		},
		async ({ params, query }) => {
			const { id } = await getConnection(db.read, params.connection_id);
			return { data: toUsage(await listUsage(db.read, id, query.months)) };
		},
	);
}

/** One entry of the rows that differ in their outcome alone. */
function toUsage(rows: Awaited<ReturnType<typeof listUsage>>): ModelUsage[] {
	const entries = new Map<string, ModelUsage>();
	for (const row of rows) {
		const key = `${row.month} ${row.purpose} ${row.model}`;
		const known = entries.get(key);
		const errors = row.outcome === "ok" ? {} : { [row.outcome]: row.calls };
		entries.set(key, {
			month: `${Math.floor(row.month / 100)}-${String(row.month % 100).padStart(2, "0")}`,
			purpose: row.purpose as ModelUsage["purpose"],
			model: row.model,
			calls: (known?.calls ?? 0) + row.calls,
			errors: { ...known?.errors, ...errors },
			input_tokens: (known?.input_tokens ?? 0) + row.input_tokens,
			output_tokens: (known?.output_tokens ?? 0) + row.output_tokens,
			cost_usd: (known?.cost_usd ?? 0) + toDollars(row.cost_nanos),
		});
	}
	return [...entries.values()];
}
