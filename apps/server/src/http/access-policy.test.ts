import { expect, test } from "vitest";
import { buildApp } from "#app.ts";
import { openTestApp } from "#test-app.ts";
import { isApiPath, isClosedPath } from "./api-paths.ts";

test("T071 a route without a policy stops the start and is named", async () => {
	await using server = await openTestApp();
	const app = await buildApp(server.context);
	app.get("/v1/forgotten", async () => "open to everybody");
	await expect(app.listen({ port: 0, host: "127.0.0.1" })).rejects.toThrow("GET /v1/forgotten");
	expect(app.server.listening).toBe(false);
	await app.close();
});

test("T071 a route without a policy inside a plugin stops the start too", async () => {
	await using server = await openTestApp();
	const app = await buildApp(server.context);
	void app.register(async (plugin) => {
		plugin.route({ method: ["PUT", "PATCH"], url: "/v1/forgotten", config: {}, handler: async () => "open" });
	});
	await expect(app.ready()).rejects.toThrow("PUT,PATCH /v1/forgotten");
});

test.each([
	"/v1",
	"/v1/users",
	"/V1/users",
	"//v1//users",
	"/./v1/users",
	"/assets/../v1/users",
	"/%76%31/users",
	"/assets/%2e%2e/v1/users",
	"/assets/%252e%252e/v1/users",
	"/v1;x=y/users",
	"/v1%2fusers",
	"/\\v1\\users",
	"/v1%5cusers",
	"http://host/v1/users",
	"HTTPS://user@host:1/v1?query#fragment",
	"/v1/%zz",
])("%s is of the API, however it is written", (url) => {
	expect(isClosedPath(url)).toBe(true);
	expect(isApiPath(url)).toBe(true);
});

test.each(["/", "/login", "/projects/v1", "/v10/users", "/v1.html", "/assets/v1/users.js", "/?next=/v1/users"])(
	"%s is of the web app",
	(url) => {
		expect(isApiPath(url)).toBe(false);
	},
);
