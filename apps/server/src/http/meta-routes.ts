import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "./app-type.ts";
import { COMPATIBILITY_VERSION, VERSION } from "./versions.ts";

const text = { content: { "text/plain": { schema: z.string() } } };

export function metaRoutes(app: App, { db, stopping }: Context): void {
	app.get(
		"/healthz",
		{
			config: { access: "public" },
			schema: { operationId: "healthz", tags: ["server"], summary: "The process runs", response: { 200: text } },
		},
		async (_request, reply) => reply.type("text/plain; charset=utf-8").send("OK"),
	);

	let isAway = false;
	app.get(
		"/readyz",
		{
			config: { access: "public" },
			schema: {
				operationId: "readyz",
				tags: ["server"],
				summary: "The database answers, and the server is not about to stop",
				response: { 200: z.object({}) },
			},
		},
		async ({ log }) => {
			if (stopping.aborted) throw new UserError(503, "stopping", "stopping", { isLogged: true });
			try {
				await db.check();
			} catch (cause) {
				// Logged once, as anybody may ask as often as they like.
				if (!isAway) log.error({ err: cause }, "the database does not answer");
				isAway = true;
				throw new UserError(503, "database_unreachable", "database unreachable", { isLogged: true, cause });
			}
			if (isAway) log.info("the database answers again");
			isAway = false;
			return {};
		},
	);

	app.get(
		"/arize_phoenix_version",
		{
			config: { access: "public" },
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
			config: { access: "read" },
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
	app.get("/openapi.json", { config: { access: "read" }, schema: { hide: true } }, async (_request, reply) => {
		description ??= JSON.stringify(app.swagger());
		return reply.type("application/json; charset=utf-8").send(description);
	});
}
