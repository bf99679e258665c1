import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { receiveForm } from "./receive-form.ts";
import { formOf } from "./test-uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "forms-"));
afterAll(() => rm(folder, { recursive: true }));

const KIB = 1_024;
const TYPE = "multipart/form-data; boundary=x";
const HEADER = 'Content-Disposition: form-data; name="a"\r\n\r\n';

/** Receives a form in these chunks: its fields, and the hash of its file. */
async function receive(pieces: Iterable<Buffer>, contentType = TYPE) {
	const options = { folder, maxBytes: 64 * KIB * KIB, hungUp: new AbortController().signal };
	const payload = Readable.from(pieces, { objectMode: false });
	await using form = await receiveForm(payload, contentType, options);
	const hash = createHash("sha256");
	if (form.file !== undefined) {
		for await (const chunk of createReadStream("", { fd: form.file.fd, start: 0, autoClose: false }))
			hash.update(chunk);
	}
	return { fields: [...form.fields], file: hash.digest("hex"), digest: form.digest };
}

function* piecesOf(payload: Buffer, sizes: readonly number[]): Generator<Buffer> {
	for (let at = 0, turn = 0; at < payload.length; turn += 1) {
		const size = sizes[turn % sizes.length] ?? payload.length;
		yield payload.subarray(at, at + size);
		at += size;
	}
}

/** Sizes on both sides of what streams hold, less and more than the headers around a file. */
function* sizesToTry(): Generator<number> {
	for (let size = KIB; size <= 1_024 * KIB; size += 7 * KIB) yield size;
	for (const edge of [16, 32, 64, 65, 128, 256, 512]) {
		for (const off of [-300, -200, -100, -70, -2, -1, 0, 1, 2, 70, 100, 200, 300]) yield edge * KIB + off;
	}
}

const CUTS = [[64 * KIB], [64 * KIB - 1], [1_024 * KIB], [16 * KIB], [9_000, 3, 1], [65_000, 3, 1, 40_000]];

it("receives files of any size, however they are cut into pieces", async () => {
	const noise = Buffer.alloc(1_100 * KIB);
	// Much of it looks like the beginning of a boundary.
	const text = "\r\n--a-boundary-of-testx";
	for (let at = 0; at < noise.length; at += 1) noise[at] = text.charCodeAt((at * at + (at >> 7)) % text.length);
	let turn = 0;
	for (const size of sizesToTry()) {
		const content = noise.subarray(0, size);
		const fields = [
			["name", "n"],
			["input_keys[]", "q"],
		] as const;
		const { headers, payload } = formOf(fields, { content });
		const wanted = createHash("sha256").update(content).digest("hex");
		turn += 1;
		const sizes = CUTS[turn % CUTS.length] ?? [];
		const received = await receive(piecesOf(payload, sizes), headers["content-type"]);
		const values = fields.map(([name, value]) => [name, [value]]);
		expect([size, sizes, received.fields, received.file]).toEqual([size, sizes, values, wanted]);
	}
});

it("reads a form alike however it is cut into chunks, with blanks after boundaries and text around them", async () => {
	const form = Buffer.from(
		[
			"preamble\r\n--x \t\r\nCONTENT-disposition:form-data;\r\n name=a\r\n\r\n\r\n-x-not\r\n-\r\n--x",
			'Content-Disposition: form-data; name="file"; filename="f"\r\n\r\n1\r\n--\r\n--x',
			'Content-Disposition: form-data; name="a"\r\n',
			'--x\r\nContent-Disposition: form-data; name=""\r\n\r\nb\r\n--x--\r\nepilogue --x',
		].join("\r\n"),
	);
	const type = 'multipart/form-data; charset=utf-8; boundary="x"';
	const whole = await receive([form], type);
	expect(whole.fields).toEqual([
		["a", ["\r\n-x-not\r\n-", ""]],
		["", ["b"]],
	]);
	expect(whole.file).toBe(createHash("sha256").update("1\r\n--").digest("hex"));
	for (let cut = 1; cut < form.length; cut += 1) {
		expect(await receive([form.subarray(0, cut), form.subarray(cut)], type)).toEqual(whole);
	}
	expect(await receive(piecesOf(form, [1]), type)).toEqual(whole);
});

