import { expect, test } from "vitest";
import { readUserAgent } from "./user-agent.ts";

test.each([
	["Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0", "Firefox", "Linux"],
	[
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
		"Edge",
		"Windows",
	],
	[
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
		"Safari",
		"macOS",
	],
	[
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
		"Safari",
		"iOS",
	],
	[
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36",
		"Chrome",
		"Android",
	],
	[
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/143.0.0.0 Safari/537.36",
		"Chrome",
		"Linux",
	],
	["python-requests/2.32.3", "python-requests", undefined],
	["Mozilla/5.0", undefined, undefined],
	["", undefined, undefined],
	[null, undefined, undefined],
])("reads %j", (header, program, system) => {
	expect(readUserAgent(header)).toEqual({ program, system });
});
