import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { askerOf } from "./asker.ts";

test("an asker has gone once the connection ends without the whole answer", async () => {
	await using server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const hangUp = new AbortController();
	const { port } = server.address() as AddressInfo;
	const asked = fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "{}", signal: hangUp.signal });
	const [request, raw] = (await once(server, "request")) as [NodeJS.ReadableStream, ServerResponse];
	const { name, gone } = askerOf({ principal: { kind: "anonymous" }, ip: "192.0.2.1" }, { raw });
	expect(name).toBe("address 192.0.2.1");
	// A request that was read completely closes, too.
	await Promise.all([once(request, "close"), request.resume()]);
	expect(gone?.aborted).toBe(false);
	hangUp.abort();
	await expect(asked).rejects.toThrow("aborted");
	await expect.poll(() => gone?.aborted).toBe(true);
	expect(askerOf({ principal: { kind: "anonymous" }, ip: "192.0.2.1" }, { raw }).gone?.aborted).toBe(true);
});
