import fastify from "fastify";
import { expect, test } from "vitest";
import type { TracePlace } from "#storage/trace-place.ts";
import type { App } from "./app-type.ts";
import { sayDelay } from "./data-delay.ts";

test.each([
	[undefined, undefined],
	[0, undefined],
	[11.2, "12"],
])("a delay of %s is said in each answer of the API, and of nothing else", async (delay, header) => {
	const place: Pick<TracePlace, "delaySeconds"> = delay === undefined ? {} : { delaySeconds: () => delay };
	const app = fastify() as unknown as App;
	sayDelay(app, { place: place as TracePlace });
	app.get("/v1/any", async () => ({}));
	app.get("/readyz", async () => ({}));
	expect((await app.inject("/v1/any")).headers["x-spanward-data-delay"]).toBe(header);
	expect((await app.inject("/readyz")).headers).not.toHaveProperty("x-spanward-data-delay");
});
