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
