import { expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";

test("takes the id of a request from a trusted proxy alone, and only one that looks like an id", async () => {
	await using server = await openTestApp({ SERVICE_TRUSTED_PROXIES: "10.0.0.0/8,fd00::/8" });
	const ask = async (remoteAddress: string, id: string) => {
		const headers = { "x-request-id": id };
		const answer = await server.app.inject({ url: "/healthz", remoteAddress, headers });
		return answer.headers["x-request-id"];
	};
	const own = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
	expect(await ask("10.1.2.3", "from-the-proxy")).toBe("from-the-proxy");
	expect(await ask("::ffff:10.1.2.3", "from-the-proxy")).toBe("from-the-proxy");
	expect(await ask("fd00::7", "from-the-proxy")).toBe("from-the-proxy");
	expect(await ask("192.0.2.1", "from-somebody")).toEqual(own);
	expect(await ask("10.1.2.3", "short")).toEqual(own);
	expect(await ask("10.1.2.3", "with a space in it")).toEqual(own);
	expect(await ask("10.1.2.3", "x".repeat(129))).toEqual(own);
});
