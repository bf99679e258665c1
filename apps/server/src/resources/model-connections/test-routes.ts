import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { type ConnectionDefinition, toDefinition } from "#base/model-connections/definition.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import type { CallUse } from "#models/call-model.ts";
import type { CallingRequests } from "#models/calling-requests.ts";
import type { OpenConnection } from "#models/connection.ts";
import type { TestedProvider } from "#models/connection-test/test-connection.ts";
import { type TestStep, TestSteps } from "#models/connection-test/test-steps.ts";
import { type ConnectionRow, definitionOf } from "#models/connections/stored-definition.ts";
import { hostOf } from "#models/connections/target.ts";
import { ModelError } from "#models/model-error.ts";
import { callsOff } from "#models/provider-fetch.ts";
import type { Providers } from "#models/providers.ts";
import { checkDefinition, credentialChanges } from "./change-connection.ts";
import { getConnection } from "./get-connection.ts";
import { ModelConnectionTest, TestModelConnectionBody, TestNewModelConnectionBody } from "./test-schemas.ts";

type Parts = Pick<Context, "auth" | "config" | "db" | "models" | "stopping"> & {
	readonly callingRequests: CallingRequests;
	readonly providers: Providers;
};

const tags = ["model connections"];
const DESCRIPTION =
	"Goes the way to the provider step by step, lists its models and, where `model` is there, calls that with 16 tokens of output: once for an answer, for a stream, with a tool and with a schema. A step that needs a failed one is skipped.";
/** The longest wait for the first byte of an answer of a test: a model of one's own may have to be loaded first. */
const MAX_WAIT_MS = 120_000;

/** Trying a connection, stored or not. What tries is loaded with the first request. */
export function modelConnectionTestRoutes(app: App, parts: Parts): void {
	const { auth, config, db, models, providers, stopping } = parts;

	app.post(
		"/v1/model_connections/:connection_id/test",
		{
			config: { access: "admin", home: "catalogue", repeats: "never" },
			schema: {
				operationId: "testModelConnection",
				tags,
				summary: "Try a model connection step by step",
				description: DESCRIPTION,
				params: z.object({ connection_id: z.string().max(300) }),
				body: TestModelConnectionBody,
				response: { 200: ModelConnectionTest },
			},
		},
		async (request, reply) => {
			const row = await getConnection(db.read, request.params.connection_id);
			if (auth.enabled && row.is_confirmed === 0) throw unconfirmed();
			const { model } = request.body;
			return await tryIt(request, reply, { row, definition: definitionOf(row), model }, async (signal) => {
				const connection = await providers.open(row.id);
				return [connection, { ask: (asked, onDelta) => askStored(row.id, asked, { signal, onDelta }) }];
			});
		},
	);

	app.post(
		"/v1/model_connections/test",
		{
			config: { access: "admin", home: "catalogue", repeats: "never" },
			schema: {
				operationId: "testNewModelConnection",
				tags,
				summary: "Try a model connection that is not stored",
				description: DESCRIPTION,
				body: TestNewModelConnectionBody,
				response: { 200: ModelConnectionTest },
			},
		},
		async (request, reply) => {
			const { credentials, headers, model, ...members } = request.body;
			const definition = toDefinition({ ...members, name: members.name ?? "unsaved" });
			const given = credentialChanges({ credentials, headers });
			checkDefinition(definition, [], given);
			return await tryIt(request, reply, { row: undefined, definition, model }, async (signal) => {
				const connection = await providers.openUnsaved(definition, given);
				return [connection, { ask: (asked, onDelta) => providers.ask(connection, asked, withDelta(signal, onDelta)) }];
			});
		},
	);

	interface Tried {
		readonly row: ConnectionRow | undefined;
		readonly definition: ConnectionDefinition;
		readonly model: string | null | undefined;
	}

	async function tryIt(
		request: FastifyRequest,
		reply: FastifyReply,
		{ row, definition, model }: Tried,
		open: (signal: AbortSignal) => Promise<readonly [OpenConnection, Pick<TestedProvider, "ask">]>,
	): Promise<z.output<typeof ModelConnectionTest>> {
		if (!config.SERVICE_ENABLE_MODEL_CALLS) return toTest(switchedOff());
		const asker = askerOf(request, reply);
		using _ = parts.callingRequests.admit(asker.name);
		await request.actor.change((transaction) =>
			auth.audit.recordIn(transaction, {
				action: "model_connection.test",
				outcome: "success",
				principal: request.principal,
				request,
				...(row === undefined ? {} : { target: { type: "model_connection", id: row.id, name: row.name } }),
				details: { kind: definition.kind, host: hostOf(definition), model: model ?? null },
			}),
		);
		const signal = AbortSignal.any([asker.gone ?? [], stopping].flat());
		const [opened, { ask }] = await open(signal).catch(notOpened);
		const connection = { ...opened, timeoutMs: Math.min(opened.timeoutMs, MAX_WAIT_MS) };
		const { testConnection } = await import("#models/connection-test/test-connection.ts");
		const steps = await testConnection(
			{ ask, probe: () => providers.probe(connection), listModels: () => providers.listModels(connection, signal) },
			connection,
			model ?? undefined,
		);
		return toTest(steps);
	}

	/** Within the limits of the connection, so that what it costs is counted. */
	async function askStored(
		id: number,
		asked: Parameters<TestedProvider["ask"]>[0],
		{ signal, onDelta }: { readonly signal: AbortSignal; readonly onDelta: Parameters<TestedProvider["ask"]>[1] },
	) {
		const use: CallUse = {
			purpose: "test",
			isInteractive: true,
			project: config.SERVICE_PLAYGROUND_PROJECT_NAME,
			budgets: [],
			isAdmin: true,
		};
		const result = await models.call(id, asked, use, withDelta(signal, onDelta));
		if ("error" in result) throw result.error;
		return result.answer;
	}
}

function withDelta(signal: AbortSignal, onDelta: Parameters<TestedProvider["ask"]>[1]) {
	return { signal, ...(onDelta === undefined ? {} : { onDelta }) };
}

function notOpened(error: unknown): never {
	if (!(error instanceof ModelError)) throw error;
	throw new UserError(409, "model_connection_unusable", error.message);
}

function switchedOff(): readonly TestStep[] {
	const steps = new TestSteps();
	steps.note("address", "failed", callsOff().message, 0, "SERVICE_ENABLE_MODEL_CALLS");
	return steps.skipRest("Nothing was sent.");
}

function unconfirmed(): UserError {
	return new UserError(
		409,
		"connection_unconfirmed",
		"The model connection was made or changed while authentication was off. Confirm it before its credentials are sent.",
	);
}

function toTest(steps: readonly TestStep[]): z.output<typeof ModelConnectionTest> {
	return {
		ok: steps.every(({ outcome }) => outcome !== "failed"),
		steps: steps.map(({ name, outcome, message, setting, latencyMs }) => ({
			...{ name, outcome, message, setting: setting ?? null, latency_ms: latencyMs },
		})),
	};
}
