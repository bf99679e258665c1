import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fastify from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admitAll, enforceAccess } from "./access-policy.ts";
import type { App } from "./app-type.ts";
import { sendError } from "./error-wire.ts";
import { NO_RIGHTS } from "./rights.ts";
import { hangUpOnSlowBodies } from "./slow-bodies.ts";

const LIMIT_MS = 2_000;

let app: App;
let port: number;

beforeAll(async () => {
	app = fastify();
	app.setErrorHandler(sendError);
	const never = () => {
		throw new Error("nothing is read or changed here");
	};
	enforceAccess(app, admitAll, async (principal) => ({
		...{ principal, rights: NO_RIGHTS, entered: new Map(), hidden: new Set(), denied: new Set(), traces: {} as never },
		...{ enter: never, noteHidden: never, noteDenied: never },
		...{ change: never, changeTraces: never, assertStillAllowed: never, assertSeesAsBefore: never },
	}));
	hangUpOnSlowBodies(app, LIMIT_MS);
	app.post("/open", { config: { access: "public", home: "none" } }, async ({ body }) => ({ body }));
	app.post("/closed", { config: { access: "write", home: "none" } }, async ({ body }) => ({ body }));
	port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
});
afterAll(() => app.close());

async function send(path: string): Promise<{ readonly socket: Socket; readonly received: () => string }> {
	const socket = connect({ port, host: "127.0.0.1" });
	let received = "";
	socket
		.on("error", () => {})
		.on("data", (part) => {
			received += part.toString("latin1");
		});
	await once(socket, "connect");
	socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{`);
	return { socket, received: () => received };
}

test("a sender that takes too long for the body of a public route is hung up on, even if it goes on slowly", async () => {
	const { socket } = await send("/open");
	const dribble = setInterval(() => socket.write(" "), 100);
	// A connection that is hung up on while something is on the way to it ends with an error, and closes all the same.
	await expect.poll(() => socket.closed).toBe(true);
	clearInterval(dribble);
});

test("a body that arrives is taken, and the connection goes on", async () => {
	const { socket, received } = await send("/open");
	socket.write('"a": 1}');
	await expect.poll(received).toContain('{"body":{"a":1}}');
	await new Promise((resolve) => setTimeout(resolve, LIMIT_MS + 500));
	expect(socket.closed).toBe(false);
	socket.destroy();
});

test("a sender with credentials may take longer", async () => {
	const { socket, received } = await send("/closed");
	await new Promise((resolve) => setTimeout(resolve, LIMIT_MS + 500));
	socket.write('"a": 1}');
	await expect.poll(received).toContain('{"body":{"a":1}}');
	socket.destroy();
});
