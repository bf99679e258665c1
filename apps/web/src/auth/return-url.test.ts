import { expect, test } from "vitest";
import { safeReturnUrl } from "./return-url.ts";

const ORIGIN = "https://traces.example";

test.each([
	["/", "/"],
	["/p/shop/traces?q=a%20b&from=1h#span", "/p/shop/traces?q=a%20b&from=1h#span"],
	["/p/a%2Fb/traces", "/p/a%2Fb/traces"],
	["/p/Zürich/traces", "/p/Z%C3%BCrich/traces"],
	["/@evil.example", "/@evil.example"],
	["/loginless", "/loginless"],
	["/oauth2/consent?client_id=a&state=b%20c", "/oauth2/consent?client_id=a&state=b%20c"],
	["/device?user_code=WDJB-MJHT", "/device?user_code=WDJB-MJHT"],
])("%s is a page to come back to", (wanted, expected) => {
	expect(safeReturnUrl(wanted, "", ORIGIN)).toBe(expected);
});

test.each([
	null,
	undefined,
	"",
	"p/shop",
	"//evil.example",
	"///evil.example",
	"/\\evil.example",
	"\\\\evil.example",
	"/%2Fevil.example",
	"/%2f/evil.example",
	"/%5Cevil.example",
	"/%09/evil.example",
	"/\t/evil.example",
	"/\n/evil.example",
	"/..//evil.example",
	"/./%2E//evil.example",
	"/a/..//evil.example",
	"/p\\..\\..",
	"/\u0000",
	"/\u2028",
	"/%",
	"https://evil.example/",
	"https:evil.example",
	"javascript:alert(1)",
	"data:text/html,x",
	"/login",
	"/login/",
	"/LOGIN?returnUrl=/login",
	"/p/../login",
	"/logout",
	"/auth/logout",
	"/%61uth/logout",
	"/%6Fauth2/a/login?returnUrl=/x",
	"/oauth2/x/login",
	"/oauth2/consent/",
	"/oauth2/consent/../x/login",
	"/oauth2/%63onsent/../authorize",
	"/OAuth2/consent",
	"/oauth2/authorize?client_id=a",
	"/oauth2/authorize/decision",
	"/reset-password",
	`/${"a".repeat(10_000)}`,
])("%j leads to the start page", (wanted) => {
	expect(safeReturnUrl(wanted, "", ORIGIN)).toBe("/");
});

test("below a base path it stays below it", () => {
	expect(safeReturnUrl("/p/shop", "/tools/traces", ORIGIN)).toBe("/tools/traces/p/shop");
	expect(safeReturnUrl("/../admin", "/tools/traces", ORIGIN)).toBe("/tools/traces/");
	expect(safeReturnUrl("/../traces/p/shop", "/tools/traces", ORIGIN)).toBe("/tools/traces/p/shop");
	expect(safeReturnUrl("/..//evil.example", "/tools", ORIGIN)).toBe("/tools/");
	expect(safeReturnUrl(null, "/tools", ORIGIN)).toBe("/tools/");
});
