import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as forward, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import { Abandoned } from "../../apps/server/src/base/fair-turns.ts";
import { readersGone } from "../../apps/server/src/base/readers-gone.ts";
import { ClickHouseFailure } from "../../apps/server/src/storage/clickhouse/failures.ts";
import type { ClickHouseAccess } from "../../apps/server/src/storage/clickhouse/node.ts";
import { type Columns, RowWriter, types, writeRow } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import { Shard } from "../../apps/server/src/storage/clickhouse/shard.ts";
import { type StatementDone, statementsDone } from "../../apps/server/src/storage/clickhouse/statement-channel.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { freePort } from "../server.ts";
import { HARMFUL_PROFILE } from "./harmful-profile.ts";

const test = testWith("clickhouse");

const PASSWORD = "a-password-nobody-may-see";
const ACCESS: ClickHouseAccess = {
	user: "writer",
	password: PASSWORD,
	database: "default",
	connections: 4,
	statementTimeoutMs: 300_000,
	queryMemoryBytes: 512 * 1024 * 1024,
};
const COLUMNS = { id: types.UInt64, text: types.String };
const VALUES = { text: types.String };

let clickhouse: ClickHouse;
let shard: Shard;

beforeAll(async () => {
	clickhouse = await startClickHouse({
		users: [`writer:${PASSWORD}`, `reader:${PASSWORD}:ro`],
		// What statements mean does not depend on it.
		profile: HARMFUL_PROFILE,
	});
	shard = new Shard([new URL(clickhouse.url)], ACCESS);
	await makeTable();
});
afterAll(async () => {
	await shard[Symbol.asyncDispose]();
	await clickhouse[Symbol.asyncDispose]();
});
beforeEach(async () => {
	await clickhouse.heal();
	await shard.execute("truncate table noted");
});

async function makeTable(): Promise<void> {
	await shard.execute(
		"create table noted (id UInt64, text String) engine = MergeTree order by id settings non_replicated_deduplication_window = 100",
	);
}

function rows(...texts: readonly (string | Buffer)[]): Buffer {
	const to = new RowWriter();
	for (const [index, text] of texts.entries()) writeRow(COLUMNS, to, { id: BigInt(index), text: Buffer.from(text) });
	return to.bytes();
}

async function stored(from = shard): Promise<string[]> {
	return (await from.select("select text from noted order by id, text", VALUES)).map(({ text }) => text.toString());
}

async function failureOf(work: Promise<unknown>): Promise<ClickHouseFailure> {
	const error: unknown = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof ClickHouseFailure)) throw new Error(`expected a ClickHouseFailure, got ${String(error)}`);
	return error;
}

