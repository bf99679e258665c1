import fastify from "fastify";
import { expect, test } from "vitest";
import { sendText } from "./text-answers.ts";

test("text passes the hook that looks at rights again, and is sent as it is", async () => {
	const app = fastify();
	let looked = 0;
	app.addHook("preSerialization", async (_request, _reply, payload) => {
		looked++;
		return payload;
	});
	app.get("/", async (_request, reply) => sendText(reply, 'a "b"'));
	const { body, headers } = await app.inject("/");
	expect([looked, body, headers["content-type"]]).toEqual([1, 'a "b"', "text/plain; charset=utf-8"]);
	await app.close();
});
