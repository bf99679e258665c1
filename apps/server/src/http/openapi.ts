import swagger from "@fastify/swagger";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { App } from "./app-type.ts";
import { VERSION } from "./versions.ts";

const SECURITY_SCHEMES = {
	bearer: {
		type: "http",
		scheme: "bearer",
		description: "An API key or the admin secret. Nothing is needed while authentication is off.",
	},
	session: {
		type: "apiKey",
		in: "cookie",
		name: "service-access-token",
		description: "Set by `POST /auth/login`; with secure cookies its name begins with `__Host-` or `__Secure-`.",
	},
} as const;

/** Collects the routes that are mounted after it; `app.swagger()` is then their OpenAPI 3.1 document. */
export async function collectOpenApi(app: App): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: "3.1.0",
			info: {
				title: "Spanward",
				version: VERSION,
				description: [
					"Traces of LLM and agent applications: collect, keep, look at.",
					"Spans come in over OTLP: `POST /v1/traces` and `POST /v1/logs` take protobuf and JSON, with gzip, deflate or zstd; the answer comes when they are stored.",
					"Ids of rows are opaque texts; a project is named by its id or its name, a trace, span or session by its id or the one the application gave it.",
				].join("\n\n"),
				license: { name: "Apache-2.0", identifier: "Apache-2.0" },
			},
			servers: [],
			components: { securitySchemes: SECURITY_SCHEMES },
			security: [{ bearer: [] }, { session: [] }],
		},
		transform: (input) => {
			const { schema, url } = jsonSchemaTransform(input);
			return { url, schema: input.route.config?.access === "public" ? { ...schema, security: [] } : schema };
		},
		transformObject: (document) => completed(jsonSchemaTransformObject(document)),
	});
}

interface Document {
	readonly paths?: Readonly<Record<string, Readonly<Record<string, { responses: Record<string, unknown> }>>>>;
	readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

/** RFC 9457 */
const PROBLEM = {
	type: "object",
	required: ["type", "title", "status", "detail", "code"],
	properties: {
		type: {
			type: "string",
			description: "Address of a page of this server about the code: what happened, what to do.",
		},
		title: { type: "string" },
		status: { type: "integer" },
		detail: { type: "string" },
		code: { type: "string", description: "Stable, for programs: `project_not_found`." },
		errors: {
			type: "array",
			description: "What did not validate, when `code` is `validation_failed`.",
			items: {
				type: "object",
				required: ["type", "loc", "msg"],
				properties: {
					type: { type: "string" },
					loc: { type: "array", items: { type: ["string", "integer"] } },
					msg: { type: "string" },
					input: {},
				},
			},
		},
		request_id: { type: "string", description: "Names the entry in the server's log of a 500." },
	},
};

/** `{"detail": […]}` of validation, or the report of an operation. */
const ERROR_REPORT = {
	type: "object",
	properties: { detail: PROBLEM.properties.errors },
	additionalProperties: true,
};

const ERROR = {
	description:
		'An error: its message as text, of validation as JSON `{"detail": […]}`; RFC 9457 when `Accept` lists `application/problem+json`.',
	content: {
		"text/plain": { schema: { type: "string" } },
		"application/json": { schema: ERROR_REPORT },
		"application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
	},
};

/** Statuses of errors that any operation may answer. */
const ERRORS = ["400", "401", "403", "404", "409", "422", "429", "431", "503"];
/** Further ones of operations that change something. */
const ERRORS_OF_CHANGES = ["412", "413", "415", "507"];

/** Adds to every operation how it may fail, and leaves out named schemas that no operation mentions. */
function completed<T extends object>(document: T): T {
	const { components, ...rest } = document as T & Document;
	for (const path of Object.values(rest.paths ?? {})) {
		for (const [method, { responses }] of Object.entries(path)) {
			const errors = method === "get" ? ERRORS : [...ERRORS, ...ERRORS_OF_CHANGES];
			for (const status of errors) responses[status] ??= { $ref: "#/components/responses/Error" };
		}
	}
	const schemas: Readonly<Record<string, unknown>> = { ...components?.schemas, Problem: PROBLEM };
	const used = new Map<string, unknown>();
	const queue = [...referenced(rest), ...referenced(ERROR)];
	for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
		if (used.has(name) || !(name in schemas)) continue;
		used.set(name, schemas[name]);
		queue.push(...referenced(schemas[name]));
	}
	const sorted = Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
	return { ...document, components: { ...components, schemas: sorted, responses: { Error: ERROR } } };
}

function referenced(part: unknown): string[] {
	return [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? "");
}