describe("values", () => {
	test("come back byte for byte, at the limits of their types too", async () => {
		const all = {
			u8: types.UInt8,
			u16: types.UInt16,
			u32: types.UInt32,
			u64: types.UInt64,
			i64: types.Int64,
			f64: types.Float64,
			bytes: types.String,
			trace: types.FixedString(4),
			absent: types.Nullable(types.UInt32),
			list: types.Array(types.Nullable(types.String)),
		};
		const columns = Object.entries(all).map(([name, { type }]) => `${name} ${type}`);
		await shard.execute(`create table typed (${columns.join(", ")}) engine = MergeTree order by u64`);
		const least = {
			...{ u8: 0, u16: 0, u32: 0, u64: 0n, i64: -(2n ** 63n), f64: Number.NEGATIVE_INFINITY },
			...{ bytes: Buffer.alloc(0), trace: Buffer.alloc(4), absent: null, list: [] },
		};
		const most = {
			...{ u8: 255, u16: 65_535, u32: 2 ** 32 - 1, u64: 2n ** 64n - 1n, i64: 2n ** 63n - 1n, f64: Number.NaN },
			// A NUL, half of a surrogate pair, and a length of several bytes.
			bytes: Buffer.concat([Buffer.from([0, 0xed, 0xa0, 0x80, 0xff]), Buffer.alloc(300_000, 7)]),
			...{ trace: Buffer.from("\t\n'\\"), absent: 1, list: [Buffer.from("a"), null, Buffer.from([0])] },
		};
		const to = new RowWriter();
		writeRow(all, to, least);
		writeRow(all, to, most);
		await shard.insert("typed", all, to.bytes(), { token: "limits" });
		expect(await shard.select("select * from typed order by u64", all)).toEqual([least, most]);
	});

	test("of parameters stay values, whatever they hold and however long they are", async () => {
		const texts = ["{x:String}", "' or 1 = 1 --", "\\", "\t\r\n", "a\0b", "format JSON", "é😀", `"\``, ""];
		for (const text of [...texts, texts.join("|").repeat(2_000)]) {
			const [row] = await shard.select("select {x:String} as text", VALUES, { params: { x: text } });
			expect(row?.text.toString()).toBe(text);
		}
		const ids = Array.from({ length: 10_000 }, (_, id) => BigInt(id) * 10n ** 11n);
		const found = await shard.select(
			"select arraySum({ids:Array(UInt64)}) as sum, {name:String} as text, {few:Array(String)} as list",
			{ sum: types.UInt64, text: types.String, list: types.Array(types.String) },
			{ params: { ids, name: "it's", few: texts } },
		);
		expect(found[0]?.sum).toBe(ids.reduce((sum, id) => sum + id));
		expect(found[0]?.list.map(String)).toEqual(texts);
	});

	test("of parameters may be longer than a field of a request, and more than it has fields", async () => {
		const ids = Array.from({ length: 50_000 }, (_, id) => id * 10 ** 9);
		const texts = Array.from({ length: 500 }, (_, index) => `${index}'\\\n😀`.repeat(2_000));
		const long = "é😀'\n".repeat(200_000);
		const [row] = await shard.select(
			`select arraySum({ids:Array(UInt64)}) as sum, length({ids:Array(UInt64)}) as count, {texts:Array(String)} as list,
				{long:String} as text, 7 * 10e9 in {ids:Array(UInt64)} as has`,
			{ sum: types.UInt64, count: types.UInt64, list: types.Array(types.Text), text: types.Text, has: types.UInt8 },
			{ params: { ids, texts: [...texts, long, ""], long } },
		);
		expect(row?.sum).toBe(ids.reduce((sum, id) => sum + BigInt(id), 0n));
		expect(row?.count).toBe(50_000n);
		expect(row?.has).toBe(1);
		expect(row?.list).toEqual([...texts, long, ""]);
		expect(row?.text).toBe(long);
		const many = Array.from({ length: 3_000 }, (_, index) => [`n${index}`, index] as const);
		const [sum] = await shard.select(
			`select arraySum([${many.map(([name]) => `{${name}:Int64}`).join()}]) as sum, {text:String} as text`,
			{ sum: types.Int64, text: types.Text },
			{ params: { ...Object.fromEntries(many), text: "x" } },
		);
		expect(sum).toEqual({ sum: 4_498_500n, text: "x" });
		const all = shard.select("select length({x:String}) as text", VALUES, { params: { x: "x".repeat(40_000_000) } });
		await expect(all).rejects.toThrow(RangeError);
	});

	test("K22 mean the same whatever the user's profile says", async () => {
		const [row] = await shard.select("select null in (null) as isIn", { isIn: types.Nullable(types.UInt8) });
		expect(row?.isIn ?? 0).toBe(0);
		await shard.insert("noted", COLUMNS, rows("at once"), { token: "profile" });
		expect(await stored()).toEqual(["at once"]);
	});

	test("are all there or none, although the profile ends statements early without a word", async () => {
		await shard.insert("noted", COLUMNS, rows("a", "b", "c"), { token: "all" });
		expect(await stored()).toEqual(["a", "b", "c"]);
		const slow = "select text from noted where sleepEachRow(0.2) = 0 settings max_block_size = 1";
		expect(await failureOf(shard.select(slow, VALUES, { withinMs: 300 }))).toMatchObject({ kind: "too_slow" });
		const limited = { max_execution_time: 0.3 };
		const late = await failureOf(shard.select(slow, VALUES, { settings: limited }));
		expect(late).toMatchObject({ kind: "too_slow", code: 159 });
		const most = { max_rows_to_read: "2" };
		const large = await failureOf(shard.select("select text from noted", VALUES, { settings: most }));
		expect(large).toMatchObject({ kind: "memory", code: 158 });
	});

	test("are not changed by a statement that reads", async () => {
		const writing = shard.select("insert into noted select 1, 'written'", VALUES);
		expect(await failureOf(writing)).toMatchObject({ kind: "refused", code: 164 });
		expect(await stored()).toEqual([]);
	});

	test("are refused to a user who may not set what statements mean", async () => {
		await using reader = new Shard([new URL(clickhouse.url)], { ...ACCESS, user: "reader" });
		const failure = await failureOf(reader.select("select text from noted", VALUES));
		expect(failure).toMatchObject({ kind: "refused", code: 164, message: expect.stringContaining("READONLY") });
	});
});

