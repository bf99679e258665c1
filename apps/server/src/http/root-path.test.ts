import { expect, test } from "vitest";
import { stripRootPath } from "./root-path.ts";

test.each([
	["/v1/projects?limit=1", "", "/v1/projects?limit=1"],
	["/traces/v1/projects?limit=1", "/traces", "/v1/projects?limit=1"],
	["/v1/projects", "/traces", "/v1/projects"],
	["/traces", "/traces", "/"],
	["/traces?x=1", "/traces", "/?x=1"],
	["/tracesque", "/traces", "/tracesque"],
	["http://host/traces/v1/users", "/traces", "/v1/users"],
	["HTTPS://host:1/traces?x=1", "/traces", "/?x=1"],
	["http://host/v1/users", "/traces", "http://host/v1/users"],
	["http://host/tracesque", "/traces", "http://host/tracesque"],
])("%s below %j is %s", (url, rootPath, path) => {
	expect(stripRootPath(url, rootPath)).toBe(path);
});
