import { expect, test } from "vitest";
import { openTestApp } from "../test-app.ts";

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
