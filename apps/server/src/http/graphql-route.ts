import type { App } from "./app-type.ts";
import { problemType } from "./error-wire.ts";

/**
 * Says at the address of GraphQL what there is instead. Always a problem document, whatever is accepted, with the member
 * that GraphQL clients show (https://spec.graphql.org/October2021/#sec-Errors).
 */
export function graphqlRoute(app: App, rootPath: string): void {
	const detail = `Spanward has no GraphQL API. The REST API has the same: ${rootPath}/docs describes it, ${rootPath}/openapi.json is its description for programs.`;
	const problem = JSON.stringify({
		type: problemType(rootPath, "no_graphql"),
		title: "Not Found",
		status: 404,
		detail,
		code: "no_graphql",
		errors: [{ message: detail }],
	});
	app.route({
		method: ["GET", "POST"],
		url: "/graphql",
		config: { access: "public", home: "none" },
		schema: { hide: true },
		// Before the body, which nobody reads.
		onRequest: async (_request, reply) => reply.code(404).type("application/problem+json; charset=utf-8").send(problem),
		handler: async () => undefined,
	});
}