describe("an insert", () => {
	test.each(["drop_after", "drop_before"] as const)("is stored once when the connection ends: %s", async (kind) => {
		await clickhouse.fail([{ match: "^insert into noted", times: 2, kind }]);
		await shard.insert("noted", COLUMNS, rows("a", "b"), { token: kind });
		expect(await clickhouse.countFaults()).toBe(2);
		expect(await stored()).toEqual(["a", "b"]);
	});

	test.each([319, 999, 285, 202])(
		"is repeated when ClickHouse does not know its fate, or has no time: %i",
		async (code) => {
			await clickhouse.fail([{ match: "^insert into noted", kind: "error", code }]);
			await shard.insert("noted", COLUMNS, rows("a"), { token: String(code) });
			expect(await clickhouse.countFaults()).toBe(1);
			expect(await stored()).toEqual(["a"]);
		},
	);

	test("with another token is another one", async () => {
		await shard.insert("noted", COLUMNS, rows("a"), { token: "first" });
		await shard.insert("noted", COLUMNS, rows("a"), { token: "first" });
		await shard.insert("noted", COLUMNS, rows("a"), { token: "second" });
		expect(await stored()).toEqual(["a", "a"]);
	});

	test("is given up after two repeats, and may then be done", async () => {
		await clickhouse.fail([{ match: "^insert into noted", times: 9, kind: "drop_after" }]);
		const failure = await failureOf(shard.insert("noted", COLUMNS, rows("a"), { token: "given up" }));
		expect(failure).toMatchObject({ kind: "unreachable", mayBeDone: true });
		expect(await clickhouse.countFaults()).toBe(3);
	});

	test("K86 is not repeated when ClickHouse has refused it, and the refusal quotes neither data nor statement", async () => {
		await clickhouse.fail([{ match: "nothing of this kind", kind: "drop_before" }]);
		const failure = await failureOf(
			shard.insert("noted", COLUMNS, Buffer.from("a secret text that is no row"), { token: "broken" }),
		);
		expect(failure).toMatchObject({ kind: "statement", mayBeDone: false });
		expect(`${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`).not.toMatch(/secret|noted/);
		expect(await stored()).toEqual([]);
	});

	test("is told that merges do not keep up", async () => {
		await shard.execute(
			"create table crowded (id UInt64) engine = MergeTree order by id settings parts_to_throw_insert = 3, parts_to_delay_insert = 3",
		);
		await shard.execute("system stop merges crowded");
		const columns = { id: types.UInt64 };
		const add = async (id: bigint) => {
			const to = new RowWriter();
			writeRow(columns, to, { id });
			await shard.insert("crowded", columns, to.bytes(), { token: `part ${id}` });
		};
		for (const id of [1n, 2n, 3n]) await add(id);
		expect(await failureOf(add(4n))).toMatchObject({ kind: "overloaded", code: 252, mayBeDone: false });
	});
});

