import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { PROMETHEUS_CONTENT_TYPE } from "./exposition.ts";

/** The metrics for Prometheus, if enabled. */
export function metricsRoute(app: App, { config, metrics }: Pick<Context, "config" | "metrics">): void {
	if (!config.SERVICE_ENABLE_PROMETHEUS) return;
	app.get(
		"/metrics",
		{ config: { access: "read", home: "catalogue" }, schema: { hide: true } },
		async ({ actor }, reply) => {
			const showsHidden = actor.rights.projects === "all" && actor.rights.roleAt("library") !== undefined;
			return reply.type(PROMETHEUS_CONTENT_TYPE).send(await metrics.text({ showsHidden }));
		},
	);
}
