import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { formatTime } from "#http/wire-times.ts";
import { MODEL_PROVIDERS } from "#models/definition-schemas.ts";
import { modelProviderOf, PROVIDER_NAMES, SDK_OF_KIND } from "./model-providers.ts";
import { CustomModelProviderPage, ModelProviders } from "./schemas.ts";

/** The model connections as released clients list them. */
export function modelProviderRoutes(app: App, { db }: Pick<Context, "db">): void {
	app.get(
		"/v1/model_providers",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "getModelProviders",
				tags: ["chat completions"],
				summary: "List the providers that there is a model connection to",
				response: { 200: ModelProviders },
			},
		},
		async () => {
			const rows = await db.read
				.selectFrom("model_connections")
				.select(["kind", "base_url"])
				.where("is_enabled", "=", 1)
				.execute();
			const found = new Set(rows.map(modelProviderOf));
			const providers = MODEL_PROVIDERS.filter((provider) => found.has(provider));
			return { data: providers.map((provider) => ({ provider, name: PROVIDER_NAMES[provider] })) };
		},
	);

	app.get(
		"/v1/custom_model_providers",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "getCustomModelProviders",
				tags: ["chat completions"],
				summary: "Page through the model connections as custom providers, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: CustomModelProviderPage },
			},
		},
		async ({ query }) => {
			const fromId = decodeIdCursor("GenerativeModelCustomProvider", query.cursor);
			let rows = db.read
				.selectFrom("model_connections")
				.select(["id", "name", "kind", "base_url", "created_at", "updated_at"])
				.orderBy("id", "desc")
				.limit(query.limit + 1);
			if (fromId !== undefined) rows = rows.where("id", "<=", fromId);
			const { items, next_cursor } = pageById("GenerativeModelCustomProvider", await rows.execute(), query.limit);
			const data = items.map((row) => ({
				id: encodeGlobalId("GenerativeModelCustomProvider", row.id),
				name: row.name,
				description: null,
				provider: modelProviderOf(row) ?? "OPENAI",
				sdk: SDK_OF_KIND[row.kind],
				created_at: formatTime(row.created_at),
				updated_at: formatTime(row.updated_at),
			}));
			return { data, next_cursor };
		},
	);
}
