import { expect, it } from "vitest";
import { readDeployment } from "./deployment.ts";
import type { Plain } from "./model.ts";

function read(attributes: Record<string, Plain>, resource: Record<string, Plain> = {}) {
	return readDeployment(new Map(Object.entries(attributes)), new Map(Object.entries(resource)), {});
}

it("takes the release from the version of the service, else from the attributes that others use", () => {
	expect(read({ release: "of the span" }, { "service.version": "2.14.0" })).toEqual({ release: "2.14.0" });
	expect(read({ "app.version": "3", "langfuse.release": "2" })).toEqual({ release: "2" });
	expect(read({ release: " " }, { "app.version": 7 })).toEqual({ release: "7" });
	expect(read({ "service.version": "of no resource" })).toEqual({});
});

it("takes the environment from the span before the resource, and from OpenTelemetry's keys before others", () => {
	const staging = { "langfuse.environment": "staging" };
	expect(read(staging, { "deployment.environment": "production" })).toEqual({ environment: "production" });
	expect(read(staging, { "langfuse.environment": "production" })).toEqual({ environment: "staging" });
	expect(read({ "deployment.environment.name": "a", "deployment.environment": "b" })).toEqual({ environment: "a" });
});
