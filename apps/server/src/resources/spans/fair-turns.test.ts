import { expect, test } from "vitest";
import { openTestApp, text } from "#test-app.ts";

// No index answers it, so each span is decoded.
const SEARCH = `/v1/projects/default/spans?filter=${encodeURIComponent("metadata['size'] == 1.5")}`;
const METADATA = JSON.stringify({ size: 1, others: Array.from({ length: 1_000 }, (_, index) => ({ index })) });

async function openWithSpans() {
	// One reader for searches, one for what is quick; on PostgreSQL one connection of three.
	const server = await openTestApp({ SERVICE_DATABASE_READERS: "2", SERVICE_DATABASE_POOL_SIZE: "3" });
	// Starts both.
	await Promise.all([server.get("/v1/projects/default"), server.get("/v1/projects/default")]);
	await server.send(
		Array.from({ length: 300 }, (_, index) => ({
			spanId: (index + 1).toString(16).padStart(16, "0"),
			attributes: { metadata: text(METADATA) },
		})),
	);
	return server;
}

test("a search is answered after at most one of another caller, who sent many before", async () => {
	await using server = await openWithSpans();
	const answered: string[] = [];
	const search = async (remoteAddress: string) => {
		const { statusCode } = await server.app.inject({ url: SEARCH, remoteAddress });
		answered.push(remoteAddress);
		return statusCode;
	};
	const many = Array.from({ length: 12 }, () => search("192.0.2.1"));
	const status = await Promise.all([...many, search("192.0.2.2"), search("192.0.2.3")]);
	expect(new Set(status)).toEqual(new Set([200]));
	expect(answered.indexOf("192.0.2.2")).toBeLessThanOrEqual(1);
	expect(answered.indexOf("192.0.2.3")).toBeLessThanOrEqual(2);
});

test("a caller with too many searches waiting gets 429, others and quick lists an answer", async () => {
	await using server = await openWithSpans();
	const get = (url: string, remoteAddress: string) => server.app.inject({ url, remoteAddress });
	const many = Array.from({ length: 50 }, () => get(SEARCH, "192.0.2.1"));
	const quick = get("/v1/projects/default/spans?limit=1", "192.0.2.1");
	const other = get(SEARCH, "192.0.2.2");
	const refused = (await Promise.all(many)).filter(({ statusCode }) => statusCode !== 200);
	expect(refused.length).toBeGreaterThan(10);
	for (const { statusCode, headers } of refused) {
		expect(statusCode).toBe(429);
		expect(headers["retry-after"]).toBe("2");
	}
	expect((await quick).statusCode).toBe(200);
	expect((await other).statusCode).toBe(200);
});
