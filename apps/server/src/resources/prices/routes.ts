import { z } from "zod";
import { notFound, UserError, ValidationError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam, searchParam } from "#http/query-params.ts";
import { type PriceMatch, regexProblem } from "#pricing/own-prices.ts";
import { listOwnPrices } from "#storage/own-prices.ts";
import { listModelPrices } from "./list-model-prices.ts";
import { findPrice, insertPrice, updatePrice } from "./queries.ts";
import { recomputationRoutes } from "./recomputation-routes.ts";
import { CreateModelPriceBody, ModelPrice, UpdateModelPriceBody } from "./schemas.ts";
import { builtInPrices, toModelPrice } from "./to-model-price.ts";

const OnePrice = z.object({ data: ModelPrice });
const params = z.object({ price_id: z.string().max(300) });
const tags = ["prices"];

/** Prices of models, and recomputations of costs. */
export function priceRoutes(app: App, context: Context): void {
	const { cluster, db, ingest, now } = context;

	/** Makes ingest use the new prices: in this process now, in others soon. */
	async function publish(): Promise<void> {
		cluster.tell({ topic: "prices" });
		await ingest.usePrices(() => listOwnPrices(db.read));
	}

	app.get(
		"/v1/model_prices",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listModelPrices",
				tags,
				summary: "Page through model prices: custom ones, newest first, then the built-in ones",
				querystring: z.object({
					cursor: cursorParam,
					limit: limitParam(100),
					name_contains: searchParam.optional().describe("Part of the name or the pattern, in any case."),
					origin: z.enum(["built_in", "own"]).optional(),
				}),
				response: { 200: pageSchema(ModelPrice).meta({ id: "ModelPricePage" }) },
			},
		},
		async ({ query }) => await listModelPrices(db.read, query),
	);

	app.post(
		"/v1/model_prices",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "createModelPrice",
				tags,
				summary: "Set a custom price, which takes precedence over built-in ones",
				description:
					"It applies to spans that arrive from then on; stored costs change with POST /v1/projects/{project}/cost_recomputations.",
				body: CreateModelPriceBody,
				response: { 201: OnePrice },
			},
		},
		async ({ body, actor, principal }, reply) => {
			const match = body.match ?? "exact";
			const pattern = checkPattern(match, body.pattern);
			const row = await actor.change(async (transaction) => {
				const at = now();
				return await insertPrice(transaction, {
					name: body.name ?? body.pattern,
					match,
					pattern,
					provider: body.provider ?? null,
					starts_at: body.start_time ?? null,
					prices: JSON.stringify(body.prices),
					user_id: userOf(principal)?.id ?? null,
					created_at: at,
					updated_at: at,
				});
			});
			await publish();
			setEtag(reply, row);
			return reply.code(201).send({ data: toModelPrice(row) });
		},
	);

	app.get(
		"/v1/model_prices/:price_id",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getModelPrice",
				tags,
				summary: "Fetch a price, custom or built-in",
				params,
				response: { 200: OnePrice },
			},
		},
		async (request, reply) => {
			const { price_id: id } = request.params;
			const builtIn = builtInPrices().find((price) => price.id === id);
			if (builtIn !== undefined) return { data: builtIn };
			const row = await findPrice(db.read, parsePriceId(id));
			if (row === undefined) throw priceNotFound();
			setEtag(reply, row);
			return { data: toModelPrice(row) };
		},
	);

	app.patch(
		"/v1/model_prices/:price_id",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "updateModelPrice",
				tags,
				summary: "Change a custom price",
				params,
				body: UpdateModelPriceBody,
				response: { 200: OnePrice },
			},
		},
		async (request, reply) => {
			const { body, actor } = request;
			const id = parsePriceId(request.params.price_id);
			const updated = await actor.change(async (transaction) => {
				const row = await findPrice(transaction, id);
				if (row === undefined) throw priceNotFound();
				assertIfMatch(request, row);
				const match = body.match ?? row.match;
				return await updatePrice(transaction, row, {
					match,
					pattern: checkPattern(match, body.pattern ?? row.pattern),
					...(body.name === undefined ? {} : { name: body.name }),
					...(body.provider === undefined ? {} : { provider: body.provider }),
					...(body.start_time === undefined ? {} : { starts_at: body.start_time }),
					...(body.prices === undefined ? {} : { prices: JSON.stringify(body.prices) }),
					updated_at: Math.max(now(), row.updated_at + 1),
				});
			});
			await publish();
			setEtag(reply, updated);
			return { data: toModelPrice(updated) };
		},
	);

	app.delete(
		"/v1/model_prices/:price_id",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "deleteModelPrice",
				tags,
				summary: "Delete a custom price",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const id = parsePriceId(request.params.price_id);
			await request.actor.change(async (transaction) => {
				const row = await findPrice(transaction, id);
				if (row === undefined) throw priceNotFound();
				assertIfMatch(request, row);
				await transaction.deleteFrom("model_prices").where("id", "=", id).execute();
			});
			await publish();
			return reply.code(204).send(null);
		},
	);

	recomputationRoutes(app, context);
}

/** The pattern in the form for matching. @throws ValidationError for an invalid regular expression */
function checkPattern(match: PriceMatch, pattern: string): string {
	if (match !== "regex") return pattern.toLowerCase();
	const problem = regexProblem(pattern);
	if (problem === undefined) return pattern;
	throw new ValidationError([{ type: "value_error", loc: ["body", "pattern"], msg: `Value error, ${problem}` }]);
}

/** @throws UserError 422, or 403 for a built-in price */
function parsePriceId(text: string): number {
	const id = decodeGlobalId(text, "ModelPrice");
	if (id !== undefined) return id;
	if (builtInPrices().some((price) => price.id === text)) {
		throw new UserError(
			403,
			"built_in_price",
			"Built-in prices cannot be changed; a custom price takes precedence over them",
		);
	}
	throw new UserError(422, "invalid_model_price_id", `Invalid model price id: ${text.slice(0, 100)}`);
}

function priceNotFound(): UserError {
	return notFound("model_price_not_found", "There is no such price");
}
