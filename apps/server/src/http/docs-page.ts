import swaggerUi from "@fastify/swagger-ui";
import { withAccess } from "./access-policy.ts";
import type { App } from "./app-type.ts";

/** A page at /docs to read and try the API; everything it loads comes from this server. */
export async function serveDocs(app: App, basePath: string): Promise<void> {
	await app.register(async (docs: App) => {
		withAccess(docs, "read");
		await docs.register(swaggerUi, {
			routePrefix: "/docs",
			indexPrefix: basePath,
			staticCSP:
				"default-src 'self'; base-uri 'self'; frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'",
			uiConfig: { docExpansion: "list", deepLinking: true },
		});
	});
}
