import { describe, expect, test } from "vitest";
import { readDestination } from "./endpoint.ts";

describe("the endpoint of spans", () => {
	test.each([
		["nothing is said", {}, {}, "http/protobuf", "http://localhost:6006/v1/traces"],
		[
			"the environment says it",
			{},
			{ SERVICE_COLLECTOR_ENDPOINT: "https://spanward.lan" },
			"http/protobuf",
			"https://spanward.lan/v1/traces",
		],
		[
			"it is below a path",
			{},
			{ SERVICE_COLLECTOR_ENDPOINT: "http://lan:8080/llm/" },
			"http/protobuf",
			"http://lan:8080/llm/v1/traces",
		],
		[
			"it is the whole address already",
			{ endpoint: "http://lan:6006/v1/traces" },
			{},
			"http/protobuf",
			"http://lan:6006/v1/traces",
		],
		[
			"the option wins",
			{ endpoint: "http://a:1" },
			{ SERVICE_COLLECTOR_ENDPOINT: "http://b:2" },
			"http/protobuf",
			"http://a:1/v1/traces",
		],
		["it is the port of gRPC", { endpoint: "http://lan:4317" }, {}, "grpc", "http://lan:4317"],
		[
			"gRPC is wanted and the environment names HTTP",
			{ protocol: "grpc" },
			{ SERVICE_COLLECTOR_ENDPOINT: "http://lan:6006" },
			"grpc",
			"http://lan:4317",
		],
		["gRPC has another port", { protocol: "grpc", endpoint: "https://lan:9000" }, {}, "grpc", "https://lan:9000"],
		[
			"the variable is empty",
			{},
			{ SERVICE_COLLECTOR_ENDPOINT: " " },
			"http/protobuf",
			"http://localhost:6006/v1/traces",
		],
	] as const)("when %s", (_when, options, environment, protocol, url) => {
		expect(readDestination(options, environment)).toMatchObject({ protocol, url });
	});

	test.each(["localhost:6006", "ftp://lan", ""])("%j is refused with an explanation", (endpoint) => {
		expect(() => readDestination({ endpoint }, {})).toThrow(/has to be an address such as/);
	});
});

test("the key of the environment is sent as a lower-case header, and explicit headers take precedence", () => {
	const environment = { SERVICE_API_KEY: " sw_u_key " };
	expect(readDestination({}, environment).headers).toEqual({ authorization: "Bearer sw_u_key" });
	expect(readDestination({ apiKey: "mine" }, environment).headers).toEqual({ authorization: "Bearer mine" });
	const headers = { Authorization: "Bearer theirs", "X-Team": "a" };
	expect(readDestination({ headers }, environment).headers).toEqual({ authorization: "Bearer theirs", "x-team": "a" });
	expect(readDestination({}, {}).headers).toEqual({});
});

test("the project comes from the options, else the environment, else it is the default one", () => {
	expect(readDestination({ projectName: "a" }, { SERVICE_PROJECT_NAME: "b" }).projectName).toBe("a");
	expect(readDestination({}, { SERVICE_PROJECT_NAME: "b" }).projectName).toBe("b");
	expect(readDestination({}, {}).projectName).toBe("default");
});
