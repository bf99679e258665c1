import { expect, test } from "vitest";
import { startServer } from "./server.ts";

test("the files of the web app are sent compressed and may be kept for ever, the page itself not", async () => {
	await using server = await startServer();
	const page = await fetch(`${server.url}/`);
	expect(page.headers.get("cache-control")).not.toContain("immutable");
	const [, script = ""] = /src="\.\/(assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
	const answer = await fetch(`${server.url}/${script}`, { headers: { "accept-encoding": "br" } });
	expect(answer.status).toBe(200);
	expect(answer.headers.get("content-encoding")).toBe("br");
	expect(answer.headers.get("cache-control")).toContain("immutable");
});