test("whoever listens is told what each statement came to, without its values", async () => {
	const told: StatementDone[] = [];
	const listen = (message: unknown) => void told.push(message as StatementDone);
	statementsDone.subscribe(listen);
	try {
		await clickhouse.fail([{ match: "^insert into noted", kind: "drop_after" }]);
		await shard.insert("noted", COLUMNS, rows("planted", "text"), { token: "told" });
		// The second is too long for an address.
		for (const text of ["planted", "planted".repeat(30_000)])
			await shard.select("select text from noted where text = {text:String}", VALUES, { params: { text } });
		await failureOf(shard.execute("truncate table planted_nowhere"));
		await clickhouse.fail([{ match: "^select text", kind: "delay", ms: 60_000 }]);
		const leaving = new AbortController();
		const asked = shard.select("select text from noted", VALUES, { signal: leaving.signal, isProbe: true });
		await expect.poll(() => clickhouse.countFaults()).toBe(1);
		leaving.abort(new Error("the caller left"));
		await expect(asked).rejects.toThrow("the caller left");
	} finally {
		statementsDone.unsubscribe(listen);
	}
	const node = new URL(clickhouse.url).host;
	const insert = { node, kind: "insert", sql: "insert into noted (id, text) format RowBinary", isProbe: false };
	const select = { kind: "select", sql: "select text from noted where text = {text:String} format RowBinary" };
	expect(told).toMatchObject([
		{ ...insert, isRepeat: false, rowsWritten: 0, errorCode: "unreachable" },
		{ ...insert, isRepeat: true, rowsWritten: 2 },
		{ ...select, isRepeat: false, rowsRead: 2, rowsWritten: 0 },
		{ ...select, rowsRead: 2 },
		{ kind: "change", sql: "truncate table planted_nowhere", errorCode: "60" },
		{ kind: "select", isProbe: true, errorCode: "abandoned" },
	]);
	expect(told.map(({ errorCode }) => errorCode === undefined)).toEqual([false, true, true, true, false, false]);
	expect(new Set(told.map(({ queryId }) => queryId)).size).toBe(told.length);
	expect(JSON.stringify(told).replaceAll("planted_nowhere", "")).not.toContain("planted");
});

describe("an answer", () => {
	test("K71 that breaks off at any byte is a failure, never a shorter list", async () => {
		await shard.insert("noted", COLUMNS, rows("first", "second", "third"), { token: "cut" });
		const whole = "select text from noted order by id";
		for (const bytes of [0, 1, 6, 7, 13, 18]) {
			await clickhouse.fail([{ match: "^select text", times: 9, kind: "cut", bytes }]);
			expect(await failureOf(shard.select(whole, VALUES))).toMatchObject({ kind: "unreachable" });
		}
	});

	test.each([{ kind: "drop_before" } as const, { kind: "error", code: 202 } as const])(
		"is read again when the connection was cut once, or too much ran: $kind",
		async (fault) => {
			await shard.insert("noted", COLUMNS, rows("first"), { token: "again" });
			await clickhouse.fail([{ match: "^select text", ...fault }]);
			expect(await stored()).toEqual(["first"]);
			expect(await clickhouse.countFaults()).toBe(1);
		},
	);

	test.each([
		[502, "<html>Bad gateway</html>"],
		[200, "<html>Please log in</html>"],
		[302, ""],
	])("K71 of somebody else is never an empty list: %i", async (status, text) => {
		await clickhouse.fail([{ match: "^select text", times: 9, kind: "status", status, text }]);
		expect(await failureOf(shard.select("select text from noted", VALUES))).toMatchObject({ kind: "foreign" });
	});

	test.each([
		[{ tag: "rumfyutuqkncbgau" }, { kind: "memory", code: 241 }],
		[{}, { kind: "foreign" }],
	])("K72 with an exception behind its rows is a failure: %o", async (how, failure) => {
		await shard.insert("noted", COLUMNS, rows("first", "second"), { token: "exception" });
		// Any bytes are rows of the second.
		for (const [statement, columns] of [
			["select text from noted order by id", VALUES],
			["select toUInt8(id) as id from noted", { id: types.UInt8 }],
		] as const) {
			for (const bytes of [0, 1, 6, 13]) {
				await clickhouse.fail([{ match: "^select", times: 9, kind: "exception", code: 241, bytes, ...how }]);
				expect(await failureOf(shard.select<Columns>(statement, columns))).toMatchObject(failure);
			}
		}
	});

	test.each([
		[202, "overloaded"],
		[241, "memory"],
		[242, "read_only"],
		[243, "full"],
		[159, "too_slow"],
		[516, "refused"],
	])("with the code %i is told apart: %s", async (code, kind) => {
		await clickhouse.fail([
			{ match: "^select text", times: 9, kind: "error", code, text: "planted words (SOME_NAME)" },
		]);
		const failure = await failureOf(shard.select("select text from noted", VALUES));
		expect(failure).toMatchObject({ kind, code });
		expect(failure.message).not.toContain("planted");
	});

	test("K86 to a wrong password names it nowhere", async () => {
		await using stranger = new Shard([new URL(clickhouse.url)], { ...ACCESS, password: "another-password" });
		const failure = await failureOf(stranger.select("select text from noted", VALUES));
		expect(failure).toMatchObject({ kind: "refused", code: 516 });
		expect(`${failure.stack}${JSON.stringify(failure)}`).not.toContain("another-password");
	});

	test("that nobody waits for any more ends the wait", async () => {
		await clickhouse.fail([{ match: "^select text", kind: "delay", ms: 60_000 }]);
		const leaving = new AbortController();
		const asked = shard.select("select text from noted", VALUES, { signal: leaving.signal });
		await expect.poll(() => clickhouse.countFaults()).toBe(1);
		leaving.abort(new Error("the caller left"));
		await expect(asked).rejects.toThrow("the caller left");
	});
});

