import { expect, test } from "vitest";
import { ConfigError, readConfig, SETTINGS, unknownSettings } from "./config.ts";

test("gives every setting its default when nothing is set, and takes an empty variable for unset", () => {
	const config = readConfig({ SERVICE_PORT: "" });
	expect(config.SERVICE_PORT).toBe(6006);
	expect(Object.keys(config).sort()).toEqual(Object.keys(SETTINGS).sort());
});

test("reads numbers, switches and paths", () => {
	const config = readConfig({
		SERVICE_PORT: "8080",
		SERVICE_ENABLE_PROMETHEUS: "true",
		SERVICE_ENABLE_TEXT_INDEX: "false",
		SERVICE_HOST_ROOT_PATH: "/traces/",
	});
	expect(config).toMatchObject({
		SERVICE_PORT: 8080,
		SERVICE_ENABLE_PROMETHEUS: true,
		SERVICE_ENABLE_TEXT_INDEX: false,
		SERVICE_HOST_ROOT_PATH: "/traces",
	});
});

test("names every wrong variable at once, with what it is and what it must be", () => {
	const read = () =>
		readConfig({ SERVICE_PORT: "65536", SERVICE_ENABLE_PROMETHEUS: "maybe", SERVICE_HOST_ROOT_PATH: "traces" });
	expect(read).toThrow(ConfigError);
	expect(read).toThrow(/SERVICE_PORT must be a whole number from 0 to 65535 \(it is "65536"\)/);
	expect(read).toThrow(/SERVICE_ENABLE_PROMETHEUS must be true or false \(it is "maybe"\)/);
	expect(read).toThrow(/SERVICE_HOST_ROOT_PATH must be a path such as \/traces \(it is "traces"\)/);
});

test("finds variables that look like settings and are none", () => {
	const environment = {
		SERVICE_PORTT: "8080",
		SERVICE_PORT: "8080",
		PATH: "/bin",
		KUBERNETES_SERVICE_HOST: "10.0.0.1",
	};
	expect(unknownSettings(environment)).toEqual(["SERVICE_PORTT"]);
});
