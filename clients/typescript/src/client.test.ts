import { createServer, type RequestListener } from "node:http";
import { afterEach, expect, test } from "vitest";
import { ApiError } from "./api-error.ts";
import { createClient } from "./client.ts";

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
	delete process.env["SERVICE_API_KEY"];
	delete process.env["SERVICE_COLLECTOR_ENDPOINT"];
	await stop?.();
});

async function clientOf(listener: RequestListener) {
	return createClient({ baseUrl: await listen(listener), headers: { authorization: "Bearer x" } });
}

/** @returns the address of a server for this test, with a path */
async function listen(listener: RequestListener): Promise<string> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	stop = () =>
		new Promise((resolve) => {
			server.closeAllConnections();
			server.close(() => resolve());
		});
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("no port");
	return `http://127.0.0.1:${address.port}/below/`;
}

test("fills the path, repeats list parameters and leaves out what is undefined", async () => {
	const seen: (string | undefined)[] = [];
	const client = await clientOf((request, response) => {
		seen.push(request.url, request.headers.authorization);
		response.setHeader("content-type", "application/json").end('{"data":[],"next_cursor":null}');
	});
	const page = await client.get("/v1/projects/{project_identifier}/traces", {
		path: { project_identifier: "a/b c" },
		query: { name: ["x", "y"], limit: 5 },
	});
	expect(page).toEqual({ data: [], next_cursor: null });
	expect(seen).toEqual(["/below/v1/projects/a%2Fb%20c/traces?name=x&name=y&limit=5", "Bearer x"]);
});

test("sends a body as JSON and answers undefined for 204", async () => {
	const bodies: string[] = [];
	const client = await clientOf((request, response) => {
		request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
		request.on("end", () => response.writeHead(204).end());
	});
	const answer = await client.post("/v1/sessions/delete", { body: { session_identifiers: ["s"] } });
	expect(answer).toBeUndefined();
	expect(bodies).toEqual(['{"session_identifiers":["s"]}']);
});

test("throws an error with its stable code", async () => {
	const client = await clientOf((request, response) => {
		expect(request.headers.accept).toContain("application/problem+json");
		const problem = { status: 404, code: "project_not_found", detail: "Project with name x not found" };
		response.writeHead(404, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
	});
	const error = await client
		.get("/v1/projects/{project_identifier}", { path: { project_identifier: "x" } })
		.catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(ApiError);
	expect(error).toMatchObject({ status: 404, code: "project_not_found", message: "Project with name x not found" });
});

test("the text of a proxy's answer becomes the message", async () => {
	const client = await clientOf((_request, response) => response.writeHead(502).end("upstream is away"));
	await expect(client.get("/v1/projects")).rejects.toMatchObject({
		status: 502,
		code: "http_502",
		message: "upstream is away",
	});
});

test("a call can be aborted", async () => {
	const client = await clientOf(() => undefined);
	const controller = new AbortController();
	const call = client.get("/v1/projects", { signal: controller.signal });
	controller.abort();
	await expect(call).rejects.toMatchObject({ name: "AbortError" });
});

test("reads server-sent events, also when they arrive in chunks", async () => {
	const client = await clientOf((_request, response) => {
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.write(": hello\n\nevent: trace\nda");
		setTimeout(() => response.end('ta: {"a":1}\n\nid: 7\r\ndata: one\r\ndata: two\r\n\r\n'), 10);
	});
	const events = [];
	for await (const event of client.events("/v1/projects/{project_identifier}/stream", {
		path: { project_identifier: "p" },
	})) {
		events.push(event);
	}
	expect(events).toEqual([
		{ event: "trace", data: '{"a":1}' },
		{ event: "message", data: "one\ntwo", id: "7" },
	]);
});

test.each(["", "v1/traces"])("finds server and key in the environment, its address with '%s'", async (path) => {
	const seen: (string | undefined)[] = [];
	const address = await listen((request, response) => {
		seen.push(request.url, request.headers.authorization);
		response.setHeader("content-type", "application/json").end('{"data":[],"next_cursor":null}');
	});
	process.env["SERVICE_COLLECTOR_ENDPOINT"] = address + path;
	process.env["SERVICE_API_KEY"] = "of-the-environment";
	await createClient().get("/v1/projects");
	expect(seen).toEqual(["/below/v1/projects", "Bearer of-the-environment"]);
});

test("headers of the caller take precedence over the environment, whatever their case", async () => {
	const seen: (string | undefined)[] = [];
	const baseUrl = await listen((request, response) => {
		seen.push(request.headers.authorization);
		response.setHeader("content-type", "application/json").end('{"data":[],"next_cursor":null}');
	});
	process.env["SERVICE_API_KEY"] = "of-the-environment";
	const client = createClient({ baseUrl, headers: { Authorization: "Bearer of-the-client" } });
	await client.get("/v1/projects");
	await client.get("/v1/projects", { headers: { authorization: "Bearer of-the-call" } });
	expect(seen).toEqual(["Bearer of-the-client", "Bearer of-the-call"]);
});
