import type { FastifyRequest, RouteOptions } from "fastify";
import type { App } from "./app-type.ts";

/**
 * Who may call a route. Declared beside each route as `config: { access }`; a route without one stops the start.
 * While authentication is off every policy admits.
 *
 * - `public`: anybody (health, version, the web app's files)
 * - `read`: any signed-in principal
 * - `write`: members and admins
 * - `ingest`: as `write`, refused before the body is read
 * - `admin`: admins only
 */
export type AccessPolicy = "public" | "read" | "write" | "ingest" | "admin";

declare module "fastify" {
	interface FastifyContextConfig {
		access?: AccessPolicy;
	}
}

/** Answers whether the request may call a route with this policy. @throws UserError 401 or 403 when it may not */
export type Authorize = (request: FastifyRequest, access: AccessPolicy) => Promise<void>;

/** Authentication is off: everybody may do everything. */
export const admitAll: Authorize = async () => {};

/** Stops the start on a route without a policy, and asks `authorize` before the body of any request is read. */
export function enforceAccess(app: App, authorize: Authorize): void {
	const routes: RouteOptions[] = [];
	app.addHook("onRoute", (route) => {
		routes.push(route);
	});
	app.addHook("onReady", async () => {
		const open = routes.filter((route) => route.config?.access === undefined);
		if (open.length === 0) return;
		const names = open.map((route) => `${String(route.method)} ${route.url}`).join(", ");
		throw new Error(`these routes declare no access policy, add config: { access }: ${names}`);
	});
	app.addHook("onRequest", async (request) => {
		const access = request.routeOptions.config.access;
		// Requests that match no route have nothing to protect: they answer 404 or the web app.
		if (access !== undefined) await authorize(request, access);
	});
}

/** Gives the routes of a plugin that knows nothing of policies this one. */
export function withAccess(app: App, access: AccessPolicy): void {
	app.addHook("onRoute", (route) => {
		route.config = { ...route.config, access };
	});
}
