import { expect, test } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";

export function checkProjects(under: () => ClientUnderTest): void {
	test("projects: create, list, read, update and delete", async () => {
		const { client, admin, mayAdministrate } = under();
		const created = await client.POST("/v1/projects", { body: { name: "js-project", description: "one" } });
		expect(created.data?.data).toMatchObject({ name: "js-project", description: "one" });
		const listed = await client.GET("/v1/projects");
		expect(listed.data?.data.map(({ name }) => name)).toContain("js-project");
		const path = { project_identifier: "js-project" };
		const body = { description: "two" };
		if (!mayAdministrate) {
			const refused = { params: { path }, body };
			await expect(client.PUT("/v1/projects/{project_identifier}", refused)).rejects.toMatchObject({ status: 403 });
			await expect(client.DELETE("/v1/projects/{project_identifier}", { params: { path } })).rejects.toMatchObject({
				status: 403,
			});
		}
		await admin.PUT("/v1/projects/{project_identifier}", { params: { path }, body });
		const read = await client.GET("/v1/projects/{project_identifier}", { params: { path } });
		expect(read.data?.data.description).toBe("two");
		await admin.DELETE("/v1/projects/{project_identifier}", { params: { path } });
		await expect(client.GET("/v1/projects/{project_identifier}", { params: { path } })).rejects.toThrow();
	});
}

/** What only the released client has. */
export function checkConnection(under: () => ClientUnderTest): void {
	test("the version of the server is one that the client accepts", async () => {
		const [major] = await under().client.getServerVersion();
		expect(major).toBeGreaterThanOrEqual(20);
	});

	test("options and tokens reach the requests", async () => {
		const { root, client } = under();
		const { baseUrl, headers } = root.getMergedOptions({ options: client.config });
		let asked = 0;
		const authFetch = root.createAuthFetch({
			getAccessToken: () => {
				asked++;
				return new Headers(headers as HeadersInit).get("authorization")?.replace("Bearer ", "") ?? "none";
			},
		});
		const other = root.createClient({ options: { ...(baseUrl === undefined ? {} : { baseUrl }), fetch: authFetch } });
		expect((await other.GET("/v1/projects")).data?.data.length).toBeGreaterThan(0);
		expect(asked).toBeGreaterThan(0);
	});
}