describe("replicas", () => {
	test("K73 that refuse connections, hang or are not ClickHouse are left for the next", async () => {
		await shard.insert("noted", COLUMNS, rows("there"), { token: "there" });
		const refusing = new URL(`http://127.0.0.1:${await freePort()}`);
		await using hanging = await serve(() => undefined);
		await using proxy = await serve((_, response) => void response.writeHead(502).end("<html>"));
		await using several = new Shard([refusing, hanging.url, proxy.url, new URL(clickhouse.url)], ACCESS);
		expect(await stored(several)).toEqual(["there"]);
		const before = proxy.asked();
		expect(await stored(several)).toEqual(["there"]);
		expect(proxy.asked()).toBe(before);
	});

	test("are failures together when none is there", async () => {
		const refusing = new URL(`http://127.0.0.1:${await freePort()}`);
		await using nobody = new Shard([refusing], ACCESS);
		const failure = await failureOf(nobody.select("select 1 as text", VALUES));
		expect(failure).toMatchObject({ kind: "unreachable" });
		expect(failure.message).toContain(refusing.host);
	});

	/** ClickHouse looks whether the connection is there: https://clickhouse.com/docs/operations/settings/settings */
	test("AG11 who reads goes, and the connection with them, by which ClickHouse ends the statement", async () => {
		const asked = Promise.withResolvers<URL>();
		const closed = Promise.withResolvers<void>();
		await using hanging = await serve((request) => {
			if (!request.url?.includes("query_id=")) return;
			request.socket.once("close", () => closed.resolve());
			asked.resolve(new URL(request.url, "http://localhost"));
		});
		await using node = new Shard([hanging.url], ACCESS);
		const gone = new AbortController();
		const answer = readersGone.run(gone.signal, () => node.select("select 1 as text", VALUES));
		const { searchParams } = await asked.promise;
		expect(searchParams.get("cancel_http_readonly_queries_on_client_close")).toBe("1");
		expect(searchParams.get("readonly")).toBe("2");
		gone.abort(new Abandoned());
		await expect(answer).rejects.toThrow(Abandoned);
		await closed.promise;
	});

	async function serve(listener: RequestListener) {
		let asked = 0;
		const server = createServer((request, response) => {
			asked += 1;
			listener(request, response);
		});
		await once(server.listen(0, "127.0.0.1"), "listening");
		const address = server.address();
		if (address === null || typeof address === "string") throw new Error("expected a TCP address");
		return {
			url: new URL(`http://127.0.0.1:${address.port}`),
			asked: () => asked,
			async [Symbol.asyncDispose]() {
				server.closeAllConnections();
				server.close();
				await once(server, "close");
			},
		};
	}
});

