import type { Config } from "#base/config.ts";
import type { App } from "#http/app-type.ts";
import { issuerOf } from "./issuer.ts";

/** Names the metadata of the resource in the challenges of what needs credentials. */
export function sayWhereToAuthorize(
	app: App,
	config: Pick<Config, "SERVICE_ROOT_URL" | "SERVICE_HOST_ROOT_PATH">,
): void {
	app.decorateRequest("resourceMetadata");
	app.addHook("onRequest", async (request) => {
		const { access, audience } = request.routeOptions.config;
		if (access === "public") return;
		request.resourceMetadata = () => {
			const issuer = issuerOf(config, request);
			if (issuer === undefined) return undefined;
			return `${issuer}/.well-known/oauth-protected-resource${audience === "mcp" ? "/mcp" : ""}`;
		};
	});
}
