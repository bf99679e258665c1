import { createHash, createHmac } from "node:crypto";

export interface AwsKeys {
	readonly accessKeyId: string;
	readonly secretAccessKey: string;
	readonly sessionToken: string | undefined;
}

export interface AwsRequest {
	readonly method: "GET" | "POST";
	readonly url: URL;
	readonly headers: Headers;
	readonly body: string;
}

/** Of the headers, those that a proxy may change are not signed. */
const UNSIGNED: ReadonlySet<string> = new Set([
	"user-agent",
	"authorization",
	"accept",
	"accept-language",
	"accept-encoding",
]);

/**
 * Puts the headers of Signature Version 4 into a request. The library signs the body that it made, before it is
 * completed, and no list of models.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signAwsRequest(
	{ method, url, headers, body }: AwsRequest,
	{ accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
	scope: { readonly region: string; readonly service: string; readonly now: Date },
): void {
	const time = scope.now.toISOString().replace(/[-:]|\.\d+/g, "");
	const day = time.slice(0, 8);
	headers.set("x-amz-date", time);
	if (sessionToken !== undefined) headers.set("x-amz-security-token", sessionToken);
	const signed = [["host", url.host] as const, ...headers]
		.filter(([name]) => !UNSIGNED.has(name))
		.map(([name, value]) => [name, value.trim().replace(/ +/g, " ")] as const)
		.sort(([a], [b]) => (a < b ? -1 : 1));
	const signedNames = signed.map(([name]) => name).join(";");
	const canonical = [
		method,
		canonicalPath(url),
		canonicalQuery(url),
		...signed.map(([name, value]) => `${name}:${value}`),
		"",
		signedNames,
		sha256(body),
	].join("\n");
	const credentialScope = `${day}/${scope.region}/${scope.service}/aws4_request`;
	const toSign = ["AWS4-HMAC-SHA256", time, credentialScope, sha256(canonical)].join("\n");
	const key = [day, scope.region, scope.service, "aws4_request"].reduce<Buffer>(
		(before, part) => hmac(before, part),
		Buffer.from(`AWS4${secretAccessKey}`),
	);
	const signature = hmac(key, toSign).toString("hex");
	headers.set(
		"authorization",
		`AWS4-HMAC-SHA256 Credential=${accessKeyId}/${credentialScope}, SignedHeaders=${signedNames}, Signature=${signature}`,
	);
}

/** Of every service but S3 each part of the path is encoded twice: once in the address, once more here. */
function canonicalPath({ pathname }: URL): string {
	return pathname.split("/").map(encode).join("/");
}

function canonicalQuery({ searchParams }: URL): string {
	return [...searchParams]
		.map(([name, value]) => `${encode(name)}=${encode(value)}`)
		.sort()
		.join("&");
}

/** RFC 3986, without the characters that `encodeURIComponent` leaves */
function encode(text: string): string {
	return encodeURIComponent(text).replace(
		/[!'()*]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
	return createHmac("sha256", key).update(text).digest();
}