test("a server that was killed has what it acknowledged, and is reached again", async () => {
	await shard.insert("noted", COLUMNS, rows("kept"), { token: "kept" });
	await clickhouse.kill();
	expect(await failureOf(shard.select("select text from noted", VALUES))).toMatchObject({ kind: "unreachable" });
	await clickhouse.start();
	expect(await stored()).toEqual(["kept"]);
	// The token is known across the restart.
	await shard.insert("noted", COLUMNS, rows("kept"), { token: "kept" });
	expect(await stored()).toEqual(["kept"]);
});

test("an insert that is refused for its many partitions is a failure, whose rows are not stored", async () => {
	await shard.execute(
		"create table scattered (id UInt64, text String) engine = MergeTree partition by id order by id settings non_replicated_deduplication_window = 100",
	);
	const texts = Array.from({ length: 120 }, () => "x");
	const refused = shard.insert("scattered", COLUMNS, rows(...texts), { token: "scattered" });
	expect(await failureOf(refused)).toMatchObject({ kind: "overloaded", code: 252 });
	expect(await shard.select("select text from scattered", VALUES)).toEqual([]);
	await shard.insert("scattered", COLUMNS, rows("x"), { token: "one" });
});

test("a server that hangs is a failure, and goes on when it wakes", async () => {
	await shard.insert("noted", COLUMNS, rows("kept"), { token: "before the pause" });
	{
		using _ = await clickhouse.freeze();
		expect(await failureOf(shard.select("select text from noted", VALUES))).toMatchObject({ kind: "unreachable" });
	}
	await expect.poll(() => stored().catch(() => [])).toEqual(["kept"]);
});

describe("TLS", () => {
	const pem = (name: string) => readFileSync(join(import.meta.dirname, "../certificates", name), "utf8");

	/** Speaks TLS before ClickHouse, asks for a certificate, and logs in itself where one was shown. */
	async function listenTls(seen: IncomingHttpHeaders[]) {
		const tls = { cert: pem("server.pem"), key: pem("server.key"), ca: pem("authority.pem"), requestCert: true };
		const server = createTlsServer({ ...tls, rejectUnauthorized: false }, (request, response) => {
			seen.push(request.headers);
			const { authorization, ...headers } = request.headers;
			const basic = `Basic ${Buffer.from(`writer:${PASSWORD}`).toString("base64")}`;
			const { url = "/", method = "GET" } = request;
			const login = { authorization: authorization ?? basic };
			const passed = forward(clickhouse.url + url, { method, headers: { ...headers, ...login } }, (answer) => {
				response.writeHead(answer.statusCode ?? 500, answer.headers);
				answer.pipe(response);
			});
			request.pipe(passed);
		});
		await once(server.listen(0, "127.0.0.1"), "listening");
		const { port } = server.address() as AddressInfo;
		return {
			url: new URL(`https://127.0.0.1:${port}`),
			[Symbol.asyncDispose]: async () => {
				server.closeAllConnections();
				server.close();
			},
		};
	}

	test("a password goes to a node with a trusted certificate only", async () => {
		const seen: IncomingHttpHeaders[] = [];
		await using server = await listenTls(seen);
		await using trusting = new Shard([server.url], { ...ACCESS, tls: { ca: pem("authority.pem") } });
		expect(await stored(trusting)).toEqual([]);
		const [first] = seen;
		expect(first?.authorization).toMatch(/^Basic /);
		seen.length = 0;
		await using wary = new Shard([server.url], { ...ACCESS, tls: {} });
		expect((await failureOf(stored(wary))).kind).toBe("unreachable");
		expect(seen).toEqual([]);
	});

	test("a client certificate takes the place of the password", async () => {
		const seen: IncomingHttpHeaders[] = [];
		await using server = await listenTls(seen);
		const tls = { ca: pem("authority.pem"), cert: pem("client.pem"), key: pem("client.key") };
		await using shown = new Shard([server.url], { ...ACCESS, password: "", tls });
		expect(await stored(shown)).toEqual([]);
		const [first] = seen;
		expect(first?.authorization).toBeUndefined();
		expect(first?.["x-clickhouse-user"]).toBe("writer");
		expect(first?.["x-clickhouse-ssl-certificate-auth"]).toBe("on");
	});
});
