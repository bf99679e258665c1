import { z } from "zod";
import { mayCall } from "#access/auth/may-call.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { type ConnectionRow, modelsOf } from "#models/connections/stored-definition.ts";
import { CallPrices } from "#models/ledger/call-prices.ts";
import { whyNot } from "#models/ledger/may-call.ts";
import { providerOf } from "#models/ledger/provider-of.ts";
import { type ModelList, ModelLists } from "#models/model-lists.ts";
import type { Providers } from "#models/providers.ts";
import { getConnection } from "./get-connection.ts";
import { ModelConnectionModels } from "./test-schemas.ts";

type Parts = Pick<Context, "auth" | "config" | "db" | "now"> & { readonly providers: Providers };
type Principal = Parameters<typeof mayCall>[0];

const NO_LIST: ModelList = { names: [], problem: undefined };
/** Few enough for the lowest of the prices that depend on a call's size. */
const PRICED_TOKENS = 1_000;
const MILLION = 1_000_000;

/** The models of a connection: what the provider lists, which is kept for ten minutes, and what was entered by hand. */
export function connectionModelsRoute(app: App, parts: Parts): void {
	const { auth, config, db, now, providers } = parts;
	const lists = new ModelLists(providers);
	const prices = new CallPrices();

	app.get(
		"/v1/model_connections/:connection_id/models",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "listModelsOfConnection",
				tags: ["model connections"],
				summary: "List the models of a model connection, with their prices",
				description:
					"The provider is asked at most every ten minutes, for those who may use the connection; others get what is known.",
				params: z.object({ connection_id: z.string().max(300) }),
				response: { 200: ModelConnectionModels },
			},
		},
		async ({ params, principal }) => {
			const row = await getConnection(db.read, params.connection_id);
			const { names, problem } = await listFor(row, principal);
			await prices.refresh(db.read);
			return {
				data: merge(names, row).map((model) => ({ ...model, price: priceOf(row, model.name) })),
				problem: problem === undefined ? null : { code: problem.code, message: problem.message },
			};
		},
	);

	async function listFor(row: ConnectionRow, principal: Principal): Promise<ModelList> {
		const isAdmin = mayCall(principal, "admin");
		const ofAnyModel = { ...row, models: null };
		if (whyNot(ofAnyModel, { model: "", isAdmin, needsConfirmed: auth.enabled }) !== undefined) return NO_LIST;
		if (mayCall(principal, "write") && config.SERVICE_ENABLE_MODEL_CALLS) return await lists.get(row);
		return (await lists.find(row)) ?? NO_LIST;
	}

	function priceOf({ kind, base_url }: ConnectionRow, model: string) {
		const priced = { provider: providerOf({ kind, base_url }), model };
		const per = (tokens: { readonly prompt?: number; readonly completion?: number }) => {
			const dollars = prices.costOf(priced, tokens, now());
			// Without the digits that come of the multiplication.
			return dollars === undefined ? null : Number((dollars * (MILLION / PRICED_TOKENS)).toPrecision(12));
		};
		const input = per({ prompt: PRICED_TOKENS, completion: 0 });
		const output = per({ prompt: 0, completion: PRICED_TOKENS });
		return input === null && output === null ? null : { input, output };
	}
}

function merge(listed: readonly string[], row: ConnectionRow) {
	const byHand = [...(modelsOf(row) ?? []), ...(row.default_model === null ? [] : [row.default_model])];
	const known = new Set(listed);
	const added = [...new Set(byHand)].filter((name) => !known.has(name));
	return [
		...added.map((name) => ({ name, source: "by_hand" as const })),
		...listed.map((name) => ({ name, source: "provider" as const })),
	];
}
