import type { FastifyReply } from "fastify";
import type { Config } from "#base/config.ts";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { Parameters } from "./authorization-request.ts";
import { sendOAuthError } from "./oauth-error.ts";

/** Whether programs can log in. */
export function areProgramsOn({ auth, config }: Pick<WritingContext, "auth" | "config">): boolean {
	return auth.enabled && config.SERVICE_ENABLE_OAUTH2_AUTHORIZATION_SERVER;
}

/**
 * What comes behind the addresses of metadata. RFC 8414, 3.1: for an issuer with a path, that path; some clients know that,
 * others what OpenID Connect says.
 */
export function metadataSuffixes(config: Pick<Config, "SERVICE_HOST_ROOT_PATH">): ReadonlySet<string> {
	return new Set(["", config.SERVICE_HOST_ROOT_PATH]);
}

/** What programs may call from a page of any origin, without cookies. */
export function endpointsOfPrograms(config: Pick<Config, "SERVICE_HOST_ROOT_PATH">): ReadonlySet<string> {
	const endpoints = ["jwks", "register", "token", "revoke", "device_authorization"].map((name) => `/oauth2/${name}`);
	const metadata = ["oauth-authorization-server", "openid-configuration", "oauth-protected-resource"];
	for (const suffix of metadataSuffixes(config)) {
		endpoints.push(...metadata.map((name) => `/.well-known/${name}${suffix}`));
		endpoints.push(`/.well-known/oauth-protected-resource${suffix}/mcp`);
	}
	return new Set(endpoints);
}

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
