import { describe, expect, test } from "vitest";
import { normalizeMessage } from "./normalize-message.ts";

test.each([
	["object at 0x7f3a12bc", "object at <address>"],
	["object at 0x7f3a…", "object at <address>…"],
	["Failed to fetch (127.0.0.1:56736)", "Failed to fetch (<ip>)"],
	["no route to [::1]:8080, fe80::1%eth0 or 10.0.0.0/8", "no route to <ip>, <ip> or <ip>"],
	["cannot reach localhost:3000", "cannot reach localhost:<num>"],
	["expected value at line 1 column 190", "expected value at line <num> column <num>"],
	["step-75 of step_80", "step-<num> of step_<num>"],
	["used 45 %, 1.5 MB, 128k, -3, 1,000,000 and 1e-7", "used <num>, <num>, <num>, <num>, <num> and <num>"],
	[
		"took 1.2s, 114ms, 6m0s, 2 minutes 3 seconds, PT1M30S",
		"took <duration>, <duration>, <duration>, <duration>, <duration>",
	],
	["at 2026-11-27T12:00:00.123Z", "at <date>"],
	["on 2026-11-27, 27/11/2026, Nov 3, 2026", "on <date>, <date>, <date>"],
	["since Fri, 27 Nov 2026 21:18:24 GMT until 21:18:24", "since <date> until <time>"],
	["id 550e8400-e29b-41d4-a716-446655440000.", "id <uuid>."],
	["trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace <hex>"],
	["mail bob.smith+x@example.co.uk", "mail <email>"],
	["open /tmp/tmpab12/x.json: no such file", "open <tmp>: no such file"],
	["open C:\\Users\\bob\\AppData\\Local\\Temp\\a1\\y.txt", "open <tmp>"],
	["blob SGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ= ends", "blob <base64> ends"],
	["file /data/kQ3fZ8mT1xR5vB2nL7pS/x.json", "file /data/<base64>/x.json"],
	[
		"GET https://me:pw@api.x.com:8443/v1/users/12345/threads/thread_abc123xyz?limit=5&x=1 failed",
		"GET https://api.x.com:<num>/v1/users/<id>/threads/<id>?<query> failed",
	],
	["see https://platform.openai.com/account/rate-limits.", "see https://platform.openai.com/account/rate-limits."],
	["ids req_011CSHoE, call_a1B2, run_7, msg_x1, org-a1, chatcmpl-B9", "ids <id>, <id>, <id>, <id>, <id>, <id>"],
	[
		"in organization acme: request 8f3k of session 'x-1', thread alpha",
		"in organization <id>: request <id> of session '<id>', thread <id>",
	],
	["request_id: abc, Request ID abc", "request_id: <id>, Request ID <id>"],
	["Incorrect API key provided: sk-proj-abc***********1234.", "Incorrect API key provided: <id>."],
])("%s", (message, normalized) => {
	expect(normalizeMessage(message)).toBe(normalized);
});

test.each([
	"KeyError: 'city'",
	"request timed out",
	"The request body is invalid",
	"session expired",
	"call_tool and run_agent failed",
	"context_length_exceeded_for_this_model",
	"InternalServerErrorException in AsyncChatCompletionsResource",
	"gpt-4o utf8 sha256 std::string Ada::Deed",
	"cannot import name 'x' from 'langchain_core/tools/base_tool_registry'",
])("leaves %s", (message) => {
	expect(normalizeMessage(message)).toBe(message);
});

test("takes the first line that is not blank, without control characters", () => {
	expect(normalizeMessage("\r\n\n  \u001b[31mfirst\u001b[0m\t\u0000 line\nsecond")).toBe("first line");
	expect(normalizeMessage(" \n ")).toBe("");
});

test("takes all of a message whose first line says nothing", () => {
	expect(normalizeMessage('{\n  "error": {\n    "code": 429\n  }\n}')).toBe('{ "error": { "code": <num> } }');
	expect(normalizeMessage("---\nbroken")).toBe("--- broken");
	expect(normalizeMessage("{\n}")).toBe("{ }");
});

describe("long messages", () => {
	test("are cut to 1,000 characters", () => {
		expect(normalizeMessage("wörd ".repeat(3_000))).toHaveLength(1_000);
	});

	test.each([
		"x",
		"a",
		"7",
		"-",
		"/",
		"@",
		".",
		":",
		"\\",
		"'",
		"é",
		"😀",
		"\ud800",
		"a.",
		"1:",
		"a@",
		"x/",
		"request ",
		"A1",
	])("of %j alone read no more than their beginning", (repeated) => {
		const beginning = normalizeMessage(repeated.repeat(5_000));
		expect(normalizeMessage(repeated.repeat(10_000_000 / repeated.length))).toBe(beginning);
		expect(beginning.isWellFormed()).toBe(true);
	});

	test("end where a word ends, so that a cut id does not differ", () => {
		const long = (id: string): string => `${"word ".repeat(815)}org-12${id} ${"more ".repeat(1_000)}`;
		expect(normalizeMessage(long("34567890123456789"))).toBe(normalizeMessage(long("99999")));
	});
});
