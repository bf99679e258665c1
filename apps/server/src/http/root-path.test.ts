import { expect, test } from "vitest";
import { stripRootPath } from "./root-path.ts";

test.each([
	["/v1/projects?limit=1", "", "/v1/projects?limit=1"],
	["/traces/v1/projects?limit=1", "/traces", "/v1/projects?limit=1"],
	["/v1/projects", "/traces", "/v1/projects"],
	["/traces", "/traces", "/"],
	["/traces?x=1", "/traces", "/?x=1"],
	["/tracesque", "/traces", "/tracesque"],
])("%s below %j is %s", (url, rootPath, path) => {
	expect(stripRootPath(url, rootPath)).toBe(path);
});
