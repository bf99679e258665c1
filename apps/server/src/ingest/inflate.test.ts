import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { CorruptCompression, InflatedTooLarge, inflate } from "./inflate.ts";

const text = Buffer.from("span ".repeat(10_000));
const MAX = 1_048_576;

test.each([
	["identity", text],
	["gzip", gzipSync(text)],
	["deflate", deflateSync(text)],
	["deflate", deflateRawSync(text)],
	["zstd", zstdCompressSync(text)],
] as const)("inflates %s", (encoding, body) => {
	expect(Buffer.compare(inflate(body, encoding, MAX), text)).toBe(0);
});

test("joins several gzip members, and several zstd frames", () => {
	const twice = Buffer.concat([text, text]);
	expect(Buffer.compare(inflate(Buffer.concat([gzipSync(text), gzipSync(text)]), "gzip", MAX), twice)).toBe(0);
	const frames = Buffer.concat([zstdCompressSync(text), zstdCompressSync(text)]);
	expect(Buffer.compare(inflate(frames, "zstd", MAX), twice)).toBe(0);
});

test("takes an output of exactly the limit", () => {
	expect(inflate(gzipSync(text), "gzip", text.byteLength).byteLength).toBe(text.byteLength);
	expect(inflate(zstdCompressSync(text), "zstd", text.byteLength).byteLength).toBe(text.byteLength);
	expect(inflate(text, "identity", text.byteLength).byteLength).toBe(text.byteLength);
});

test.each([
	["identity", text],
	["gzip", gzipSync(text)],
	["gzip", Buffer.concat([gzipSync(text), gzipSync(Buffer.alloc(0))])],
	["deflate", deflateSync(text)],
	["zstd", zstdCompressSync(text)],
] as const)("refuses %s beyond the limit", (encoding, body) => {
	expect(() => inflate(body, encoding, text.byteLength - 1)).toThrow(InflatedTooLarge);
});

test.each(["gzip", "deflate", "zstd"] as const)("stops a bomb of %s at the limit", (encoding) => {
	const zeros = Buffer.alloc(64 * MAX);
	const bomb = { gzip: gzipSync, deflate: deflateSync, zstd: zstdCompressSync }[encoding](zeros);
	const before = process.memoryUsage().arrayBuffers;
	expect(() => inflate(bomb, encoding, MAX)).toThrow(InflatedTooLarge);
	expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MAX);
});

test("does not believe the size that a gzip trailer claims", () => {
	const body = gzipSync(text);
	body.writeUInt32LE(0xffff_ffff, body.byteLength - 4);
	expect(() => inflate(body, "gzip", MAX)).toThrow(CorruptCompression);
});

test.each([
	["gzip", text],
	["gzip", gzipSync(text).subarray(0, 60)],
	["deflate", deflateSync(text).subarray(0, 60)],
	["deflate", Buffer.from("no deflate at all")],
	["zstd", zstdCompressSync(text).subarray(0, 12)],
	["zstd", text],
] as const)("names corrupt %s as such", (encoding, body) => {
	expect(() => inflate(body, encoding, MAX)).toThrow(CorruptCompression);
});

test("refuses a zstd window beyond what HTTP allows", () => {
	// Frame header: magic, descriptor without single segment, window log 27.
	const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x01, 0x00, 0x00]);
	expect(() => inflate(frame, "zstd", MAX)).toThrow(CorruptCompression);
});

test("an empty body is empty whatever its encoding", () => {
	expect(inflate(new Uint8Array(0), "gzip", MAX).byteLength).toBe(0);
});
