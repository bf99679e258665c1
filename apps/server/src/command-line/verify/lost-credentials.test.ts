import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { openTestApp } from "#test-app.ts";
import { verifyCommand } from "./verify.ts";

const folder = mkdtempSync(join(tmpdir(), "spanward-verify-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SECRET = "test-secret-0123456789-abcdefghijklmnop";
const KEY = "sk-planted-0123456789";

/** What the command finds, and prints. */
async function verify(environment: Record<string, string>) {
	const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	try {
		const error: unknown = await verifyCommand(["--json"], { SERVICE_WORKING_DIR: folder, ...environment }).then(
			() => undefined,
			(reason: unknown) => reason,
		);
		const printed = write.mock.calls.map(([text]) => String(text)).join("");
		return { error, printed, findings: JSON.parse(printed).findings };
	} finally {
		write.mockRestore();
	}
}

it("E83 names the credentials that SERVICE_SECRET cannot decrypt, where it is set", async () => {
	{
		await using server = await openTestApp({ SERVICE_WORKING_DIR: folder, SERVICE_SECRET: SECRET });
		const connection = { name: "main", kind: "openai", credentials: { api_key: { value: KEY } } };
		expect((await server.call("POST", "/v1/model_connections", connection)).status).toBe(201);
		expect((await server.call("PUT", "/v1/secrets", { secrets: [{ key: "A_KEY", value: KEY }] })).status).toBe(200);
	}
	expect(await verify({ SERVICE_SECRET: SECRET })).toMatchObject({ error: undefined, findings: [] });
	expect(await verify({})).toMatchObject({ error: undefined, findings: [] });
	const lost = await verify({ SERVICE_SECRET: "another-secret-0123456789-abcdefghijklmn" });
	expect(lost.findings).toEqual([
		"SERVICE_SECRET cannot decrypt A_KEY",
		"SERVICE_SECRET cannot decrypt api_key of the model connection main",
	]);
	expect(String(lost.error)).toContain("2 things are wrong");
	expect(lost.printed).not.toContain(KEY);
});
