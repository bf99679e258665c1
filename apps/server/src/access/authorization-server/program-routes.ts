import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { authorizeRoutes } from "./authorize-routes.ts";
import { ClientDocuments } from "./client-documents.ts";
import { clientRoutes } from "./client-routes.ts";
import { deviceRoutes } from "./device-routes.ts";
import { grantRoutes } from "./grant-routes.ts";
import { KnownClients } from "./known-clients.ts";
import { authorizationMetadataRoutes } from "./metadata-routes.ts";
import { registrationRoutes } from "./register-routes.ts";
import { tokenRoutes } from "./token-routes.ts";

/** Log-in for programs: an OAuth 2.1 authorization server. What users let programs do is seen also while it is off. */
export function programRoutes(app: App, context: WritingContext): void {
	const { config, log } = context;
	const documents = new ClientDocuments(config.SERVICE_OAUTH2_CLIENT_METADATA_HOSTS, log);
	app.addHook("onClose", () => documents[Symbol.asyncDispose]());
	const clients = new KnownClients(context, documents);
	authorizationMetadataRoutes(app, context);
	registrationRoutes(app, context);
	authorizeRoutes(app, context, clients);
	tokenRoutes(app, context);
	deviceRoutes(app, context);
	grantRoutes(app, context);
	clientRoutes(app, context);
}
