import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface SignedRequest {
	readonly method: string;
	/** As sent, without the query. */
	readonly path: string;
	readonly query: URLSearchParams;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
}

const AUTHORIZATION =
	/^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^/]+\/[^/]+\/[^/]+\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** The access key id that a request is signed with, or undefined. */
export function accessKeyOf({ authorization = "" }: IncomingHttpHeaders): string | undefined {
	return AUTHORIZATION.exec(authorization)?.[1];
}

/** Whether the request is signed with this key: Signature Version 4 of AWS. */
export function isSignedWith(secret: string, { method, path, query, headers, body }: SignedRequest): boolean {
	const [, , scope = "", names = "", signature = ""] = AUTHORIZATION.exec(headers.authorization ?? "") ?? [];
	const [date = "", region = "", service = ""] = scope.split("/");
	const canonical = [
		method,
		path.split("/").map(encode).join("/"),
		Array.from(query, ([name, value]) => `${encode(name)}=${encode(value)}`)
			.toSorted()
			.join("&"),
		...names.split(";").map(
			(name) =>
				`${name}:${String(headers[name] ?? "")
					.trim()
					.replaceAll(/ +/g, " ")}`,
		),
		"",
		names,
		createHash("sha256").update(body).digest("hex"),
	].join("\n");
	const digest = createHash("sha256").update(canonical).digest("hex");
	const toSign = ["AWS4-HMAC-SHA256", String(headers["x-amz-date"]), scope, digest].join("\n");
	const parts = [date, region, service, "aws4_request"];
	const key = parts.reduce<string | Buffer>((former, part) => hmac(former, part), `AWS4${secret}`);
	const expected = Buffer.from(hmac(key, toSign).toString("hex"));
	return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), expected);
}

function hmac(key: string | Buffer, text: string): Buffer {
	return createHmac("sha256", key).update(text).digest();
}

/** Of RFC 3986, which leaves fewer characters as they are than `encodeURIComponent`. */
function encode(text: string): string {
	return encodeURIComponent(text).replaceAll(
		/[!'()*]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}
