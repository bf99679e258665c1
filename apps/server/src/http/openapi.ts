import swagger from "@fastify/swagger";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { App } from "./app-type.ts";
import { VERSION } from "./versions.ts";

/** Collects the routes that are mounted after it; `app.swagger()` is then their OpenAPI 3.1 document. */
export async function collectOpenApi(app: App): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: "3.1.0",
			info: {
				title: "Spanward",
				version: VERSION,
				description: "Traces of LLM and agent applications: collect, keep, look at.",
				license: { name: "Apache-2.0", identifier: "Apache-2.0" },
			},
			servers: [],
		},
		transform: jsonSchemaTransform,
		transformObject: (document) => dropUnusedSchemas(jsonSchemaTransformObject(document)),
	});
}

/** Every named schema comes in a form for input and one for output; those that no route mentions are left out. */
function dropUnusedSchemas<T extends object>(document: T): T {
	const { components, ...rest } = document as T & { components?: { schemas?: Record<string, unknown> } };
	const schemas = components?.schemas ?? {};
	const used = new Map<string, unknown>();
	const queue = referenced(rest);
	for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
		if (used.has(name) || !(name in schemas)) continue;
		used.set(name, schemas[name]);
		queue.push(...referenced(schemas[name]));
	}
	const sorted = Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
	return { ...document, components: { ...components, schemas: sorted } };
}

function referenced(part: unknown): string[] {
	return [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? "");
}
