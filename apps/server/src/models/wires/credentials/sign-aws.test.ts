import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { describe, expect, it } from "vitest";
import { signAwsRequest } from "./sign-aws.ts";

const KEYS = {
	accessKeyId: "AKIDEXAMPLE",
	secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
	sessionToken: undefined,
};

describe("Signature Version 4", () => {
	/** Of the suite of tests that AWS publishes. */
	it.each([
		["GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
		["POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
		["GET", "/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"],
	] as const)("%s %s", (method, path, signature) => {
		const headers = new Headers();
		const request = { method, url: new URL(`https://example.amazonaws.com${path}`), headers, body: "" };
		signAwsRequest(request, KEYS, { region: "us-east-1", service: "service", now: new Date("2015-08-30T12:36:00Z") });
		expect(headers.get("authorization")).toBe(
			`AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
		);
	});

	it("is what the library makes of the same request", async () => {
		const sent = Promise.withResolvers<{ url: URL; headers: Headers; body: string }>();
		const library = createAmazonBedrock({
			region: "eu-west-1",
			...{ apiKey: "", baseURL: "https://bedrock-runtime.eu-west-1.amazonaws.com" },
			...{ accessKeyId: KEYS.accessKeyId, secretAccessKey: KEYS.secretAccessKey, sessionToken: "a session" },
			fetch: (input, init) => {
				sent.resolve({ url: new URL(String(input)), headers: new Headers(init?.headers), body: String(init?.body) });
				return Promise.resolve(new Response("{}", { status: 500 }));
			},
		})("vendor.model (new)-v1:0");
		const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Grüße" }] }];
		const [{ url, headers, body }] = await Promise.all([
			sent.promise,
			expect(library.doGenerate({ prompt })).rejects.toThrow(),
		]);
		const expected = headers.get("authorization") ?? "";
		const names = /SignedHeaders=([^,]*)/.exec(expected)?.[1]?.split(";") ?? [];
		const signed = new Headers(
			names.filter((name) => name !== "host").map((name) => [name, headers.get(name) ?? ""] as [string, string]),
		);
		const now = new Date(
			(headers.get("x-amz-date") ?? "").replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z"),
		);
		const keys = { ...KEYS, sessionToken: "a session" };
		signAwsRequest({ method: "POST", url, headers: signed, body }, keys, {
			region: "eu-west-1",
			service: "bedrock",
			now,
		});
		expect(names).toContain("x-amz-security-token");
		expect(signed.get("authorization")).toBe(expected);
	});
});
