import { expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";

test("the API's document says how a call proves who makes it, and which calls need nothing", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { headers } = await server.signedIn("VIEWER");
	const { json } = await server.get("/openapi.json", headers);
	expect(json.components.securitySchemes).toMatchObject({
		bearer: { type: "http", scheme: "bearer" },
		session: { type: "apiKey", in: "cookie", name: "service-access-token" },
	});
	expect(json.security).toEqual([{ bearer: [] }, { session: [] }]);
	expect(json.paths["/auth/login"].post.security).toEqual([]);
	expect(json.paths["/v1/users"].get).not.toHaveProperty("security");
});

test("E82 every operation says with which statuses it fails, and how an error looks", async () => {
	await using server = await openTestApp();
	const { json } = await server.get("/openapi.json");
	const error = { $ref: "#/components/responses/Error" };
	const operations = Object.values(json.paths).flatMap((path) =>
		Object.entries(path as Record<string, { responses: Record<string, unknown> }>),
	);
	for (const [method, { responses }] of operations) {
		expect(responses).toMatchObject({ 404: error, 422: error, 503: error });
		expect("507" in responses).toBe(method !== "get");
		expect(responses).not.toHaveProperty("default");
	}
	expect(Object.keys(json.components.responses.Error.content)).toEqual([
		"text/plain",
		"application/json",
		"application/problem+json",
	]);
	expect(json.components.schemas).toHaveProperty("Problem");
});
