import { expect, test } from "vitest";
import { mergeClaims } from "./userinfo.ts";

test.each([
	[{ email: "boss@example.com" }, { email: "eve@example.com", email_verified: true }, "boss@example.com", undefined],
	[{ email: "boss@example.com" }, { email: "eve@example.com", email_verified: false }, "boss@example.com", false],
	[{ email: "ana@example.com" }, { email: "ana@example.com", email_verified: true }, "ana@example.com", true],
	[{ email: "ana@example.com" }, { email_verified: false }, "ana@example.com", false],
	[{}, { email: "ana@example.com", email_verified: true }, "ana@example.com", true],
	[{ email: "ana@example.com", email_verified: false }, { email_verified: true }, "ana@example.com", false],
])("of %j and %j the email is %s, and %s is what is said of it", (idToken, userinfo, email, verified) => {
	const merged = mergeClaims({ sub: "a", ...idToken }, { sub: "a", groups: ["x"], ...userinfo });
	expect(merged).toMatchObject({ sub: "a", groups: ["x"], email });
	expect(merged["email_verified"]).toBe(verified);
});
