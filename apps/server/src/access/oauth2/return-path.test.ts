import { describe, expect, test } from "vitest";
import { safeReturnPath } from "./return-path.ts";

describe("T131: where to go after signing in", () => {
	test.each([
		"//e.example",
		"///e.example",
		"/\\e.example",
		"\\/e.example",
		"/%2Fe.example",
		"/%2fe.example",
		"/%5Ce.example",
		"/%09/e.example",
		"/\t/e.example",
		"/\n/e.example",
		"/%0A/e.example",
		"/%00",
		"/%E2%80%A8/e",
		"/..//e.example",
		"/.//e.example",
		"/x/..//e.example",
		"https://e.example/",
		"https:e.example",
		"javascript:alert(1)",
		"data:text/html,x",
		"e.example",
		"@e.example",
		"?x",
		"",
		" /x",
		"/%",
		"/%C0%AF",
		`/${"x".repeat(10_240)}`,
		"/login",
		"/LOGIN?x",
		"/logout/",
		"/auth/logout",
		"/oauth2/a/login",
		"/oauth2/consent/",
		"/oauth2/consent/../a/login",
		"/OAuth2/consent",
		"/oauth2/authorize?client_id=a",
		"/x/../login",
		"/%6c/../login",
		"/%61uth/logout",
		"/%6Fauth2/a/login?returnUrl=/x",
		"/x/%2e%2e/%6c%6Fgout",
	])("the start page for %j", (wanted) => {
		expect(safeReturnPath(wanted, "")).toBe("/");
		expect(safeReturnPath(wanted, "/app")).toBe("/app/");
	});

	test.each([
		["/", "/"],
		["/projects/UHJvamVjdDox?tab=spans&q=a%20b#top", "/projects/UHJvamVjdDox?tab=spans&q=a%20b#top"],
		["/@e.example", "/@e.example"],
		["/logins", "/logins"],
		["/oauth2/consent?client_id=a&state=b%20c", "/oauth2/consent?client_id=a&state=b%20c"],
		["/device?user_code=WDJB-MJHT", "/device?user_code=WDJB-MJHT"],
		["/x/./y", "/x/y"],
		["/ä", "/%C3%A4"],
		["/x?next=//e.example", "/x?next=//e.example"],
	])("%j is a page of ours", (wanted, path) => {
		expect(safeReturnPath(wanted, "")).toBe(path);
		expect(safeReturnPath(wanted, "/app")).toBe(`/app${path}`);
	});

	test.each(["/../x", "/../../x", "/%2e%2e/x", "/..%2fx"])("%j stays below the root path", (wanted) => {
		expect(safeReturnPath(wanted, "/app")).toMatch(/^\/app\//);
	});
});