/** A form that never ends, and how much of it was read. */
function endless(beginning: string, part: string) {
	const chunk = Buffer.from(part.repeat(Math.ceil((64 * KIB) / part.length)));
	const sent = { bytes: 0 };
	function* pieces() {
		yield Buffer.from(beginning);
		for (; sent.bytes < 40 * KIB * KIB; sent.bytes += chunk.length) yield chunk;
	}
	return { sent, pieces: pieces() };
}

it.each([
	["parts of nothing", "", "--x\r\n", 422],
	["parts without headers", "", "--x\r\n\r\n\r\n", 422],
	["parts without a name", "", `--x\r\nContent-Type: text/plain\r\n\r\n\r\n`, 422],
	["empty fields", "", `--x\r\n${HEADER}\r\n`, 413],
	[
		"fields with long names",
		"",
		`--x\r\nContent-Disposition: form-data; name="${"n".repeat(15_000)}"\r\n\r\n\r\n`,
		413,
	],
	["a long field", `--x\r\n${HEADER}`, "v", 413],
	["a long header", "--x\r\nContent-Disposition: ", "h", 422],
	["many headers", "--x\r\n", "a: b\r\n", 422],
	["empty files", "", '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n\r\n', 422],
])("refuses %s before much of them has come in", async (_what, beginning, part, status) => {
	const { sent, pieces } = endless(beginning, part);
	await expect(receive(pieces)).rejects.toMatchObject({ status });
	expect(sent.bytes).toBeLessThan(5 * KIB * KIB);
});

it.each([
	["nothing", ""],
	["no last boundary", `--x\r\n${HEADER}a`],
	["half of the last boundary", `--x\r\n${HEADER}a\r\n--x-`],
	["headers that end nowhere", `--x\r\nContent-Disposition: form-data; name="a"\r\n--x\r\n${HEADER}b\r\n--x--`],
	["a header without a name", `--x\r\n: b\r\n${HEADER}b\r\n--x--`],
	["a line break in a header", `--x\r\na: b\n${HEADER}b\r\n--x--`],
	["something after a boundary", `--x\r\n${HEADER}a\r\n--xy\r\n${HEADER}b\r\n--x--`],
])("refuses a form with %s", async (_what, form) => {
	await expect(receive([Buffer.from(form)])).rejects.toMatchObject({ status: 422, code: "invalid_form" });
});

it("distinguishes a sender that hangs up from a disk that fails", async () => {
	const file = join(folder, "not-a-folder");
	await writeFile(file, "");
	const { headers, payload } = formOf([], { content: "q\n1\n" });
	const options = { maxBytes: KIB, hungUp: new AbortController().signal };
	const send = (to: string, body: Readable) =>
		receiveForm(body, headers["content-type"], { ...options, folder: to }).catch((error: unknown) => error);
	expect(await send(file, Readable.from([payload]))).toMatchObject({ status: 507, cause: { code: "EEXIST" } });
	expect(await send(join(file, "uploads"), Readable.from([payload]))).toMatchObject({ status: 507 });
	async function* broken() {
		yield payload.subarray(0, 100);
		throw new Error("gone");
	}
	expect(await send(folder, Readable.from(broken()))).toMatchObject({ status: 422, code: "invalid_form" });
});

it("says that the disk is full, and leaves nothing on it", async (context) => {
	const disk = await mkdtemp(join(tmpdir(), "full-"));
	try {
		execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], { stdio: "ignore" });
	} catch {
		return context.skip("this process may not mount a file system");
	}
	try {
		const { headers, payload } = formOf([], { content: "q\n".repeat(100 * KIB) });
		const options = { folder: disk, maxBytes: 1_024 * KIB, hungUp: new AbortController().signal };
		const receiving = receiveForm(Readable.from([payload]), headers["content-type"], options);
		await expect(receiving).rejects.toMatchObject({ name: "StorageUnavailable", reason: "full" });
		expect(await readdir(disk)).toEqual([]);
	} finally {
		execFileSync("/bin/umount", ["--lazy", disk]);
		await rm(disk, { recursive: true });
	}
});
