import { expect, test } from "vitest";
import { SecretText } from "#base/secret-text.ts";
import { clientAuthentication } from "./client-authentication.ts";
import { testProvider } from "./test-provider.ts";

/** What stands behind `Basic`, decoded from base64 only. */
async function credentials(id: string, secret: string): Promise<string> {
	const authenticate = await clientAuthentication(testProvider({ clientId: id, clientSecret: new SecretText(secret) }));
	const headers = new Headers();
	await authenticate({ issuer: "https://acme.example" }, { client_id: id }, new URLSearchParams(), headers);
	const [scheme, base64 = ""] = (headers.get("authorization") ?? "").split(" ");
	expect(scheme).toBe("Basic");
	return Buffer.from(base64, "base64").toString();
}

test("a provider that compares id and secret as they are sent finds them", async () => {
	const [id, secret] = ["my-client_1.apps~example*", "Ab-0._~*!'()Zz"];
	expect(await credentials(id, secret)).toBe(`${id}:${secret}`);
});

test.each([
	["a:b", "c:d"],
	["service:basic %+", "50% + a bit"],
	["ü/?&=", '%41+%2B\t"\\'],
	["-._~*!'()", "𝒳 é"],
])("one that decodes forms, and one that decodes percent signs, reads %j and %j", async (id, secret) => {
	const parts = (await credentials(id, secret)).split(":");
	expect(parts.map((part) => new URLSearchParams(`text=${part}`).get("text"))).toEqual([id, secret]);
	expect(parts.map(decodeURIComponent)).toEqual([id, secret]);
});
