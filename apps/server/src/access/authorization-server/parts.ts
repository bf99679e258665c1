import type { FastifyReply } from "fastify";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { Parameters } from "./authorization-request.ts";
import { sendOAuthError } from "./oauth-error.ts";

/** Whether programs can log in. */
export function areProgramsOn({ auth, config }: Pick<WritingContext, "auth" | "config">): boolean {
	return auth.enabled && config.SERVICE_ENABLE_OAUTH2_AUTHORIZATION_SERVER;
}

/** What programs may call from a page of any origin, without cookies. */
export const ENDPOINTS_OF_PROGRAMS: ReadonlySet<string> = new Set([
	"/.well-known/oauth-authorization-server",
	"/.well-known/openid-configuration",
	"/.well-known/oauth-protected-resource",
	"/.well-known/oauth-protected-resource/mcp",
	"/oauth2/jwks",
	"/oauth2/register",
	"/oauth2/token",
	"/oauth2/revoke",
	"/oauth2/device_authorization",
]);

const MAX_FORM_BYTES = 16_384;

/** Mounts endpoints that take forms and answer errors as RFC 6749 says. */
export function mountFormEndpoints(app: App, mount: (endpoints: App) => void): void {
	void app.register(async (endpoints: App) => {
		endpoints.removeAllContentTypeParsers();
		endpoints.addContentTypeParser(
			"application/x-www-form-urlencoded",
			{ parseAs: "string", bodyLimit: MAX_FORM_BYTES },
			async (_request: unknown, body: string) => toParameters(new URLSearchParams(body)),
		);
		endpoints.setErrorHandler(sendOAuthError);
		mount(endpoints);
	});
}

/** A list for what came several times. */
function toParameters(form: URLSearchParams): Parameters {
	const parameters = new Map<string, string | string[]>();
	for (const name of new Set(form.keys())) {
		const values = form.getAll(name);
		parameters.set(name, values.length === 1 ? (values[0] ?? "") : values);
	}
	return Object.fromEntries(parameters);
}

/** Answers that hold secrets are kept nowhere (RFC 6749, 5.1). */
export function keepNowhere(reply: FastifyReply): void {
	void reply.headers({ "cache-control": "no-store", pragma: "no-cache" });
}
