import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { uploadJson } from "#resources/datasets/upload/test-uploads.ts";
import { openTestApp } from "./test-app.ts";

const server = await openTestApp();
// Logging in needs a server with authentication.
const secured = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await secured[Symbol.asyncDispose]();
});

const Schema = z.looseObject({
	$ref: z.string().optional(),
	type: z.unknown().optional(),
	const: z.unknown().optional(),
	enum: z.array(z.unknown()).optional(),
	format: z.string().optional(),
	minimum: z.number().optional(),
	properties: z.record(z.string(), z.unknown()).optional(),
	items: z.unknown().optional(),
	anyOf: z.array(z.unknown()).optional(),
	oneOf: z.array(z.unknown()).optional(),
	allOf: z.array(z.unknown()).optional(),
});
const Description = z.object({
	paths: z.record(
		z.string(),
		z.record(
			z.string(),
			z.looseObject({
				requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) }).optional(),
			}),
		),
	),
	components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
const { paths, components } = Description.parse(
	JSON.parse(readFileSync(join(import.meta.dirname, "../../../docs/openapi.json"), "utf8")),
);

/** A body that the schema accepts, more or less: with every member, so that each can be replaced. */
function example(given: unknown, depth = 0): unknown {
	const schema = Schema.parse(given ?? {});
	const first = (schema.anyOf ?? schema.oneOf)?.[0];
	if (schema.$ref !== undefined) return example(components.schemas[schema.$ref.split("/").at(-1) ?? ""], depth);
	if (schema.const !== undefined) return schema.const;
	if (schema.enum !== undefined) return schema.enum[0];
	if (first !== undefined) return example(first, depth);
	if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((part) => example(part, depth)));
	const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
	if (type === "object" || schema.properties !== undefined) {
		const members = Object.entries(depth > 5 ? {} : (schema.properties ?? {}));
		return Object.fromEntries(members.map(([name, member]) => [name, example(member, depth + 1)]));
	}
	if (type === "array") return depth > 5 ? [] : [example(schema.items, depth + 1)];
	if (type === "integer" || type === "number") return schema.minimum ?? 1;
	if (type === "boolean") return true;
	return schema.format === "date-time" ? "2023-11-14T22:13:20Z" : "a";
}

/** The same value with `hole` in the place of each of its members, one after the other. */
function* withHoles(value: unknown, hole: string): Generator<unknown> {
	yield hole;
	if (Array.isArray(value)) {
		for (const inner of withHoles(value[0], hole)) yield [inner];
	} else if (typeof value === "object" && value !== null) {
		for (const [key, member] of Object.entries(value)) {
			for (const inner of withHoles(member, hole)) yield { ...value, [key]: inner };
		}
	}
}

/** Passwords cannot be reset on this server, whoever asks. */
const NO_MAIL_SERVER = 503;
const HOLE = "the hole";
/** Values that throw when converted to a text, a number or a key, and values that databases and JSON do not take. */
const VALUES = [
	'{"toString":1,"valueOf":2,"length":3,"toJSON":4}',
	'[{"toString":1}]',
	'{"__proto__":{"a":1}}',
	"12345678901234567890",
	"1e400",
	'"\\u0000\\ud800"',
	"null",
];

test("no member of any body makes a server error, whatever it is", async () => {
	const { datasetId } = await uploadJson(server, { name: "d", inputs: [{}] });
	const failures: string[] = [];
	let sent = 0;
	const methods = ["POST", "PUT", "PATCH"] as const;
	const headers = { "content-type": "application/json" };
	for (const [path, operations] of Object.entries(paths)) {
		const url = path
			.replace("{project_identifier}", "default")
			.replaceAll(/\{(id|dataset_id|dataset_identifier)\}/g, datasetId)
			.replaceAll(/\{[^}]*\}/g, "1");
		const { app } = path.startsWith("/auth/") ? secured : server;
		for (const method of methods) {
			const schema = operations[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema;
			if (schema === undefined) continue;
			for (const body of withHoles(example(schema), HOLE)) {
				const text = JSON.stringify(body);
				const payloads = VALUES.map((value) => text.replace(JSON.stringify(HOLE), value));
				const answers = await Promise.all(payloads.map((payload) => app.inject({ method, url, payload, headers })));
				sent += answers.length;
				for (const [position, { statusCode }] of answers.entries()) {
					if (statusCode >= 500 && statusCode !== NO_MAIL_SERVER)
						failures.push(`${statusCode} ${method} ${path} ${payloads[position]?.slice(0, 300)}`);
				}
			}
		}
	}
	expect(failures).toEqual([]);
	expect(sent).toBeGreaterThan(1_000);
});
