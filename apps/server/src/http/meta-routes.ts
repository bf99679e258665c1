import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { App } from "./app-type.ts";
import { COMPATIBILITY_VERSION, VERSION } from "./versions.ts";

const text = { content: { "text/plain": { schema: z.string() } } };

export function metaRoutes(app: App, { db, traces, stopping }: WritingContext): void {
	app.get(
		"/healthz",
		{
			config: { access: "public", home: "none" },
			schema: { operationId: "healthz", tags: ["server"], summary: "The process runs", response: { 200: text } },
		},
		async (_request, reply) => reply.type("text/plain; charset=utf-8").send("OK"),
	);

	const checks = [
		new Check({ name: "the database", code: "database_unreachable", ask: () => db.check() }),
		new Check({ name: "the database of traces", code: "storage_unreachable", ask: () => traces.check() }),
	];
	app.get(
		"/readyz",
		{
			config: { access: "public", home: "none" },
			schema: {
				operationId: "readyz",
				tags: ["server"],
				summary: "The database answers, and the server is not about to stop",
				response: { 200: z.object({}) },
			},
		},
		async ({ log }) => {
			if (stopping.aborted) throw new UserError(503, "stopping", "stopping", { isLogged: true });
			for (const check of checks) await check.run(log);
			return {};
		},
	);

	app.get(
		"/arize_phoenix_version",
		{
			config: { access: "public", home: "none" },
			schema: {
				operationId: "compatibilityVersion",
				tags: ["server"],
				summary: "The API level that released clients ask for",
				response: { 200: text },
			},
		},
		async (_request, reply) => reply.type("text/plain; charset=utf-8").send(COMPATIBILITY_VERSION),
	);

	app.get(
		"/version",
		{
			config: { access: "read", home: "none" },
			schema: {
				operationId: "version",
				tags: ["server"],
				summary: "The version of Spanward",
				response: { 200: z.object({ version: z.string(), compatibility: z.string() }) },
			},
		},
		async () => ({ version: VERSION, compatibility: COMPATIBILITY_VERSION }),
	);

	let description: string | undefined;
	app.get(
		"/openapi.json",
		{ config: { access: "read", home: "none" }, schema: { hide: true } },
		async (_request, reply) => {
			description ??= JSON.stringify(app.swagger());
			return reply.type("application/json; charset=utf-8").send(description);
		},
	);
}

interface Checked {
	readonly name: string;
	/** Of the answer when it fails. */
	readonly code: "database_unreachable" | "storage_unreachable";
	readonly ask: () => Promise<void>;
}

/** What has to answer for the server to be ready. */
class Check {
	readonly #checked: Checked;
	#isAway = false;

	constructor(checked: Checked) {
		this.#checked = checked;
	}

	/** @throws UserError 503; it is logged once, as anybody may ask as often as they like */
	async run(log: Pick<FastifyBaseLogger, "info" | "error">): Promise<void> {
		const { name, code, ask } = this.#checked;
		try {
			await ask();
		} catch (cause) {
			if (!this.#isAway) log.error({ err: cause }, `${name} does not answer`);
			this.#isAway = true;
			throw new UserError(503, code, code.replace("_", " "), { isLogged: true, cause });
		}
		if (this.#isAway) log.info(`${name} answers again`);
		this.#isAway = false;
	}
}
