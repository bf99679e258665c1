import type { JsonLimits } from "@spanward/semconv";
import type { FastifyRequest } from "fastify";
import type { App } from "./app-type.ts";

declare module "fastify" {
	interface FastifyContextConfig {
		/**
		 * How large a JSON body the route takes: `large` is up to `SERVICE_MAX_JSON_BODY_BYTES`, for what holds many things or
		 * a document of the caller's; absent, one mebibyte, or the route's own `bodyLimit` where the setting allows as much.
		 */
		body?: "large";
	}
}

const SMALL_BYTES = 1_048_576;

/**
 * What any JSON body may hold. It is read on the thread that answers everybody: within these bounds it takes a fraction of
 * a second.
 */
export const BODY_LIMITS: JsonLimits = {
	values: 1_000_000,
	valuesWithLongIntegers: 250_000,
	names: 100_000,
	depth: 256,
};

/** Gives each route that is mounted from now on the size of body that it declares. */
export function boundBodies(app: App, largestBytes: number): void {
	app.addHook("onRoute", (route) => {
		const wanted = route.config?.body === "large" ? largestBytes : (route.bodyLimit ?? SMALL_BYTES);
		route.bodyLimit = Math.min(wanted, largestBytes);
	});
}

/** The message for a request whose body is larger than its route takes. */
export function bodyTooLarge({ routeOptions: { config, bodyLimit } }: FastifyRequest): string {
	if (config.body === "large") return "The request is larger than SERVICE_MAX_JSON_BODY_BYTES allows.";
	return `The request is larger than the ${bodyLimit} bytes that this address accepts.`;
}
